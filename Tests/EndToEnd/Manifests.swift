import Files
import Glibc
import JSON
import TestKit
import Testing

/// What `kubectl apply -k deploy/kubernetes` sends, and the Secret that is made before.
struct Manifests {
  static let folder = "\(Program.root)/deploy/kubernetes"
  /// A Python with Kubernetes' schemas, as `deploy/test.sh` sets it up.
  static let python = ProcessEnvironment.variables["TIDINGS_PYTHON"]

  /// The versions of Kubernetes that they were held against.
  let versions: [String]
  private let objects: [JSONValue]

  /// Renders and validates them.
  init() async throws {
    let (ending, output, errors) = try await Self.rendering(of: Self.folder)
    try #require(ending == .exited(0), "\(errors)")
    let rendered = try JSONValue(parsing: output.joined())
    versions = rendered["versions"]?.array?.compactMap(\.string) ?? []
    objects = rendered["objects"]?.array ?? []
  }

  /// How rendering and validating a folder ends.
  static func rendering(
    of folder: String
  ) async throws -> (ending: ChildProcess.Ending, output: [String], errors: [String]) {
    let process = try ChildProcess(python ?? "", ["\(Program.root)/Tests/EndToEnd/manifests.py", folder])
    let ending = await process.ending()
    return (ending, process.lines(), process.lines(.errors))
  }

  /// The one object of a kind.
  func object(_ kind: String) throws -> JSONValue {
    let found = objects.filter { $0["kind"]?.string == kind }
    try #require(found.count == 1, "\(found.count) objects of kind \(kind)")
    return found[0]
  }

  /// The pod that the Deployment makes.
  func pod() throws -> JSONValue {
    try #require(try object("Deployment")["spec"]?["template"]?["spec"])
  }

  /// The pod's one container.
  func container() throws -> JSONValue {
    let containers = try pod()["containers"]?.array ?? []
    try #require(containers.count == 1)
    return containers[0]
  }

  /// The port and the path of each probe, by the probe's name.
  func probes() throws -> [String: (port: Int, path: String)] {
    let container = try container()
    var probes: [String: (port: Int, path: String)] = [:]
    for (name, probe) in container.object ?? JSONObject() where name.hasSuffix("Probe") {
      let port = try #require(container.port(named: probe["httpGet"]?["port"]?.string), "\(name)")
      probes[name] = (port, try #require(probe["httpGet"]?["path"]?.string, "\(name)"))
    }
    return probes
  }

  /// Lays the pod's volumes out as folders, with owners and modes as a kubelet gives them, and says which path of the
  /// container each is mounted at.
  ///
  /// - Parameter keys: The Secret's values, in place of its own.
  func layOut(in folder: String, keys: [String: String]) throws -> [Container.Mount] {
    let group = UInt32(try #require(try pod()["securityContext"]?["fsGroup"]?.int))
    var mounts: [Container.Mount] = []
    for mount in try container()["volumeMounts"]?.array ?? [] {
      let volume = try #require(try pod()["volumes"]?.array?.first { $0["name"] == mount["name"] })
      let name = try #require(mount["name"]?.string)
      let place = "\(folder)/\(name)"
      try FileSystem.makeDirectory(place)
      let files: [String: String]
      if volume["configMap"] != nil {
        let data = try object("ConfigMap")["data"]?.object ?? JSONObject()
        files = Dictionary(uniqueKeysWithValues: data.map { ($0, $1.string ?? "") })
      } else if volume["secret"] != nil {
        files = keys
      } else {
        try #require(volume["persistentVolumeClaim"] != nil, "\(name) is a volume of another kind")
        files = [:]
        chown(place, 0, group)
        chmod(place, 0o2775)
      }
      for (file, text) in files {
        try FileSystem.write(Array(text.utf8), to: "\(place)/\(file)")
        chown("\(place)/\(file)", 0, group)
        chmod("\(place)/\(file)", mode_t(volume["secret"]?["defaultMode"]?.int ?? 0o644))
      }
      mounts.append(
        Container.Mount(
          folder: place, path: try #require(mount["mountPath"]?.string), isReadOnly: mount["readOnly"] == true))
    }
    return mounts
  }
}

extension JSONValue {
  /// A container's port by its name, or a Service's.
  func port(named name: String?) -> Int? {
    self["ports"]?.array?.first { $0["name"]?.string == name }?["containerPort"]?.int
  }
}
