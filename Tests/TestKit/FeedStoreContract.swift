public import Ingest
import News
public import Testing
import Time

/// A promise of every feed store, with its proof.
public struct FeedStoreContract: Sendable, CustomTestStringConvertible {
  /// Opens the store under test; each call is a handle as another process would have it, on the same state.
  public typealias Opening = @Sendable () async throws -> any FeedStore

  /// The promise.
  public let testDescription: String
  /// Proves it on a fresh store.
  public let check: @Sendable (_ open: Opening) async throws -> Void

  init(_ promise: String, _ check: @escaping @Sendable (_ open: Opening) async throws -> Void) {
    testDescription = promise
    self.check = check
  }

  /// All of them.
  public static let all = state + identities + renaming + inbox

  private static let state = [
    FeedStoreContract("A feed is unknown before its first poll, and afterwards as the last poll left it") { open in
      let store = try await open()
      #expect(try await store.feedState(url) == nil)
      var state = FeedState(url: url, nextCheck: noon + .seconds(900), nextCheckReason: "every 15 minutes")
      _ = try await store.commit(Poll(state: state, articles: [], subscribed: nil, time: noon, isBaseline: true))
      #expect(try await store.feedState(url) == state)
      state.entityTag = #"W/"a 'b' "é"#
      state.lastModified = "Mon, 30 Nov 2026 12:00:00 GMT"
      state.contentHash = "00ff"
      state.lastSuccess = noon
      state.lastAttempt = noon + .milliseconds(1)
      state.lastError = "503"
      state.failures = 3
      state.title = "Nouvelles \u{1F30D}"
      state.address = "https://moved.example/feed"
      state.movingTo = "https://moving.example/feed"
      state.goneCount = 1
      state.disabledReason = "gone"
      state.wishes = PublisherWishes(
        timeToLive: .seconds(3600), updatePeriod: .seconds(1800), skipHours: [0, 23], skipDays: [0, 6],
        itemGap: .milliseconds(1))
      _ = try await store.commit(Poll(state: state, articles: [], subscribed: nil, time: noon, isBaseline: false))
      #expect(try await open().feedState(url) == state)
    },
    FeedStoreContract("All feeds are listed, in the order of their addresses") { open in
      let store = try await open()
      #expect(try await store.feedStates() == [])
      for url in ["https://b.example/", "https://a.example/", "https://c.example/"] {
        _ = try await store.commit(document([], of: url))
      }
      let urls = try await store.feedStates().map(\.url)
      #expect(urls == ["https://a.example/", "https://b.example/", "https://c.example/"])
    },
  ]

  private static let identities = [
    FeedStoreContract("A baseline is noted and tells nothing") { open in
      let store = try await open()
      #expect(try await store.commit(document(["a", "b"], isBaseline: true)) == 2)
      #expect(try await store.inbox(after: 0, limit: 100).count == 0)
      #expect(try await store.commit(document(["a", "b"])) == 0)
      #expect(try await store.inbox(after: 0, limit: 10).isEmpty)
    },
    FeedStoreContract("What is new waits in the inbox once, in the document's order") { open in
      let store = try await open()
      _ = try await store.commit(document(["a"], isBaseline: true))
      #expect(try await store.commit(document(["c", "a", "b", "c"])) == 2)
      #expect(try await store.commit(document(["c", "a", "b"])) == 0)
      #expect(try await open().commit(document(["b", "d"])) == 1)
      #expect(try await store.inbox(after: 0, limit: 10).map(\.article.id) == ["c", "b", "d"])
      #expect(try await store.inbox(after: 0, limit: 100).count == 3)
    },
    FeedStoreContract("Of very many new ones only the newest are told, and the others are known") { open in
      let store = try await open()
      _ = try await store.commit(document(["a"], isBaseline: true))
      var flood = document(["a", "b", "c", "d"])
      flood.newItemsMax = 2
      #expect(try await store.commit(flood) == 3)
      #expect(try await store.commit(document(["a", "b", "c", "d"])) == 0)
      #expect(try await store.inbox(after: 0, limit: 10).map(\.article.id) == ["c", "d"])
    },
    FeedStoreContract("One document read by two at once is told once") { open in
      let (one, other) = (try await open(), try await open())
      let ids = (0..<40).map { "article-\($0)" }
      async let first = one.commit(document(ids))
      async let second = other.commit(document(ids.reversed()))
      #expect(try await [first, second].sorted() == [0, 40])
      #expect(try await Set(one.inbox(after: 0, limit: 100).map(\.article.id)) == Set(ids))
      #expect(try await one.inbox(after: 0, limit: 100).count == 40)
    },
    FeedStoreContract("Identities belong to their feed") { open in
      let store = try await open()
      _ = try await store.commit(document(["1"], of: "https://a.example/"))
      #expect(try await store.commit(document(["1"], of: "https://b.example/")) == 1)
      #expect(try await store.inbox(after: 0, limit: 100).count == 2)
    },
    FeedStoreContract("A poll that reads no document changes no identity") { open in
      let store = try await open()
      _ = try await store.commit(document(["a"]))
      _ = try await store.commit(document([], at: noon + .seconds(60)))
      #expect(try await store.forgetIdentities(unseenSince: .distantFuture, limit: 10) == 0)
      #expect(try await store.commit(document(["a"])) == 0)
    },
    FeedStoreContract("An item that was gone for a while is not new when it comes back, nor forgotten then") { open in
      let store = try await open()
      _ = try await store.commit(document(["a", "b"]))
      _ = try await store.commit(document(["b"], at: noon + .seconds(60)))
      #expect(try await store.commit(document(["a", "b"], at: noon + .seconds(120))) == 0)
      #expect(try await store.forgetIdentities(unseenSince: .distantFuture, limit: 10) == 0)
    },
    FeedStoreContract("What documents have missed for long is forgotten, the longest first, so many at a time") {
      open in
      let store = try await open()
      _ = try await store.commit(document(["a", "b", "c", "d"]))
      _ = try await store.commit(document(["b", "c", "d"], at: noon + .seconds(100)))
      _ = try await store.commit(document(["d"], at: noon + .seconds(200)))
      _ = try await store.commit(document(["d"], at: noon + .seconds(300)))
      #expect(try await store.forgetIdentities(unseenSince: noon + .seconds(100), limit: 10) == 0)
      #expect(try await store.forgetIdentities(unseenSince: noon + .seconds(300), limit: 1) == 1)
      #expect(try await store.commit(document(["a", "b", "c", "d"], at: noon + .seconds(400))) == 1)
      _ = try await store.commit(document(["d"], at: noon + .seconds(500)))
      #expect(try await store.forgetIdentities(unseenSince: noon + .seconds(501), limit: 2) == 2)
      #expect(try await store.forgetIdentities(unseenSince: noon + .seconds(501), limit: 2) == 1)
      #expect(try await store.forgetIdentities(unseenSince: noon + .seconds(501), limit: 2) == 0)
    },
  ]

