import Files
import Glibc
import JSON
import TestKit
import Testing

@Suite("Container", .enabled(if: Container.image != nil, "TIDINGS_IMAGE names no image; deploy/test.sh builds one"))
struct ContainerTests {
  @Test(
    "The demo delivers every sample with a read-only root, no rights and 256 MiB", .timeLimit(.minutes(2)))
  func demo() async throws {
    let (ending, output, errors) = try await Container.run(["demo", "--once"])
    #expect(ending == .exited(0), "\(errors)")
    #expect(try DemoTests.places(output) == DemoTests.expectedPlaces)
  }

  @Test("SIGTERM ends the demo in the container, although it is the first process there", .timeLimit(.minutes(2)))
  func terminate() async throws {
    let process = try Container(["demo"]).process
    _ = try #require(await process.value { line in line.contains("\"message\"") ? line : nil })
    process.signal(SIGTERM)
    #expect(await process.ending() == .exited(0), "\(process.lines(.errors))")
  }

  @Test("SIGTERM ends what does not listen for it, too: a command that waits for its input", .timeLimit(.minutes(2)))
  func terminateWaiting() async throws {
    let folder = try Folder()
    let mount = Container.Mount(folder: "\(folder.path)/input", path: "/input", isReadOnly: true)
    try FileSystem.makeDirectory(mount.folder)
    let pipe = "\(mount.folder)/pipe"
    try #require(mkfifo(pipe, 0o644) == 0)
    let container = try Container(["parse", "/input/pipe"], mounts: [mount])
    let process = container.process
    // Opening a pipe takes until its reader is there.
    let writer = try ChildProcess("/bin/sh", ["-c", #"exec 3>"$1"; echo open; exec sleep 60"#, "writer", pipe])
    try #require(await writer.value { $0 } == "open")
    try await container.waitUntilRunning()
    process.signal(SIGTERM)
    let ending = await process.ending()
    #expect(ending == .exited(128 + SIGTERM), "\(process.lines(.errors))")
    writer.signal(SIGKILL)
  }

  @Test("The image runs as a user without rights, and starts the worker with the mounted configuration")
  func description() async throws {
    let configuration = try #require(try await Container.description()?["Config"])
    #expect(configuration["User"]?.string == "10001:10001")
    #expect(configuration["Entrypoint"] == ["tidings"])
    #expect(configuration["Cmd"] == ["run", "--config", "/etc/tidings/tidings.yaml"])
    let (ending, _, errors) = try await Container.run([])
    #expect(ending == .exited(3))
    #expect(errors.contains { $0.contains("/etc/tidings/tidings.yaml") && $0.contains("No such file") }, "\(errors)")
  }

  @Test("Every library that the Dockerfile installs is used, its licence is there, and none is missing")
  func libraries() async throws {
    let dockerfile = try FileSystem.read("\(Program.root)/deploy/Dockerfile", bytesMax: 1 << 20)
    let installed = String(decoding: dockerfile, as: UTF8.self).split { " \n;".contains($0) }
      .filter { $0.hasPrefix("lib") || $0.hasPrefix("zlib") }
    try #require(!installed.isEmpty)
    let script = """
      ldd /usr/local/bin/tidings | grep 'not found'
      used=$(ldd /usr/local/bin/tidings | awk '$2 == "=>" {print $3}' | while read -r file; do
        dpkg -S "*/$(basename "$(readlink -f "$file")")" | cut -d: -f1
      done)
      for package in "$@"; do
        echo "$used" | grep -qx "$package" || echo "not used: $package"
        test -s "/usr/share/doc/$package/copyright" || echo "without its licence: $package"
      done
      """
    let (ending, output, errors) = try await Container.run(
      ["-c", script, "libraries"] + installed.map(String.init), entrypoint: "sh")
    #expect(ending == .exited(0) && output.isEmpty && errors.isEmpty, "\(output) \(errors)")
  }
}
