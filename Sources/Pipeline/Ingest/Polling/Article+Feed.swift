internal import News

extension Article {
  /// An item of a feed as an article; nil if it says nothing that could be told. Its dates are passed on as they are:
  /// what they mean for a push is not decided here.
  init?(_ item: FeedItem, of document: FeedDocument, followed: Subscription) {
    let summary = item.summary.map { Self.shortened($0, to: Self.summaryCharactersMax) }
    // A microblog's items have no title: their text is the news.
    guard let headline = item.title ?? summary.map({ Self.shortened($0, to: Self.headlineCharactersMax) }),
      headline.contains(where: { !$0.isWhitespace })
    else { return nil }
    self.init(
      id: item.identity(feed: followed.url), text: Text(headline: headline, summary: summary),
      language: item.language ?? document.language ?? followed.language)
    terms = item.categories.map { CategoryTerm($0.term, scheme: $0.scheme, label: $0.label) }
    url = item.link.flatMap(Self.webLink)
    image = item.image.flatMap(Self.webLink)
    source = followed.name
    authors = item.authors.compactMap(\.display)
    published = item.published
    updated = item.updated
    expires = item.expires
    embargoed = item.embargoed
  }

  /// A lock screen shows a few lines; RSS summaries are often whole articles.
  private static let summaryCharactersMax = 1000
  private static let headlineCharactersMax = 120

  private static func webLink(_ link: String) -> String? {
    link.hasPrefix("https://") || link.hasPrefix("http://") ? link : nil
  }

  /// At most so many characters, cut between words where there is one to cut at.
  private static func shortened(_ text: String, to charactersMax: Int) -> String {
    guard let limit = text.index(text.startIndex, offsetBy: charactersMax, limitedBy: text.endIndex),
      limit != text.endIndex
    else { return text }
    let head = text[..<text.index(before: limit)]
    // Chinese has no blanks; nobody's last word is a third of the text.
    let blank = head.lastIndex(where: \.isWhitespace)
    let end = blank.flatMap { head.distance(from: $0, to: head.endIndex) < charactersMax / 3 ? $0 : nil }
    return head[..<(end ?? head.endIndex)] + "…"
  }
}

extension FeedDocument {
  /// The articles of a document in the order to be told, the oldest first; of several items with one identity the first
  /// counts, and items beyond `itemsMax` do not.
  func articles(for followed: Subscription, itemsMax: Int) -> [Article] {
    var seen: Set<String> = []
    let articles = items.prefix(itemsMax).compactMap { item -> Article? in
      guard let article = Article(item, of: self, followed: followed) else { return nil }
      return seen.insert(article.id).inserted ? article : nil
    }
    // Feeds begin with the newest, but for some.
    let dates = articles.compactMap(\.published)
    let isOldestFirst = dates.count > 1 && dates[0] < dates[dates.count - 1]
    return isOldestFirst ? articles : articles.reversed()
  }
}
