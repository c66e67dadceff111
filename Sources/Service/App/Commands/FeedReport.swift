internal import Curl
internal import Ingest
internal import JSON
internal import Time

/// What a person reads of a feed's document: its name, its articles, and how it was mended.
struct DocumentReport {
  let document: FeedDocument

  /// A paragraph about the feed, and a row an article, in document order.
  func text(now: Timestamp) -> String {
    var lines = ["\(document.title ?? "A feed without a title") (\(document.format.name))"]
    if let link = document.link { lines.append("its page: \(link)") }
    if !document.repairs.isEmpty { lines.append("mended: \(document.repairs.joined(separator: ", "))") }
    switch document.items.count {
    case 0: lines.append("no articles")
    case 1: lines.append("1 article")
    default: lines.append("\(document.items.count) articles")
    }
    var text = lines.joined(separator: "\n") + "\n"
    guard !document.items.isEmpty else { return text }
    text += "\n"
    text +=
      TextTable(columns: ["PUBLISHED", "TITLE", "CATEGORIES", "LINK"], rows: document.items.map { row($0, now) }).text
    return text
  }

  private func row(_ item: FeedItem, _ now: Timestamp) -> [String] {
    [
      item.published.map { $0 > now ? "in \(now.distance(to: $0).inWords)" : "\($0.distance(to: now).inWords) ago" }
        ?? "no date",
      Self.shortened(item.title ?? "no title", to: 60),
      Self.shortened(item.categories.map(\.term).joined(separator: ", "), to: 30),
      item.link ?? "none",
    ]
  }

  private static func shortened(_ text: String, to length: Int) -> String {
    text.count > length ? text.prefix(length - 1) + "…" : text
  }
}

/// What a person reads of a poll: what was asked and answered, what comes next, and the document.
struct PollReport {
  let look: FeedCheck.Look
  let poll: Poll

  func text(now: Timestamp) -> String {
    let fetch = look.fetch
    var lines = ["asked \(fetch.requested.text)"]
    for (hop, next) in zip(fetch.hops, fetch.hops.dropFirst()) {
      let manner = hop.status == 301 || hop.status == 308 ? "moved for good" : "elsewhere for now"
      lines.append("answered \(hop.status ?? 0), \(manner): \(next.url.text)")
    }
    if let status = fetch.status {
      lines.append(
        "answered \(status) \(Self.meaning(of: status)), \(fetch.bytesReceived) bytes in \(Self.seconds(fetch.fetchTime))"
      )
    }
    if let moved = fetch.movedTo {
      lines.append("the worker follows it to \(moved.text) from the second time on")
    }
    if let problem = look.problem { lines.append("wrong: \(problem)") }
    switch (poll.state.entityTag, poll.state.lastModified) {
    case (nil, nil):
      if look.document != nil { lines.append("it names no validators: the worker compares what it sends each time") }
    default: lines.append("next time the worker asks only for what has changed since (ETag, Last-Modified)")
    }
    if let offer = look.document.flatMap({ HubOffer(fetch, $0) }) {
      lines.append(
        "a hub tells of news at once (WebSub): \(offer.hub.text); the worker subscribes with server.publicUrl")
    }
    lines.append("next look in \(now.distance(to: poll.state.nextCheck).inWords): \(poll.state.nextCheckReason)")
    let text = lines.joined(separator: "\n") + "\n"
    return look.document.map { text + "\n" + DocumentReport(document: $0).text(now: now) } ?? text
  }

  private static func seconds(_ time: Duration) -> String {
    time < .seconds(1) ? "\(Int(time / .milliseconds(1))) ms" : time.inWords
  }

  /// What a status says to somebody who does not know them by heart (RFC 9110, section 15).
  private static func meaning(of status: Int) -> String {
    switch status {
    case 200: "(here it is)"
    case 304: "(nothing has changed)"
    case 401, 403: "(not allowed)"
    case 404: "(there is nothing)"
    case 410: "(gone for good)"
    case 429: "(asked too often)"
    case 500...599: "(the server has failed)"
    default: "(HTTP)"
    }
  }
}
