public import JSON
import Time

extension FeedDocument {
  /// An item as `tidings parse` prints it: what is unknown is absent.
  ///
  /// - Parameter address: the feed's address, which the item's `id` is derived from.
  public func json(of item: FeedItem, feed address: String) -> JSONValue {
    var object = JSONObject()
    object["id"] = .string(item.identity(feed: address))
    object["guid"] = item.guid.map(JSONValue.string)
    object["title"] = item.title.map(JSONValue.string)
    object["summary"] = item.summary.map(JSONValue.string)
    object["content"] = item.content.map { .string($0.sanitised()) }
    object["link"] = item.link.map(JSONValue.string)
    object["published"] = item.published.map { .string($0.rfc3339) }
    object["updated"] = item.updated.map { .string($0.rfc3339) }
    object["embargoed"] = item.embargoed.map { .string($0.rfc3339) }
    object["expires"] = item.expires.map { .string($0.rfc3339) }
    object["authors"] = .array(item.authors.compactMap(\.display).map(JSONValue.string))
    object["categories"] = .array(item.categories.map { .string($0.term) })
    object["language"] = item.language.map(JSONValue.string)
    object["image"] = item.image.map(JSONValue.string)
    object["enclosures"] = .array(item.enclosures.map(json))
    object["feed"] = .object(jsonOfFeed)
    object["repairs"] = .array(repairs.map(JSONValue.string))
    return .object(object)
  }

  private var jsonOfFeed: JSONObject {
    var object = JSONObject()
    object["title"] = title.map(JSONValue.string)
    object["link"] = link.map(JSONValue.string)
    object["format"] = .string(format.name)
    object["language"] = language.map(JSONValue.string)
    return object
  }

  private func json(_ enclosure: FeedItem.Enclosure) -> JSONValue {
    var object = JSONObject()
    object["url"] = .string(enclosure.url)
    object["type"] = enclosure.type.map(JSONValue.string)
    object["length"] = enclosure.length.map { .number(JSONNumber($0)) }
    return .object(object)
  }
}
