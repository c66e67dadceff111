import Curl
import OpenSSL
import Telemetry
import Testing
import Time

@testable import Ingest

@Suite struct HubOfferTests {
  @Test(
    "A Link header gives its links, whatever stands around them",
    arguments: [
      ("<https://hub.example/>; rel=\"hub\"", [WebLink(target: "https://hub.example/", relations: ["hub"])]),
      (
        "<https://hub.example/?a=1,2>;rel=HUB, </feed>; title=\"a, b; c\"; rel=\"self alternate\"",
        [
          WebLink(target: "https://hub.example/?a=1,2", relations: ["hub"]),
          WebLink(target: "/feed", relations: ["self", "alternate"]),
        ]
      ),
      ("<a>, <b>; rel=hub; rel=self", [WebLink(target: "a", relations: []), WebLink(target: "b", relations: ["hub"])]),
      ("<a; rel=hub", []), ("rel=hub", []), ("", []), ("<a>; rel=\"hub", [WebLink(target: "a", relations: ["hub"])]),
    ] as [(String, [WebLink])])
  func links(field: String, links: [WebLink]) {
    #expect(WebLink.all(in: field) == links)
  }

  private static let atom = """
    <feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>
    <link rel="hub" href="//hub.example/atom"/><link rel="self" href="https://news.example/self"/></feed>
    """
  private static let plain = "<rss version=\"2.0\"><channel><title>T</title></channel></rss>"
  private static let json = """
    {"version": "https://jsonfeed.org/version/1.1", "title": "T", "feed_url": "https://news.example/feed.json",
    "hubs": [{"type": "rssCloud", "url": "https://cloud.example/"}, {"type": "WebSub", "url": "https://hub.example/json"}],
    "items": []}
    """

  @Test(
    "The header's hub counts before the document's, and a topic that is not named is the address",
    arguments: [
      (
        "<https://hub.example/h>; rel=hub, <https://n.example/t>; rel=self", atom, "https://hub.example/h",
        "https://n.example/t"
      ),
      ("<https://hub.example/h>; rel=hub", atom, "https://hub.example/h", "https://news.example/self"),
      ("</h>; rel=hub", plain, "https://news.example/h", "https://news.example/feed"),
      (nil, atom, "https://hub.example/atom", "https://news.example/self"),
      (nil, json, "https://hub.example/json", "https://news.example/feed.json"),
      (nil, plain, nil, nil), ("<https://n.example/>; rel=self", plain, nil, nil),
      ("<mailto:a@b.example>; rel=hub", plain, nil, nil),
    ] as [(String?, String, String?, String?)])
  func offers(field: String?, document: String, hub: String?, topic: String?) throws {
    let url = try WebURL("https://news.example/feed")
    var fetch = Fetch(requested: url)
    fetch.linkFields = field
    let offer = HubOffer(fetch, try FeedDocument.parse(Array(document.utf8), baseURL: url.text))
    #expect(offer?.hub.text == hub)
    #expect(offer?.topic == topic)
  }

  @Test("A signature holds for its body and its secret only, in every method", arguments: KeyedDigest.allCases)
  func signatures(digest: KeyedDigest) throws {
    let body = Array("news".utf8)
    let code = hexadecimal(digest.authenticationCode(for: body, key: Array("secret".utf8)))
    for field in ["\(digest)=\(code)", "\(digest)=\(code.uppercased())", "\(digest.rawValue.uppercased())=\(code)"] {
      let signature = try #require(HubSignature(field))
      #expect(signature.isValid(for: body, secret: Secret("secret")))
      #expect(!signature.isValid(for: body, secret: Secret("Secret")))
      #expect(!signature.isValid(for: body + [0], secret: Secret("secret")))
    }
    let cut = try #require(HubSignature("\(digest)=\(code.dropLast(2))"))
    #expect(!cut.isValid(for: body, secret: Secret("secret")))
    let nothing = try #require(HubSignature("\(digest)=00"))
    #expect(!nothing.isValid(for: body, secret: Secret("secret")))
  }

