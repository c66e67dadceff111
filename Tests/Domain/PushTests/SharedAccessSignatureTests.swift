import JSON
import Push
import Telemetry
import TestKit
import Testing
import Time

@Suite("Shared access signatures")
struct SharedAccessSignatureTests {
  static let now = Timestamp(secondsSince1970: 1_700_000_000)
  static let key = Secret("c2VjcmV0LWtleS0xMjM0NTY3ODkwYWJjZGVmZ2g=")
  static let rule = AccessRule(name: "full access", keys: [Secret("old"), key], rights: [.manage])

  @Test(
    "Every recorded token opens its request and ends when it says", .enabled(if: Corpora.arePresent, Corpora.absence))
  func recordedVectors() throws {
    let recording = try Corpora.json("recordings/sas-vectors.json")
    let name = try #require(recording["key_name"]?.string)
    let rule = AccessRule(name: name, keys: [Secret(try #require(recording["key"]?.string))], rights: [.listen])
    let vectors = try #require(recording["vectors"]?.array)
    #expect(vectors.count >= 20)
    for vector in vectors {
      let token = try SharedAccessSignature(parsing: #require(vector["token"]?.string))
      #expect("\(token.resource)\n\(token.expiry)" == vector["string_to_sign"]?.string)
      let request = try Self.request(of: vector)
      let before = token.expires - .milliseconds(1)
      #expect(try token.verify(with: [rule], for: request, at: before).name == name, "\(vector)")
      #expect(throws: SharedAccessError.expired) { try token.verify(with: [rule], for: request, at: token.expires) }
      #expect(throws: SharedAccessError.outOfScope) {
        try token.verify(with: [rule], for: AccessRequest(host: "other.example", path: "/myhub"), at: before)
      }
    }
  }

  /// The request that a recorded client made with its token; for tokens rebuilt from source, one of their hub.
  static func request(of vector: JSONValue) throws -> AccessRequest {
    guard let line = vector["request"]?.string else {
      // Each was rebuilt for a request of its own: they share the host, and these cover them all.
      let path =
        switch vector["client"]?.string {
        case "dotnet": "/myhub/messages/?api-version=2020-06"
        case "ios-legacy/v3": "/myhub/installations/6B7C?api-version=2020-06"
        default: "/myhub/registrations/1-2-3"
        }
      return AccessRequest(host: "ns.example:8443", path: path)
    }
    let port = ["java": 18444, "pypi-rest": 18443, "pypi-unofficial": 18080][try #require(vector["client"]?.string)]
    return AccessRequest(
      host: "127.0.0.1:\(try #require(port))", path: String(line.split(separator: " ")[1]))
  }

  @Test("A token of ours has its parts in Azure's order and opens what it is for, for twenty minutes")
  func signs() throws {
    let token = SharedAccessSignature(
      for: "https://News.example:8443/Hub", ruleName: Self.rule.name, key: Self.key, at: Self.now)
    let authorization = token.authorization
    #expect(authorization.hasPrefix("SharedAccessSignature sr=https%3a%2f%2fnews.example%3a8443%2fhub&sig="))
    #expect(authorization.hasSuffix("&se=1700001200&skn=full%20access"))
    let read = try SharedAccessSignature(parsing: authorization)
    let request = AccessRequest(host: "news.example:8443", path: "/hub/messages?api-version=2020-06")
    #expect(try read.verify(with: [Self.rule], for: request, at: Self.now).name == Self.rule.name)
  }

  @Test(
    "What is no token is told from what does not open",
    arguments: [
      "", "SharedAccessSignature", "Bearer x", "SharedAccessSignature sr=a&sig=YQ%3D%3D&se=1",
      "SharedAccessSignature x",
      "SharedAccessSignature sr=a&sig=!!&se=1&skn=b", "SharedAccessSignature sr=a&sig=YQ%3D%3D&se=-1&skn=b",
      "SharedAccessSignature sr=a&sig=YQ%3D%3D&se=1&skn=%zz", "SharedAccessSignature sr=a&sr=a&sig=YQ%3D%3D&se=1&skn=b",
      "SharedAccessSignature sr=&sig=YQ%3D%3D&se=1&skn=b", "SharedAccessSignature sr=a&sig=YQ%3D%3D&se=1e9&skn=b",
      "SharedAccessSignature sr=" + String(repeating: "a", count: 9000) + "&sig=YQ%3D%3D&se=1&skn=b",
    ])
  func malformed(text: String) {
    let error = #expect(throws: SharedAccessError.self) { try SharedAccessSignature(parsing: text) }
    guard case .malformed? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("A forged, truncated or strange token opens nothing")
  func forged() throws {
    let authorization = SharedAccessSignature(
      for: "sb://news.example/hub", ruleName: Self.rule.name, key: Self.key, at: Self.now
    ).authorization
    let request = AccessRequest(host: "news.example", path: "/hub/messages")
    func outcome(_ text: String, rules: [AccessRule] = [Self.rule]) -> SharedAccessError? {
      do throws(SharedAccessError) {
        _ = try SharedAccessSignature(parsing: text).verify(with: rules, for: request, at: Self.now)
        return nil
      } catch {
        return error
      }
    }
    #expect(outcome(authorization) == nil)
    #expect(outcome(authorization.replacing("se=1700001200", with: "se=1900001200")) == .badSignature)
    #expect(outcome(authorization.replacing("%2fhub", with: "")) == .badSignature)
    #expect(outcome(authorization.replacing("%2f", with: "%2F")) == .badSignature)
    #expect(outcome(authorization.replacing("&sig=", with: "&sig=AAAA")) == .badSignature)
    #expect(outcome(authorization.replacing("full%20", with: "no%20")) == .unknownRule)
    #expect(outcome(authorization, rules: []) == .unknownRule)
    #expect(outcome(authorization, rules: [AccessRule(name: Self.rule.name, keys: [], rights: [])]) == .badSignature)
    let other = AccessRule(name: Self.rule.name, keys: [Secret("other")], rights: [.listen])
    #expect(outcome(authorization, rules: [other]) == .badSignature)
    #expect(outcome(authorization, rules: [other, Self.rule]) == nil)
  }

  @Test(
    "A token opens its address and what lies below it, whatever scheme, query and case",
    arguments: [
      ("https://news.example/", "/hub/messages", true), ("https://news.example", "/hub", true),
      ("sb://NEWS.example/HUB/", "/hub/messages", true), ("http://news.example/hub/mess", "/hub/messages", false),
      ("https://news.example/hub2", "/hub/messages", false),
      ("https://news.example/hub/messages/x", "/hub/messages", false),
      ("https://news.example:443/hub", "/hub", true), ("https://news.example:8443/hub", "/hub", false),
      ("https://evil.example/hub", "/hub", false),
      ("https://a.servicebus.windows.net/hub", "/hub", true),
      ("https://a.notificationhub.windows.net:443/hub", "/hub", true),
      ("https://servicebus.windows.net.evil.example/", "/hub", false), ("https://push.example/hub", "/hub", true),
      ("ftp://news.example/hub", "/hub", false), ("news.example/hub", "/hub", false),
      ("https://news.example/hub?x=/y", "/hub", true),
      ("https://news.example/a", "/a/../b", false),
      ("https://news.example/hub/tags/a%3Ab", "/hub/tags/a:b/registrations", true),
      ("https://news.example/hub/tags/a:b", "/hub/tags/a%3ab/registrations", true),
      ("https://news.example@evil.example/", "/hub", false),
    ])
  func scope(resource: String, path: String, opens: Bool) throws {
    let token = SharedAccessSignature(for: resource, ruleName: Self.rule.name, key: Self.key, at: Self.now)
    let request = AccessRequest(host: "News.example", path: path, aliases: ["Push.example"])
    let rule = try? token.verify(with: [Self.rule], for: request, at: Self.now)
    #expect((rule != nil) == opens)
  }

  @Test(
    "A token that ends beyond all time is good, and no arithmetic overflows",
    arguments: ["9223372036854775807", "99999999999999999999999"])
  func endless(expiry: String) throws {
    let text = "SharedAccessSignature sr=a&sig=YQ%3D%3D&se=\(expiry)&skn=full"
    #expect(try SharedAccessSignature(parsing: text).expires > Self.now)
  }

  @Test("The signature is over the address as it was sent, under the key as it is spelled")
  func knownSignature() throws {
    let text = "SharedAccessSignature sr=mydata&sig=x&se=1&skn=b".replacing("sig=x", with: "sig=YQ%3D%3D")
    #expect(try SharedAccessSignature(parsing: text).resource == "mydata")
  }

  @Test("Managing includes listening and sending; no rule prints its keys")
  func rules() {
    #expect(Self.rule.rights == [.listen, .send, .manage])
    #expect(AccessRule(name: "l", keys: [], rights: [.listen]).rights == [.listen])
    #expect(!"\(Self.rule)".contains("c2Vj"))
    #expect(AccessRight("MANAGE") == .manage)
    #expect(AccessRight("own") == nil)
  }
}
