import Curl
import TestKit
import Testing
import Time

@testable import Ingest

/// What a fixture server is asked while days pass on a clock that is turned by hand, request by request.
@Suite(.timeLimit(.minutes(2))) struct PollReplayTests {
  /// A request as it must come, and what it gets.
  struct Visit: Sendable {
    var target: String
    /// Since the start; nil for the next hop of a poll.
    var time: Duration?
    var entityTag: String?
    var lastModified: String?
    var answer: RawServer.Answer
    /// The reason of the next check, when this ends the poll.
    var reason: String?

    init(
      _ target: String = "/feed", at time: Duration? = nil, ifNoneMatch entityTag: String? = nil,
      ifModifiedSince lastModified: String? = nil, _ answer: RawServer.Answer, then reason: String? = nil
    ) {
      self.target = target
      self.time = time
      self.entityTag = entityTag
      self.lastModified = lastModified
      self.answer = answer
      self.reason = reason
    }
  }

  /// A story of some days.
  struct Script: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var visits: [Visit]
    /// When the next poll would be; nil for never.
    var end: Duration?

    init(_ promise: String, _ visits: [Visit], next end: Duration?) {
      testDescription = promise
      self.visits = visits
      self.end = end
    }

    /// The visits of each poll.
    var polls: [[Visit]] {
      visits.reduce(into: []) { polls, visit in
        if visit.time != nil { polls.append([]) }
        polls[polls.count - 1].append(visit)
      }
    }
  }

  @Test("Over days a server is asked when it, its feed and its failures say, and not a request more", arguments: all)
  func replay(script: Script) async throws {
    let server = try RawServer { request in
      request.number < script.visits.count ? script.visits[request.number].answer : .status(500)
    }
    let bench = try PollerBench([server.url("/feed")])
    let start = bench.clock.now
    try await bench.run(bench.poller()) {
      var asked = 0
      for poll in script.polls {
        let due = start + poll[0].time!
        if asked > 0 {
          #expect(try await bench.state()?.nextCheck == due)
          // Up to a moment before nothing happens, however long that is.
          while bench.clock.now < due - .milliseconds(1) {
            let step = min(.seconds(3600), bench.clock.now.distance(to: due - .milliseconds(1)))
            bench.clock.advance(by: step)
            await bench.clock.waitForSleepers()
          }
          #expect(server.requests.count == asked)
          try #require(try await bench.state()?.nextCheck ?? due <= due)
          bench.clock.advance(by: .milliseconds(1))
        }
        try await bench.wait { try await bench.state()?.lastAttempt == bench.clock.now }
        asked += poll.count
        #expect(server.requests.count == asked)
        #expect(try await bench.state()?.nextCheckReason == poll.last?.reason)
      }
      let state = try #require(try await bench.state())
      #expect(state.due == script.end.map { start + $0 })
      if script.end == nil {
        for _ in 0..<60 {
          bench.clock.advance(by: .seconds(43_200))
          await bench.clock.waitForSleepers()
        }
      }
    }
    #expect(server.requests.map(\.target) == script.visits.map(\.target))
    #expect(server.requests.map { $0["If-None-Match"] } == script.visits.map(\.entityTag))
    #expect(server.requests.map { $0["If-Modified-Since"] } == script.visits.map(\.lastModified))
  }

  private static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
  private static let feed = rss(["a"])
  private static let usual = "every 15 min"
  private static func hop(_ status: Int, to location: String) -> RawServer.Answer {
    .status(status, ["Location": location])
  }
  /// A feed whose channel holds more, with an item each so many minutes.
  private static func feed(_ channel: String, every gap: Int = 0) -> RawServer.Answer {
    let items = (0..<8).map { number in
      let date = Timestamp(rfc3339: "2026-11-30T11:00:00Z")! - minutes(number * gap)
      return "<item><guid>\(number)</guid><title>\(number)</title><pubDate>\(date.rfc3339)</pubDate></item>"
    }
    let modules = "xmlns:sy=\"http://purl.org/rss/1.0/modules/syndication/\""
    return .ok(
      "<rss version=\"2.0\" \(modules)><channel><title>News</title>\(channel)\(items.joined())</channel></rss>",
      ["ETag": "\"1\""])
  }

  private static let all = answers + wishes + failures + moves

  private static let answers = [
    Script(
      "Validators go back byte for byte, and a 304 may renew them",
      [
        Visit(at: .zero, .ok(feed, ["ETag": "W/\"1 é'\"", "Last-Modified": "yesterday, or so"]), then: usual),
        Visit(
          at: minutes(15), ifNoneMatch: "W/\"1 é'\"", ifModifiedSince: "yesterday, or so",
          .status(304, ["ETag": "W/\"2\""]), then: usual),
        Visit(
          at: minutes(30), ifNoneMatch: "W/\"2\"", ifModifiedSince: "yesterday, or so",
          .ok(rss(["b"]), ["ETag": "x"]), then: usual),
        Visit(at: minutes(45), ifNoneMatch: "x", .ok(rss(["c"])), then: usual),
        Visit(at: minutes(60), .ok(rss(["c"])), then: usual),
      ], next: minutes(75)),
    Script(
      "Cache-Control and Expires slow the rhythm, within an hour",
      [
        Visit(at: .zero, .ok(feed, ["Cache-Control": "max-age=1800", "ETag": "1"]), then: cache("Cache-Control", 30)),
        Visit(
          at: minutes(30), ifNoneMatch: "1", .status(304, ["Cache-Control": "max-age=2400"]),
          then: cache("Cache-Control", 40)),
        Visit(
          at: minutes(70), ifNoneMatch: "1",
          .status(304, ["Date": "Mon, 30 Nov 2026 13:10:00 GMT", "Expires": "Mon, 30 Nov 2026 14:00:00 GMT"]),
          then: cache("Expires", 50)),
        Visit(
          at: minutes(120), ifNoneMatch: "1", .status(304, ["Cache-Control": "max-age=31536000"]),
          then: "the publisher's Cache-Control asks for 365 d, held to 1 h"),
        Visit(at: minutes(180), ifNoneMatch: "1", .status(304, ["Cache-Control": "no-cache"]), then: usual),
      ], next: minutes(195)),
  ]

  private static func cache(_ source: String, _ minutes: Int) -> String {
    "the publisher's \(source) asks for \(minutes) min"
  }

  private static let wishes = [
    Script(
      "A ttl holds although a 304 does not repeat it, until a document says otherwise",
      [
        Visit(at: .zero, feed("<ttl>30</ttl>"), then: "the publisher's ttl asks for 30 min"),
        Visit(
          at: minutes(30), ifNoneMatch: "\"1\"", .status(304), then: "the publisher's ttl asks for 30 min"),
        Visit(at: minutes(60), ifNoneMatch: "\"1\"", feed("<ttl>5</ttl>"), then: usual),
      ], next: minutes(75)),
    Script(
      "A feed is left alone in the hours that it says to skip",
      [
        Visit(
          at: .zero, feed("<skipHours>\((12...17).map { "<hour>\($0)</hour>" }.joined())</skipHours>"),
          then: "every 15 min, but not in the hours and days that it says to skip"),
        Visit(at: minutes(6 * 60), ifNoneMatch: "\"1\"", .status(304), then: usual),
      ], next: minutes(6 * 60 + 15)),
    Script(
      "Days to be skipped are asked once: a feed that sleeps longer may have woken",
      [
        Visit(
          at: .zero, feed("<skipDays><day>Monday</day><day>Tuesday</day></skipDays>"),
          then: "every 15 min, but not in the hours and days that it says to skip"),
        Visit(
          at: minutes(24 * 60 + 15), ifNoneMatch: "\"1\"", .status(304),
          then: "every 15 min, but not in the hours and days that it says to skip"),
      ], next: minutes(36 * 60)),
    Script(
      "All hours and all days to be skipped are none",
      [
        Visit(
          at: .zero, feed("<skipHours>\((0...23).map { "<hour>\($0)</hour>" }.joined())</skipHours>"), then: usual)
      ], next: minutes(15)),
    Script(
      "sy:updatePeriod is obeyed while the items do not come faster than it says",
      [
        Visit(
          at: .zero, feed("<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>"),
          then: "every 15 min"),
        Visit(
          at: minutes(15), ifNoneMatch: "\"1\"",
          feed("<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>", every: 50),
          then: "the publisher's sy:updatePeriod asks for 30 min"),
      ], next: minutes(45)),
    Script(
      "A feed whose items come seldom is asked seldom",
      [
        Visit(at: .zero, feed("", every: 120), then: "its items come about 2 h apart"),
        Visit(
          at: minutes(30), ifNoneMatch: "\"1\"", feed("", every: 6000),
          then: "its items come about 4 d 4 h apart, held to 1 h"),
      ], next: minutes(90)),
  ]

  private static let failures = [
    Script(
      "Back-off grows, ends, and recovers with the first success",
      [
        Visit(at: .zero, .status(500), then: "after a failure, in 15 min"),
        Visit(at: minutes(15), .ok("no feed"), then: "after 2 failures in a row, in 30 min"),
        Visit(at: minutes(45), .status(404), then: "after 3 failures in a row, in 1 h"),
        Visit(
          at: minutes(105), .head("HTTP/1.1 200 OK", "Content-Length: 9", then: .send([60]), .close),
          then: "after 4 failures in a row, in 2 h"),
        Visit(at: minutes(225), .status(403), then: "after 5 failures in a row, in 4 h"),
        Visit(at: minutes(465), .status(503), then: "after 6 failures in a row, in 4 h"),
        Visit(at: minutes(705), .ok(feed), then: usual),
        Visit(at: minutes(720), .status(500), then: "after a failure, in 15 min"),
      ], next: minutes(735)),
    Script(
      "Retry-After in both forms is never undercut, and never obeyed without end",
      [
        Visit(at: .zero, .ok(feed, ["ETag": "1"]), then: usual),
        Visit(
          at: minutes(15), ifNoneMatch: "1", .status(429, ["Retry-After": "120"]),
          then: "the server's Retry-After asks for 2 min, the usual interval is longer"),
        Visit(
          at: minutes(30), ifNoneMatch: "1", .status(503, ["Retry-After": "Mon, 30 Nov 2026 13:30:00 GMT"]),
          then: "the server's Retry-After asks for 1 h"),
        Visit(
          at: minutes(90), ifNoneMatch: "1", .status(429, ["Retry-After": "999999"]),
          then: "the server's Retry-After asks for 11 d 13 h, held to 1 d"),
        Visit(at: minutes(90 + 1440), ifNoneMatch: "1", .status(304), then: usual),
      ], next: minutes(105 + 1440)),
    Script(
      "410 is asked about once more, a day later, and then never",
      [
        Visit(at: .zero, .ok(feed, ["ETag": "1"]), then: usual),
        Visit(
          at: minutes(15), ifNoneMatch: "1", .status(410),
          then: "the publisher says that the feed is gone; asked once more"),
        Visit(at: minutes(15 + 1440), ifNoneMatch: "1", .status(304), then: usual),
        Visit(
          at: minutes(30 + 1440), ifNoneMatch: "1", .status(410),
          then: "the publisher says that the feed is gone; asked once more"),
        Visit(
          at: minutes(30 + 2880), ifNoneMatch: "1", .status(410),
          then: "never: the publisher has said twice that the feed is gone (410)"),
      ], next: nil),
  ]

  private static let moves = [
    Script(
      "A permanent redirect is believed the second time",
      [
        Visit(at: .zero, hop(301, to: "/new")),
        Visit("/new", .ok(feed, ["ETag": "1"]), then: usual),
        Visit(at: minutes(15), ifNoneMatch: "1", hop(308, to: "/new")),
        Visit("/new", ifNoneMatch: "1", .status(304), then: usual),
        Visit("/new", at: minutes(30), ifNoneMatch: "1", .status(304), then: usual),
        Visit("/new", at: minutes(45), ifNoneMatch: "1", hop(301, to: "/newer")),
        Visit("/newer", ifNoneMatch: "1", .status(304), then: usual),
        Visit("/new", at: minutes(60), ifNoneMatch: "1", hop(301, to: "/newer")),
        Visit("/newer", ifNoneMatch: "1", .status(304), then: usual),
      ], next: minutes(75)),
    Script(
      "One that comes and goes, that leads to no feed, or elsewhere each time is not believed",
      [
        Visit(at: .zero, hop(301, to: "/new")),
        Visit("/new", .ok(feed), then: usual),
        Visit(at: minutes(15), .ok(rss(["b"])), then: usual),
        Visit(at: minutes(30), hop(301, to: "/new")),
        Visit("/new", .ok(rss(["c"])), then: usual),
        Visit(at: minutes(45), hop(301, to: "/other")),
        Visit("/other", .ok(rss(["d"])), then: usual),
        Visit(at: minutes(60), hop(301, to: "/other")),
        Visit("/other", .ok("<html>Parked</html>"), then: "after a failure, in 15 min"),
        Visit(at: minutes(75), .ok(rss(["e"])), then: usual),
      ], next: minutes(90)),
    Script(
      "302, 303 and 307 never move a feed, nor does what follows one of them",
      [302, 303, 307, 307].enumerated().flatMap { number, status in
        [
          Visit(at: minutes(15 * number), hop(status, to: "/elsewhere")),
          Visit("/elsewhere", hop(301, to: "/there")),
          Visit("/there", .ok(rss(["\(number)"])), then: usual),
        ]
      }, next: minutes(60)),
    Script(
      "A feed that moved to where it fails is asked at its old address again",
      [
        Visit(at: .zero, hop(301, to: "/new")),
        Visit("/new", .ok(feed, ["ETag": "1"]), then: usual),
        Visit(at: minutes(15), ifNoneMatch: "1", hop(301, to: "/new")),
        Visit("/new", ifNoneMatch: "1", .status(304), then: usual),
        Visit("/new", at: minutes(30), ifNoneMatch: "1", .status(404), then: "after a failure, in 15 min"),
        Visit("/new", at: minutes(45), ifNoneMatch: "1", .status(404), then: "after 2 failures in a row, in 30 min"),
        Visit("/new", at: minutes(75), ifNoneMatch: "1", .status(404), then: "after 3 failures in a row, in 1 h"),
        Visit(at: minutes(135), .ok(feed), then: usual),
      ], next: minutes(150)),
  ]
}
