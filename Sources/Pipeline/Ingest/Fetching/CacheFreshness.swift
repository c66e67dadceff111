internal import Curl
internal import Time

/// How long an answer stays good, in the words of RFC 9111.
enum CacheFreshness {
  /// `Cache-Control: max-age`, else `Expires`, less the time that the answer has spent in caches; nil where the server
  /// does not say, or says not to keep it.
  static func lifetime(_ headers: HTTPHeaders) -> PublisherHint? {
    let directives = (headers.list("Cache-Control") ?? "").lowercased().split(separator: ",").map {
      $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
    }
    if directives.contains("no-store") || directives.contains("no-cache") { return nil }
    let age = Duration.seconds(headers["Age"].flatMap { UInt32($0) } ?? 0)
    if let maxAge = directives.first(where: { $0.hasPrefix("max-age=") }) {
      guard let seconds = UInt32(maxAge.dropFirst("max-age=".count)) else { return nil }
      return hint("Cache-Control", .seconds(seconds) - age)
    }
    guard let expires = headers["Expires"].flatMap({ FeedDate.parse($0) }),
      let date = headers["Date"].flatMap({ FeedDate.parse($0) })
    else { return nil }
    return hint("Expires", date.distance(to: expires))
  }

  private static func hint(_ source: String, _ wait: Duration) -> PublisherHint? {
    wait > .zero ? PublisherHint(source: source, wait: wait) : nil
  }
}

/// `Retry-After` (RFC 9110, section 10.2.3).
enum RetryAfter {
  /// Seconds, or a date – counted from the server's own `Date`, so that a clock that is wrong on either side does not
  /// matter. A date that has passed is no wait.
  static func wait(_ value: String, answeredAt date: String?, now: Timestamp) -> Duration? {
    let text = value.trimmingBlanks
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // Ten digits are three centuries: whoever asks for more gets the ceiling as well.
      return .seconds(Int64(text.prefix(10)) ?? 0)
    }
    guard let until = FeedDate.parse(text) else { return nil }
    return max(.zero, (date.flatMap { FeedDate.parse($0) } ?? now).distance(to: until))
  }
}

extension String {
  fileprivate var trimmingBlanks: String {
    let blanks: Set<Character> = [" ", "\t"]
    return String(drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
  }
}
