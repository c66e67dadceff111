internal import Files
internal import MicroHTTP
internal import Runtime
internal import Synchronization
internal import Time

/// Serves the demo's feeds on loopback; each document grows between its first request and its second.
final class SampleServer: Service {
  /// Its name in log lines.
  let name = "samples"
  /// Its address, without a slash at the end.
  let base: String
  private let server: HTTPServer

  /// Starts to serve the samples of a directory on a port that the system chooses.
  init(directory: String, clock: any WallClock) throws {
    var documents: [String: SampleDocument] = [:]
    for file in try FileSystem.names(inDirectory: directory) where !file.hasSuffix(".md") {
      let source = try FileSystem.read(FileSystem.path(file, from: directory), bytesMax: 1 << 20)
      documents[file] = try SampleDocument(parsing: String(decoding: source, as: UTF8.self))
    }
    let shelf = SampleShelf(documents)
    server = try HTTPServer { request in shelf.answer(request, now: clock.now) }
    base = "http://127.0.0.1:\(server.port)"
  }

  /// Serves until cancelled.
  func run() async throws {
    // The server lives on threads of its own: this only waits for the end.
    _ = await BoundedChannel<Never>(capacity: 1).receive()
    await server.stop(within: .seconds(1))
  }
}

/// The samples and how often each was asked for.
private final class SampleShelf: Sendable {
  private let documents: [String: SampleDocument]
  private let requests = Mutex<[String: Int]>([:])

  init(_ documents: [String: SampleDocument]) { self.documents = documents }

  func answer(_ request: Request, now: Timestamp) -> Response {
    let segments = request.target.segments ?? []
    guard segments.count == 2, segments[0] == "feeds", let document = documents[segments[1]] else {
      return Response(status: 404, headers: ["Content-Type": "text/plain"], text: "no such sample\n")
    }
    let count = requests.withLock { requests in
      requests[segments[1], default: 0] += 1
      return requests[segments[1], default: 1]
    }
    let base = "http://\(request.headers["Host"] ?? "127.0.0.1")"
    guard let text = try? document.text(request: count, base: base, now: now) else {
      return Response(status: 500)
    }
    return Response(status: 200, headers: ["Content-Type": Self.type(of: segments[1])], text: text)
  }

  private static func type(of file: String) -> String {
    switch file.split(separator: ".").last {
    case "json": "application/feed+json"
    case "atom": "application/atom+xml"
    case "rdf": "application/rdf+xml"
    default: "application/rss+xml"
    }
  }
}
