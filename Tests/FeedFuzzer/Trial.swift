import Ingest

/// One document read to the last word, as the program would.
public enum Trial {
  /// Items whose bodies are read: a poll tells fewer.
  private static let itemsMax = 50

  /// Reads the document and everything that is reckoned lazily. What is no feed is as good an answer as a feed.
  ///
  /// - Returns: how many items there are.
  @discardableResult
  public static func read(_ bytes: [UInt8], contentType: String?) -> Int {
    guard
      let document = try? FeedDocument.parse(bytes, contentType: contentType, baseURL: "https://example.org/feed")
    else { return 0 }
    for item in document.items.prefix(itemsMax) {
      _ = item.identity(feed: "https://example.org/feed")
      _ = item.summary
      _ = item.content?.sanitised()
      _ = item.content?.plainText()
    }
    return document.items.count
  }

  /// CPU time that a document of at most `Mutations.documentBytesMax` may take.
  public static let timeMax = Duration.seconds(1)
}
