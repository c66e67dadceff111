internal import Classify
internal import Curl
internal import Files
internal import Ingest
internal import News
internal import Publish
internal import YAML

/// The feeds file that a configuration names: an OPML document, and what its entries come to.
struct FeedsFile: Sendable {
  /// The feeds as the document has them, no address twice.
  let list: FeedList
  /// The same as the poller follows them, in the same order.
  let followed: [FollowedFeed]

  /// No feeds.
  static let empty = FeedsFile(list: FeedList([]), followed: [])

  private init(list: FeedList, followed: [FollowedFeed]) {
    self.list = list
    self.followed = followed
  }

  /// Reads the file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - table: Says what folders mean that are not named like a category.
  ///   - locales: Categories' names in other languages.
  ///   - listed: The addresses of feeds that the configuration names itself.
  /// - Throws: Everything that is wrong with it.
  init(_ path: String, table: CategoryTable, locales: [Locale] = [], listed: Set<String>) throws(Problems) {
    var list = try Self.list(in: path)
    var entries: [FeedList.Entry] = []
    var problems: [Problem] = []
    var followed: [FollowedFeed] = []
    var known = listed
    for entry in list.entries {
      let mark = entry.line.map { YAMLNode.Mark(line: $0, column: 1) }
      do {
        let feed = try FollowedFeed(entry, table: table, locales: locales)
        if known.insert(feed.url.text).inserted {
          entries.append(entry)
          followed.append(feed)
        } else if listed.contains(feed.url.text) {
          problems.append(
            Problem(
              file: path, at: mark, "the feed \"\(feed.url.text)\" stands in feeds.list already",
              remedy: "remove it from one of them"))
        }
      } catch {
        problems.append(Problem(file: path, at: mark, entry.unusable, remedy: "\(error)"))
      }
    }
    guard problems.isEmpty else { throw Problems(problems) }
    list.entries = entries
    self.list = list
    self.followed = followed
  }

  /// The document alone.
  static func list(in path: String) throws(Problems) -> FeedList {
    do {
      return try FeedList(opml: FileSystem.read(path, bytesMax: FeedList.documentBytesMax))
    } catch let error as FeedListError {
      if case .unreadable(let line, let column, let message) = error {
        throw Problems([Problem(file: path, at: .init(line: line, column: column), message)])
      }
      throw Problems([Problem(file: path, "\(error)")])
    } catch {
      throw Problems([Problem("\(error)", remedy: "feeds.file names an OPML file; `tidings feeds import` makes one")])
    }
  }
}

extension FollowedFeed {
  /// An entry of a feeds file as the poller follows it.
  init(_ entry: FeedList.Entry, table: CategoryTable, locales: [Locale]) throws(MalformedURL) {
    let url = try WebURL(entry.url)
    self.init(
      Subscription(
        url: url.text, name: entry.title ?? url.host, category: table.category(of: entry.folders, locales),
        // Some readers write "unknown".
        language: entry.language.flatMap { isLanguageTag($0) ? $0 : nil }),
      url: url)
  }
}

extension FeedList.Entry {
  /// What is wrong with an entry whose address makes no sense. The address itself may hold a password.
  var unusable: String { "the address of \(title.map { "the feed \"\($0)\"" } ?? "a feed") cannot be used" }
}

extension CategoryTable {
  /// What a feed is about by the folders that it is filed in: the first that is named like a category, in English or in
  /// a locale's language, or that the table lists under a single one.
  fileprivate func category(of folders: [[String]], _ locales: [Locale]) -> News.Category? {
    func category(named name: String) -> News.Category? {
      let folded = name.lowercased()
      return News.Category(named: name)
        ?? locales.lazy.compactMap { locale in
          News.Category.allCases.first { locale.name(of: $0).lowercased() == folded }
        }.first
    }
    for folder in folders {
      if let named = folder.reversed().lazy.compactMap({ category(named: $0) }).first { return named }
      let rows = rows(for: CategoryTerm(folder.joined(separator: "/")))
      if rows.count == 1 { return rows[0].category }
    }
    return nil
  }
}
