import JSON
import Time

/// JSON Feed 1.0 and 1.1 (www.jsonfeed.org).
enum JSONFeedFormat {
  /// Reads a JSON Feed in UTF-8.
  static func parse(
    _ bytes: [UInt8], baseURL: String?, limits: FeedDocument.Limits
  ) throws(FeedDocumentError) -> FeedDocument {
    guard bytes.count <= limits.jsonBytesMax else {
      throw .tooLarge("the JSON document, in bytes,", limit: limits.jsonBytesMax)
    }
    let root: JSONValue
    do throws(JSONError) {
      root = try JSONValue(parsing: bytes)
    } catch {
      throw .unreadable(line: error.line, column: error.column, error.message)
    }
    guard let feed = root.object, let format = format(of: feed) else { throw .notAFeed(.json) }
    return document(feed, format: format, baseURL: baseURL, limits: limits)
  }

  private static func format(of feed: JSONObject) -> FeedFormat? {
    guard let version = feed["version"]?.string, feed["items"]?.array != nil else { return nil }
    // The version is a URL; some write its last part only.
    let isNamed = version.mentions("jsonfeed.org/version/")
    switch version.split(separator: "/").last {
    case "1", "1.0": return .jsonFeed10
    case "1.1": return .jsonFeed11
    default: return isNamed ? .jsonFeed11 : nil
    }
  }

  private static func document(
    _ feed: JSONObject, format: FeedFormat, baseURL: String?, limits: FeedDocument.Limits
  ) -> FeedDocument {
    var document = FeedDocument(format: format)
    let links = LinkResolver(
      documentBase: baseURL, selfLink: feed.text("feed_url"), siteLink: feed.text("home_page_url"))
    document.title = feed.plain("title")
    document.link = links.absolute(feed.text("home_page_url"))
    document.description = feed.plain("description")
    document.language = feed.text("language")
    document.image = links.absolute(feed.text("icon") ?? feed.text("favicon"))
    document.selfLink = links.absolute(feed.text("feed_url"))
    for hub in feed.objects("hubs") where hub.text("type")?.lowercased() == "websub" {
      if let url = links.absolute(hub.text("url")) { document.hubLinks.append(url) }
    }
    let authors = feed.people
    let items = feed.objects("items")
    document.items = items.prefix(limits.itemsMax).map { item($0, in: document, authors, links) }
    if items.count > limits.itemsMax {
      document.repairs.append("items beyond the first \(limits.itemsMax) are left out")
    }
    return document
  }

  private static func item(
    _ object: JSONObject, in feed: FeedDocument, _ authors: [FeedItem.Person], _ links: LinkResolver
  ) -> FeedItem {
    var item = FeedItem()
    // Version 1.1: a number is to be taken as its text.
    item.guid = object.text("id")
    item.title = object.plain("title")
    item.link = links.absolute(object.text("url") ?? object.text("external_url"))
    if item.link == nil, let guid = item.guid { item.link = links.webAddress(guid, base: nil) }
    item.published = object.text("date_published").flatMap { FeedDate.parse($0) }
    item.updated = object.text("date_modified").flatMap { FeedDate.parse($0) }
    item.authors = object.people.isEmpty ? authors : object.people
    item.categories = (object["tags"]?.array ?? []).compactMap(\.string).map { FeedItem.CategoryTerm(term: $0) }
    item.language = object.text("language") ?? feed.language
    item.image = links.absolute(object.text("image") ?? object.text("banner_image"))
    item.enclosures = object.objects("attachments").compactMap { attachment in
      links.absolute(attachment.text("url")).map {
        FeedItem.Enclosure(
          url: $0, type: attachment.text("mime_type"), length: attachment["size_in_bytes"]?.int)
      }
    }
    let base = links.base(nil, itemLink: item.link)
    item.summaryContent = object.text("summary").map { FeedContent(Array($0.utf8), markup: .text, base: base) }
    if let html = object.text("content_html") {
      item.content = FeedContent(Array(html.utf8), markup: .html, base: base)
    } else if let text = object.text("content_text") {
      item.content = FeedContent(Array(text.utf8), markup: .text, base: base)
    }
    return item
  }
}

extension JSONObject {
  /// A text, or a number as text; nil also where it is blank.
  fileprivate func text(_ key: String) -> String? {
    let text: String
    switch self[key] {
    case .string(let string): text = string
    case .number(let number): text = number.spelling
    default: return nil
    }
    return text.allSatisfy(\.isWhitespace) ? nil : text
  }

  /// A text made plain.
  fileprivate func plain(_ key: String) -> String? {
    text(key).map { PlainText.text(of: Array($0.utf8)[...], markup: .text) }
  }

  fileprivate func objects(_ key: String) -> [JSONObject] { (self[key]?.array ?? []).compactMap(\.object) }

  /// Version 1.1 has `authors`, 1.0 `author`.
  fileprivate var people: [FeedItem.Person] {
    (objects("authors") + [self["author"]?.object].compactMap(\.self)).prefix(1 + objects("authors").count)
      .compactMap { author in
        let person = FeedItem.Person(name: author.plain("name"), uri: author.text("url"))
        return person.display == nil ? nil : person
      }
  }
}

extension LinkResolver {
  fileprivate func absolute(_ reference: String?) -> String? {
    reference.flatMap { absolute(LinkDraft(reference: $0, base: nil)) }
  }
}
