import Ingest
import News
import Testing
import Time

extension FeedStoreContract {
  static let renaming = [
    FeedStoreContract("A feed whose publisher renames everything tells nothing again, but what is really new") { open in
      let store = try await open()
      let old = (0..<10).map { (number: Int) in
        item("old-\(number)", "Story number \(number) of the harbour", link: number)
      }
      #expect(try await store.commit(poll(old)) == 10)
      // A move to another system: other guids, other links, the same titles and dates.
      let moved = (0..<10).map { (number: Int) in
        item("new-\(number)", "Story number \(number) of the harbour", link: number, host: "new.example")
      }
      let fresh = item("new-10", "A lighthouse is for sale", link: 10, host: "new.example")
      #expect(try await open().commit(poll(moved + [fresh], after: 60)) == 1)
      #expect(try await store.inbox(after: 10, limit: 100).map(\.article.id) == ["new-10"])
      // Under its new name an item is known from then on, and under its old one still.
      #expect(try await store.commit(poll(moved + [fresh], after: 120)) == 0)
      #expect(try await store.commit(poll(old, after: 180)) == 0)
    },
    FeedStoreContract("Where only the titles have stayed, a feed that is renamed as a whole is still known") { open in
      let store = try await open()
      let old = (0..<6).map { (number: Int) in
        item("old-\(number)", "Story number \(number) of the harbour", link: number)
      }
      _ = try await store.commit(poll(old))
      let moved = (0..<6).map { (number: Int) in
        item("new-\(number)", "Story number \(number) of the harbour", link: number, host: "new.example", days: 3)
      }
      #expect(try await store.commit(poll(moved, after: 60)) == 0)
    },
    FeedStoreContract("A feed that replaces all its items with the next day's of the same titles tells those") { open in
      let store = try await open()
      let names = [
        "Morning briefing", "Live: markets today", "Evening bulletin", "News in one minute", "Traffic", "天气预报",
      ]
      for day in 0..<3 {
        let items = names.enumerated().map { number, name in item("\(day)-\(number)", name, link: day * 10, days: day) }
        #expect(try await store.commit(poll(items, after: day * 86_400)) == names.count)
      }
      // Also where each has its own page, the same every day.
      for day in 3..<6 {
        let items = names.enumerated().map { number, name in
          item("\(day)-\(number)", "\(name) \(day)", link: 100 + number, days: day)
        }
        #expect(try await store.commit(poll(items, after: day * 86_400)) == names.count)
      }
    },
    FeedStoreContract("Without dates a title tells only where it says what happened") { open in
      for (titles, isKnown) in [
        (["Morning briefing", "Traffic", "Evening bulletin"], false),
        (["A lighthouse in the north is for sale", "The ferry to the islands is late", "北海道附近海域发生强烈地震"], true),
      ] {
        let store = try await open()
        let url = "https://news.example/\(isKnown)"
        for (name, time) in [("old", 0), ("new", 60)] {
          let items = titles.enumerated().map { number, title in
            var item = item("\(name)-\(isKnown)-\(number)", title)
            item.published = nil
            return item
          }
          let count = try await store.commit(poll(items, of: url, after: time))
          #expect(count == (name == "new" && isKnown ? 0 : 3))
        }
      }
    },
    FeedStoreContract("Where only the links have stayed, items that are no newer than the feed was are still known") {
      open in
      let store = try await open()
      let old = (0..<6).map { (number: Int) in item("old-\(number)", "Headline \(number)", link: number, days: number) }
      _ = try await store.commit(poll(old))
      let renamed = (0..<6).map { (number: Int) in item("new-\(number)", "Title \(number)", link: number, days: number)
      }
      #expect(try await store.commit(poll(renamed, after: 60)) == 0)
    },
    FeedStoreContract("A guid that is an address is the same under https and without its tracking") { open in
      let store = try await open()
      var first = poll([item("a", "A lighthouse is for sale")])
      first.guidKeys = ["a": 7]
      _ = try await store.commit(first)
      var second = poll([item("b", "A lighthouse is sold", days: 1)], after: 60)
      second.guidKeys = ["b": 7]
      #expect(try await store.commit(second) == 0)
      // Known, and changed: the next version of the first article.
      let update = try #require(try await store.inbox(after: 1, limit: 10).first).article
      #expect(update.id == "a")
      #expect(update.version == 2)
      #expect(update.text.headline == "A lighthouse is sold")
    },
    FeedStoreContract("An item that changes its words is a later version of its article, each change once") { open in
      let store = try await open()
      _ = try await store.commit(poll([item("a", "Ferry late")]))
      #expect(try await store.commit(poll([item("a", "Ferry late again")], after: 60)) == 0)
      #expect(try await store.commit(poll([item("a", "Ferry late again")], after: 120)) == 0)
      #expect(try await open().commit(poll([item("a", "Ferry cancelled")], after: 180)) == 0)
      let rows = try await store.inbox(after: 0, limit: 10)
      #expect(rows.map(\.article.id) == ["a", "a", "a"])
      #expect(rows.map(\.article.version) == [1, 2, 3])
    },
    FeedStoreContract("Of many changes at once as many enter the inbox as of what is new") { open in
      let store = try await open()
      _ = try await store.commit(poll((0..<5).map { (number: Int) in item("\(number)", "Ferry \(number) is late") }))
      var changed = poll((0..<5).map { (number: Int) in item("\(number)", "Ferry \(number) is early") }, after: 60)
      changed.newItemsMax = 2
      _ = try await store.commit(changed)
      #expect(try await store.inbox(after: 5, limit: 10).map(\.article.id) == ["3", "4"])
    },
    FeedStoreContract("Items that share a title or a link are still several") { open in
      let store = try await open()
      let traffic = (0..<3).map { (number: Int) in item("\(number)", "Traffic update", link: 1, days: number) }
      #expect(try await store.commit(poll(traffic)) == 3)
      #expect(try await store.commit(poll([item("3", "Traffic update", link: 1, days: 3)] + traffic, after: 60)) == 1)
      // Also where the document holds the latest only.
      #expect(try await store.commit(poll([item("4", "Traffic update", link: 1, days: 4)], after: 120)) == 1)
    },
  ]
}

private let noon = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!

private func poll(_ articles: [Article], of url: String = "https://news.example/rss", after seconds: Int = 0) -> Poll {
  let time = noon + .seconds(seconds)
  return Poll(
    state: FeedState(url: url, nextCheck: time + .seconds(900), nextCheckReason: "every 15 min"),
    articles: articles, subscribed: nil, time: time, isBaseline: false)
}

private func item(
  _ id: String, _ headline: String, link: Int? = nil, host: String = "old.example", days: Int = 0
) -> Article {
  var article = Article(id: id, text: Article.Text(headline: headline))
  article.url = link.map { "https://\(host)/\(host == "old.example" ? "news" : "stories")/\($0)" }
  article.published = noon - .seconds(3600) + .seconds(days * 86_400)
  return article
}
