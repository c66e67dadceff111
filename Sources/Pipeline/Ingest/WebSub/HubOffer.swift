public import Curl

/// A hub that announces a feed's changes, and the name it knows the feed by (WebSub, section 4).
public struct HubOffer: Sendable, Hashable {
  /// Where subscriptions are asked for.
  public var hub: WebURL
  /// The feed's own address, byte for byte as the publisher writes it.
  public var topic: String

  /// A hub and a topic.
  public init(hub: WebURL, topic: String) {
    self.hub = hub
    self.topic = topic
  }

  /// What an answer offers: by its `Link` header, else in the document. Of several hubs the first counts.
  public init?(_ fetch: Fetch, _ document: FeedDocument?) {
    let base = fetch.finalURL
    let links = WebLink.all(in: fetch.linkFields ?? "")
    func targets(_ relation: String) -> [String] {
      links.filter { $0.relations.contains(relation) }
        .compactMap { URLReference.resolve($0.target, against: base.text) }
    }
    let hubs = targets("hub")
    let offered = hubs.isEmpty ? document?.hubLinks ?? [] : hubs
    guard let hub = offered.lazy.compactMap({ try? WebURL($0) }).first else { return nil }
    self.init(hub: hub, topic: targets("self").first ?? document?.selfLink ?? base.text)
  }
}

/// One link of a `Link` header (RFC 8288).
struct WebLink: Equatable {
  var target: String
  /// The values of `rel`, in lower case.
  var relations: [String]

  /// The links that can be read; a header of a stranger's making may hold anything.
  static func all(in fields: String) -> [WebLink] {
    var links: [WebLink] = []
    var rest = fields[...]
    while let open = rest.firstIndex(of: "<"), links.count < linksMax {
      rest = rest[rest.index(after: open)...]
      guard let close = rest.firstIndex(of: ">") else { break }
      let target = String(rest[..<close])
      rest = rest[rest.index(after: close)...]
      let parameters = parameters(&rest)
      links.append(
        WebLink(target: target, relations: parameters["rel"]?.lowercased().split(separator: " ").map(String.init) ?? [])
      )
    }
    return links
  }

  /// What stands between `>` and the comma that ends a link; of two of one name the first counts.
  private static func parameters(_ rest: inout Substring) -> [String: String] {
    var parameters: [String: String] = [:]
    var isQuoted = false
    let end = rest.firstIndex { character in
      if character == "\"" { isQuoted.toggle() }
      return character == "," && !isQuoted
    }
    for parameter in rest[..<(end ?? rest.endIndex)].split(separator: ";") {
      let parts = parameter.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let name = parts[0].filter { !$0.isWhitespace }.lowercased()
      let value = parts[1].filter { $0 != "\"" }
      if parameters[name] == nil { parameters[name] = value }
    }
    rest = end.map { rest[rest.index(after: $0)...] } ?? ""
    return parameters
  }

  /// More links say nothing of hubs.
  private static let linksMax = 100
}