  private static let inbox = [
    FeedStoreContract("An article waits with all that is known of it") { open in
      var poll = document([], at: noon + .milliseconds(7))
      poll.articles = [.complete]
      poll.subscribed = .science
      _ = try await open().commit(poll)
      let row = try #require(try await open().inbox(after: 0, limit: 1).first)
      #expect(row.article == .complete)
      #expect(row.subscribed == .science)
      #expect(row.firstSeen == noon + .milliseconds(7))
    },
    FeedStoreContract("The inbox is read in pages, the oldest first") { open in
      let store = try await open()
      _ = try await store.commit(document(["a", "b", "c"]))
      let first = try await store.inbox(after: 0, limit: 2)
      #expect(first.map(\.article.id) == ["a", "b"])
      #expect(try await store.inbox(after: first[1].row, limit: 2).map(\.article.id) == ["c"])
    },
    FeedStoreContract("What is acknowledged is gone, and acknowledging it again changes nothing") { open in
      let store = try await open()
      _ = try await store.commit(document(["a", "b", "c"]))
      let rows = try await store.inbox(after: 0, limit: 10).map(\.row)
      try await store.acknowledge([rows[0], rows[2]])
      try await store.acknowledge([rows[0], rows[2] + 100])
      try await store.acknowledge([])
      #expect(try await open().inbox(after: 0, limit: 10).map(\.article.id) == ["b"])
      #expect(try await store.inbox(after: 0, limit: 100).count == 1)
      #expect(try await store.commit(document(["a", "b", "c"])) == 0)
    },
    FeedStoreContract("A row's number is never given again: what comes later is after it") { open in
      let store = try await open()
      _ = try await store.commit(document(["a"]))
      let row = try #require(try await store.inbox(after: 0, limit: 1).first).row
      try await store.acknowledge([row])
      _ = try await open().commit(document(["a", "b"]))
      #expect(try await store.inbox(after: row, limit: 10).map(\.article.id) == ["b"])
    },
  ]
}

private let url = "https://news.example/rss?a=1&b=2"
private let noon = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!

/// A poll that read a document with these articles.
private func document(
  _ ids: [String], of feed: String = url, at time: Timestamp = noon, isBaseline: Bool = false
) -> Poll {
  Poll(
    state: FeedState(url: feed, nextCheck: time + .seconds(900), nextCheckReason: "every 15 minutes"),
    articles: ids.map { Article(id: $0, text: Article.Text(headline: "Headline of \($0)")) }, subscribed: nil,
    time: time,
    isBaseline: isBaseline)
}

extension Timestamp {
  static let distantFuture = Timestamp(millisecondsSince1970: .max)
}

extension Article {
  /// An article of which everything is known.
  static var complete: Article {
    var article = Article(
      id: "urn:newsroom:quake's \"id\"", version: 3,
      text: Text(headline: "Strong quake off Hokkaido", summary: "Line one\nline \0 two & <three>"), language: "en")
    article.status = .withheld
    article.translations = [
      "fr": Text(headline: "Fort séisme", summary: "Résumé"), "zh-Hans": Text(headline: "北海道近海强震 🌏"),
    ]
    article.categories = [.world, .science]
    article.terms = [CategoryTerm("quake"), CategoryTerm("x", scheme: "https://terms.example/", label: "X")]
    article.urgency = 1
    article.url = "https://news.example/quake?a=1&b=%20"
    article.image = "https://news.example/quake.jpg"
    article.source = "newsroom"
    article.authors = ["A. Person", "B. Person"]
    article.published = noon
    article.updated = noon + .milliseconds(1)
    article.embargoed = noon + .seconds(60)
    article.expires = noon + .seconds(3600)
    return article
  }
}