  @Test(
    "What is no signature is none",
    arguments: ["", "sha1", "md5=00", "sha256=0", "sha256=zz", "=00", "sha256:00", "sha256="])
  func noSignature(field: String) {
    #expect(HubSignature(field) == nil)
  }
}

@Suite struct HubSubscriptionTests {
  static let noon = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!
  static let hour = Duration.seconds(3600)

  private var new: HubSubscription {
    HubSubscription(
      feed: "https://news.example/feed", hub: "https://hub.example/", topic: "https://news.example/feed",
      token: Secret("t"), secret: Secret("s"), nextRequest: Self.noon)
  }

  @Test("Requests that no verification follows come ever more seldom, a day apart at last")
  func backOff() {
    var subscription = new
    var now = Self.noon
    var waits: [Duration] = []
    for _ in 0..<12 {
      subscription.request(now: now)
      waits.append(now.distance(to: subscription.nextRequest))
      now = subscription.nextRequest
    }
    #expect(waits[0] <= .seconds(600) && waits[0] >= .seconds(450))
    #expect(zip(waits, waits.dropFirst()).prefix(6).allSatisfy { $0 < $1 })
    #expect(waits.allSatisfy { $0 <= Self.hour * 24 } && waits[11] >= Self.hour * 18)
    #expect(subscription.phase == .requested && subscription.problem != nil)
  }

  @Test(
    "A verified subscription is live for its lease, within bounds, and renewed when a tenth is left",
    arguments: [(864_000, 864_000), (0, 300), (4_000_000_000, 2_592_000)])
  func lease(promised: Int, held: Int) {
    var subscription = new
    subscription.request(now: Self.noon)
    subscription.verify(lease: .seconds(promised), now: Self.noon)
    #expect(subscription.phase == .active && subscription.failures == 0 && subscription.problem == nil)
    #expect(subscription.isLive(now: Self.noon + .seconds(held - 1)))
    #expect(!subscription.isLive(now: Self.noon + .seconds(held)))
    #expect(subscription.nextRequest == Self.noon + .seconds(held) * 0.9)
    // A renewal that is not answered yet ends nothing.
    subscription.request(now: subscription.nextRequest)
    #expect(subscription.isLive(now: Self.noon + .seconds(held - 1)))
  }

  @Test("Two misses in a row make a hub silent; what it brings makes it heard again")
  func silence() {
    var subscription = new
    subscription.verify(lease: Self.hour * 240, now: Self.noon)
    // Came before the hub knew of us, or in a poll that was the first.
    subscription.miss(lastPoll: Self.noon - .seconds(1), now: Self.noon)
    subscription.miss(lastPoll: nil, now: Self.noon)
    #expect(subscription.missed == 0)
    subscription.miss(lastPoll: Self.noon, now: Self.noon + Self.hour)
    subscription.deliver(now: Self.noon + Self.hour)
    subscription.miss(lastPoll: Self.noon + Self.hour, now: Self.noon + Self.hour * 2)
    #expect(subscription.phase == .active)
    subscription.miss(lastPoll: Self.noon + Self.hour * 2, now: Self.noon + Self.hour * 3)
    #expect(subscription.phase == .silent && !subscription.isLive(now: Self.noon + Self.hour * 3))
    #expect(subscription.nextRequest == Self.noon + Self.hour * 27)
    subscription.deliver(now: Self.noon + Self.hour * 4)
    #expect(subscription.phase == .active && subscription.problem == nil)
  }

  @Test("A denial is asked about again a day later, and says why")
  func denial() {
    var subscription = new
    subscription.deny(reason: String(repeating: "no ", count: 1000), now: Self.noon)
    #expect(subscription.phase == .refused && subscription.nextRequest == Self.noon + Self.hour * 24)
    #expect(subscription.problem!.utf8.count < 300)
  }
}
