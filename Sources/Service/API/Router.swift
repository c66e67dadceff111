public import MicroHTTP
import Telemetry
public import Time

/// Finds the route of a request: by the path first, whatever its capitals, then by the method.
///
/// HEAD is answered as GET is; OPTIONS by the router itself; a path that nobody serves gets 404, a method that its path
/// does not know 405 with `Allow`.
public struct Router: Sendable {
  /// A response, and the template of the route that gave it.
  struct Answer: Sendable {
    let route: String
    var response: Response
  }

  private static let unknownRoute = "unknown"

  private let routes: [Route]
  private let clock: any WallClock

  /// A router over these routes; of several that fit a path, the first counts.
  public init(_ routes: [Route], clock: any WallClock = SystemClock()) {
    self.routes = routes
    self.clock = clock
  }

  /// Answers `request`.
  public func respond(to request: Request) async -> Response { await answer(request).response }

  func answer(_ request: Request) async -> Answer {
    guard let segments = request.target.segments else {
      return Answer(
        route: Self.unknownRoute,
        response: Response(problem: 400, "The path is not percent-encoded UTF-8."))
    }
    let fitting = fitting(segments)
    guard let first = fitting.first else {
      return Answer(
        route: Self.unknownRoute,
        response: Response(problem: 404, "Nothing is served at this address."))
    }
    let method = request.method == "HEAD" ? "GET" : request.method
    if let match = fitting.first(where: { $0.route.method == method }) {
      var response = await match.route.handler(RoutedRequest(request: request, parameters: match.parameters))
      if match.route.isOpenToAllOrigins { response.headers["Access-Control-Allow-Origin"] = "*" }
      return Answer(route: match.route.pattern.template, response: response)
    }
    return Answer(
      route: first.route.pattern.template,
      response: method == "OPTIONS" ? options(fitting.map(\.route)) : wrongMethod(fitting.map(\.route), request))
  }

  /// Words the answer to a request that the server refuses before it is routed, in the form of the path's routes.
  func refuse(_ refusal: Refusal, _ head: RequestHead) -> Answer {
    let route = head.target.segments.flatMap { fitting($0).first?.route }
    var headers: HeaderFields = [:]
    if refusal.status == 503 { headers["Retry-After"] = "1" }
    let form = route?.errors ?? .problem
    return Answer(
      route: route?.pattern.template ?? Self.unknownRoute,
      response: form.response(refusal.status, refusal.reason, to: head.headers, at: clock.now, adding: headers))
  }

  private func fitting(_ segments: [String]) -> [(route: Route, parameters: [String: String])] {
    routes.compactMap { route in route.pattern.match(segments).map { (route, $0) } }
  }

  private func allowed(_ routes: [Route]) -> String {
    var methods: [String] = []
    for route in routes where !methods.contains(route.method) { methods.append(route.method) }
    if methods.contains("GET") { methods.append("HEAD") }
    return (methods + ["OPTIONS"]).joined(separator: ", ")
  }

  /// Whoever asks from a page of another origin is told what such a page may do (the Fetch standard's preflight). No
  /// cookie opens anything here, so that a page can only do what its reader gave it a token for.
  private func options(_ routes: [Route]) -> Response {
    var response = Response(status: 204, headers: ["Allow": allowed(routes)])
    let open = routes.filter(\.isOpenToAllOrigins)
    if !open.isEmpty {
      response.headers["Access-Control-Allow-Origin"] = "*"
      response.headers["Access-Control-Allow-Methods"] = open.map(\.method).joined(separator: ", ")
      response.headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type, Last-Event-ID"
      response.headers["Access-Control-Max-Age"] = "600"
    }
    return response
  }

  private func wrongMethod(_ routes: [Route], _ request: Request) -> Response {
    let form = routes.first?.errors ?? .problem
    return form.response(
      405, "\(request.method.prefix(20)) is not possible here; \(allowed(routes)) are.", to: request.headers,
      at: clock.now, adding: ["Allow": allowed(routes)])
  }
}

/// A method and a path, and what answers there.
public struct Route: Sendable {
  /// Answers one request.
  public typealias Handler = @Sendable (RoutedRequest) async -> Response

  let method: String
  let pattern: PathPattern
  let errors: ErrorForm
  let isOpenToAllOrigins: Bool
  let handler: Handler

  /// A route.
  ///
  /// - Parameters:
  ///   - template: the path, `/{hub}/installations/{id}`: a segment in braces takes any text and names it.
  ///   - errors: the form in which the router words what it refuses itself.
  ///   - isOpenToAllOrigins: whether pages of other origins may read the answers.
  public init(
    _ method: String, _ template: String, errors: ErrorForm = .problem, isOpenToAllOrigins: Bool = false,
    handler: @escaping Handler
  ) {
    self.method = method
    pattern = PathPattern(template)
    self.errors = errors
    self.isOpenToAllOrigins = isOpenToAllOrigins
    self.handler = handler
  }
}

/// A request that has found its route.
public struct RoutedRequest: Sendable {
  /// The request.
  public let request: Request
  let parameters: [String: String]

  /// The decoded segment that stood where the template says `{name}`.
  public subscript(name: String) -> String { parameters[name] ?? "" }
}

/// A path with named gaps.
struct PathPattern: Sendable {
  private enum Segment: Sendable {
    case literal(String)
    case parameter(String)
  }

  let template: String
  private let segments: [Segment]

  init(_ template: String) {
    self.template = template
    segments = template.dropFirst().split(separator: "/").map { segment in
      segment.hasPrefix("{") && segment.hasSuffix("}")
        ? .parameter(String(segment.dropFirst().dropLast())) : .literal(segment.lowercased())
    }
  }

  /// The values of the gaps, when the path fits. One slash at the end makes no difference: SDKs send both.
  func match(_ path: [String]) -> [String: String]? {
    let path = path.last == "" ? path.dropLast() : path[...]
    guard path.count == segments.count else { return nil }
    var values: [String: String] = [:]
    for (segment, text) in zip(segments, path) {
      switch segment {
      case .literal(let literal): if text.lowercased() != literal { return nil }
      case .parameter(let name):
        if text.isEmpty { return nil }
        values[name] = text
      }
    }
    return values
  }
}
