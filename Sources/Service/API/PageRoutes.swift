public import BuiltInHub
import JSON
import MicroHTTP
import OpenSSL
public import Push
import Telemetry
public import Time

/// The reader's page: an app in a browser, with switches for what to hear of and a language to hear it in.
///
/// The page never sees a key. It asks for a token that opens nothing but its own installation, for twenty minutes.
public struct PageRoutes: Sendable {
  /// A language that the page offers.
  public struct Locale: Sendable {
    /// As configured; readers' templates ask for `News_{name}`.
    public let name: String
    /// Its BCP 47 tag.
    public let language: String
    /// The categories' names in it, by their own names.
    public let categoryNames: [String: String]

    /// A language.
    public init(name: String, language: String, categoryNames: [String: String]) {
      self.name = name
      self.language = language
      self.categoryNames = categoryNames
    }
  }

  /// Why there cannot be a page.
  public struct Fault: Error, CustomStringConvertible, Sendable {
    /// What is missing, and what would be right.
    public let description: String
  }

  /// Requests for a token that one client may make, at once and then each minute: a page asks once a visit.
  private static let tokensPerMinute = 20
  /// What an installation of the page is called: nobody gets a token for another app's device here.
  private static let installationPrefix = "web-"

  private let html: [UInt8]
  private let policy: String
  private let tag: String
  private let settings: [UInt8]
  private let hub: String
  private let rule: AccessRule
  private let key: Secret
  private let proxies: Proxies
  private let limiter: RateLimiter
  private let clock: any WallClock

  /// The page `html` for readers of `hub`.
  ///
  /// - Parameters:
  ///   - categories: the switches, in order.
  ///   - accessRules: the hub's rules, of which one has to grant the right to listen and no other: with it tokens are
  ///     signed.
  public init(
    html: [UInt8], hub: LocalHub, categories: [String], locales: [Locale], accessRules: [AccessRule],
    proxies: Proxies = .none, clock: any WallClock = SystemClock()
  ) throws(Fault) {
    guard let rule = accessRules.first(where: { $0.rights == [.listen] }), let key = rule.keys.first else {
      throw Fault(description: "the page needs an access rule with the right Listen and no other, and there is none")
    }
    self.html = html
    self.rule = rule
    self.key = key
    self.hub = hub.name
    self.proxies = proxies
    self.clock = clock
    policy = ContentSecurityPolicy(html: html).text
    tag = "\"" + hexadecimal(SHA256.digest(of: html).prefix(12)) + "\""
    limiter = RateLimiter(burst: Self.tokensPerMinute, perMinute: Self.tokensPerMinute, clock: clock)
    let locales: [JSONValue] = locales.map { locale in
      [
        "name": .string(locale.name), "language": .string(locale.language),
        "property": .string("News_\(locale.name)"),
        "categories": .object(JSONObject(categories.map { ($0, .string(locale.categoryNames[$0] ?? $0)) })),
      ]
    }
    let settings: JSONValue = [
      "hub": .string(hub.name), "categories": .array(categories.map { .string($0) }), "locales": .array(locales),
    ]
    self.settings = settings.serialized()
  }

  /// All of them.
  public var routes: [Route] {
    [
      Route("GET", "/") { page($0.request) },
      Route("GET", "/api/page") { _ in
        Response(
          status: 200, headers: ["Content-Type": "application/json", "Cache-Control": "no-cache"], body: settings)
      },
      Route("POST", "/api/listen-token") { token($0.request) },
    ]
  }

  private func page(_ request: Request) -> Response {
    let headers: HeaderFields = [
      "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy, "ETag": tag,
      "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    ]
    if request.headers["If-None-Match"] == tag { return Response(status: 304, headers: headers) }
    return Response(status: 200, headers: headers, body: html)
  }

  /// `{"installationId": "web-…"}` to `{"token": "SharedAccessSignature …", "expires": "…"}`.
  private func token(_ request: Request) -> Response {
    // A form on a stranger's page can post text, but not JSON unless we allow it.
    let type = request.headers["Content-Type"]?.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
    guard type == "application/json" else { return Response(problem: 415, "Send application/json.") }
    guard let id = (try? JSONValue(parsing: request.body))?["installationId"]?.string, Self.isOwn(id) else {
      return Response(
        problem: 400,
        "Send {\"installationId\": \"\(Self.installationPrefix)…\"} with 22 to 64 random base64url characters behind "
          + "the dash.")
    }
    let origin = proxies.origin(of: request)
    if let wait = limiter.delay(for: origin.client) {
      return Response(problem: 429, "Too many requests for a token. Try again.", retryAfter: wait)
    }
    let token = SharedAccessSignature(
      for: "\(origin.base)/\(hub)/installations/\(id)", ruleName: rule.name, key: key, at: clock.now)
    return Response(json: ["token": .string(token.authorization), "expires": .string(token.expires.rfc3339)])
  }

  private static func isOwn(_ id: String) -> Bool {
    guard id.hasPrefix(installationPrefix) else { return false }
    let random = id.utf8.dropFirst(installationPrefix.utf8.count)
    return (22...64).contains(random.count)
      && random.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
      }
  }
}
