import Glibc
import JSON
import TestKit
import Testing

@Suite(
  "Pod",
  .enabled(
    if: Container.image != nil && Manifests.python != nil,
    "TIDINGS_IMAGE or TIDINGS_PYTHON is not set; deploy/test.sh sets them up"))
struct PodTests {
  @Test(
    "The pod answers its probes and its devices, ends in time, and starts anew on its store", .timeLimit(.minutes(4)))
  func life() async throws {
    let folder = try Folder()
    let manifests = try await Manifests()
    let mounts = try manifests.layOut(
      in: folder.path, keys: ["listen.key": "\(Worker.listenKey)\n", "full.key": "\(Worker.fullKey)\n"])
    let grace = Duration.seconds(try #require(try manifests.pod()["terminationGracePeriodSeconds"]?.int))
    let check = try Container(["check", "--config", "/etc/tidings/tidings.yaml"], mounts: mounts).process
    #expect(await check.ending() == .exited(0), "\(check.lines(.errors))")
    #expect(!check.lines().contains { $0.contains(Worker.listenKey) || $0.contains(Worker.fullKey) })

    for start in 1...2 {
      let pod = try Self.container(manifests, mounts: mounts)
      _ = try #require(
        await pod.process.value(from: .errors) { $0.contains("worker.started") ? $0 : nil },
        "start \(start): \(pod.process.lines(.errors))")
      // The kubelet asks at the pod's own address.
      let addresses = try pod.process.lines(.errors).map { try JSONValue(parsing: $0) }
        .filter { $0["event"] == "http.listening" }.map { $0["address"]?.string }
      #expect(addresses == ["0.0.0.0", "0.0.0.0"])
      for (name, probe) in try manifests.probes() {
        let (ending, output) = try await pod.visit(
          "/usr/bin/curl",
          [
            "--silent", "--show-error", "--fail", "--max-time", "20", "--retry", "20", "--retry-all-errors",
            "http://127.0.0.1:\(probe.port)\(probe.path)",
          ])
        #expect(ending == .exited(0), "\(name): \(output)")
      }
      let hub = try #require(try manifests.container().port(named: "hub"))
      let (ending, output) = try await pod.visit(
        Manifests.python!,
        [
          "\(Program.root)/Tests/EndToEnd/contract.py", "http://127.0.0.1:\(hub)", Worker.listenKey, Worker.fullKey,
        ])
      try #require(ending == .exited(0), "\(output)")
      let seen = try JSONValue(parsing: output)
      #expect(seen["register"]?["status"] == 200 && seen["send"]?["status"] == 201, "\(output)")

      let begin = ContinuousClock.now
      pod.process.signal(SIGTERM)
      #expect(await pod.process.ending() == .exited(0), "\(pod.process.lines(.errors))")
      #expect(ContinuousClock.now - begin < grace)
    }
  }

  @Test("The Secret as it ships starts nothing: each empty key is named")
  func placeholders() async throws {
    let folder = try Folder()
    let manifests = try await Manifests()
    let keys = try #require(try manifests.object("Secret")["stringData"]?.object)
    let pod = try Self.container(
      manifests,
      mounts: try manifests.layOut(
        in: folder.path, keys: Dictionary(uniqueKeysWithValues: keys.map { ($0, $1.string ?? "") })))
    #expect(await pod.process.ending() == .exited(3))
    for (name, _) in keys {
      #expect(pod.process.lines(.errors).contains { $0.contains("\(name) is empty") }, "\(pod.process.lines(.errors))")
    }
  }

  private static func container(_ manifests: Manifests, mounts: [Container.Mount]) throws -> Container {
    let container = try manifests.container()
    let memory = try #require(container["resources"]?["limits"]?["memory"]?.string)
    return try Container(
      container["args"]?.array?.compactMap(\.string) ?? [],
      memory: memory.replacing("Mi", with: "m"), mounts: mounts)
  }
}
