import Files
import JSON
import TestKit
import Testing

@Suite(
  "Manifests",
  .enabled(if: Manifests.python != nil, "TIDINGS_PYTHON names no Python with schemas; deploy/test.sh sets it up"))
struct ManifestTests {
  @Test("They hold against the schemas of every version, and name the image by the program's version")
  func valid() async throws {
    let manifests = try await Manifests()
    #expect(manifests.versions.count > 5)
    let (_, version, _) = try await Program.run("--version")
    let image = try #require(try manifests.container()["image"]?.string)
    #expect(version.joined().hasSuffix(String(image.split(separator: ":").last ?? "")), "\(image), \(version)")
  }

  @Test(
    "A word that Kubernetes would ignore is a fault",
    arguments: [
      ("deployment.yaml", "readOnlyRootFilesystem", "readOnlyRootFileSystem"),
      ("secret.yaml", "stringData", "stringdata"), ("kustomization.yaml", "configMapGenerator", "configMaps"),
    ])
  func misspelt(file: String, word: String, other: String) async throws {
    let folder = try Folder()
    for name in try FileSystem.names(inDirectory: Manifests.folder) {
      let text = try FileSystem.read("\(Manifests.folder)/\(name)", bytesMax: 1 << 20)
      let written = String(decoding: text, as: UTF8.self)
      _ = try folder.write(name == file ? written.replacing(word, with: other) : written, to: name)
    }
    let (ending, _, errors) = try await Manifests.rendering(of: folder.path)
    #expect(ending == .exited(1))
    #expect(errors.contains { $0.contains(other) }, "\(errors)")
  }

  @Test("What the objects name is there: labels, ports, volumes and what fills them")
  func references() async throws {
    let manifests = try await Manifests()
    let deployment = try #require(try manifests.object("Deployment")["spec"])
    let labels = deployment["template"]?["metadata"]?["labels"]
    #expect(labels != nil && deployment["selector"]?["matchLabels"] == labels)

    let service = try #require(try manifests.object("Service")["spec"])
    let container = try manifests.container()
    #expect(service["selector"] == labels)
    for port in service["ports"]?.array ?? [] {
      #expect(container.port(named: port["targetPort"]?.string) != nil, "\(port)")
    }
    #expect(try manifests.probes().keys.sorted() == ["livenessProbe", "readinessProbe", "startupProbe"])

    let volumes = try manifests.pod()["volumes"]?.array ?? []
    func name(_ kind: String) throws -> JSONValue? { try manifests.object(kind)["metadata"]?["name"] }
    for volume in volumes {
      if let map = volume["configMap"] { #expect(map["name"] == (try name("ConfigMap"))) }
      if let secret = volume["secret"] { #expect(secret["secretName"] == (try name("Secret"))) }
      if let claim = volume["persistentVolumeClaim"] {
        #expect(claim["claimName"] == (try name("PersistentVolumeClaim")))
      }
    }
    let mounted = container["volumeMounts"]?.array?.compactMap { $0["name"]?.string } ?? []
    #expect(mounted.sorted() == volumes.compactMap { $0["name"]?.string }.sorted())
  }

  @Test("The pod has no right that it could do without, and its file has one owner")
  func rights() async throws {
    let manifests = try await Manifests()
    let pod = try manifests.pod()
    #expect(pod["automountServiceAccountToken"] == false)
    #expect(pod["securityContext"]?["runAsNonRoot"] == true)
    #expect(pod["securityContext"]?["seccompProfile"] == ["type": "RuntimeDefault"])
    #expect(
      try manifests.container()["securityContext"] == [
        "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": ["drop": ["ALL"]],
      ])
    let deployment = try #require(try manifests.object("Deployment")["spec"])
    #expect(deployment["replicas"] == 1)
    #expect(deployment["strategy"] == ["type": "Recreate"])
    for (name, key) in try manifests.object("Secret")["stringData"]?.object ?? JSONObject() {
      #expect(key == "", "\(name) is a key that everybody knows")
    }
  }
}
