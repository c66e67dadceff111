/// The body of an item as its feed has it, read only when somebody asks: bodies are most of a feed's bytes.
public struct FeedContent: Sendable, Hashable {
  let bytes: [UInt8]
  let markup: PlainText.Markup
  let base: String?

  init(_ bytes: [UInt8], markup: PlainText.Markup, base: String?) {
    self.bytes = bytes
    self.markup = markup
    self.base = base
  }

  /// As the feed has it: HTML of a stranger's, never to be shown.
  public var raw: String { String(decoding: bytes, as: UTF8.self) }

  /// Its length as the feed has it, in bytes.
  public var byteCount: Int { bytes.count }

  /// HTML that is safe to show: only harmless elements and attributes, every link absolute. Reckoned anew at each call.
  public func sanitised() -> String { Sanitiser.html(from: self) }

  /// Its words, as a lock screen could show them. Reckoned anew at each call.
  public func plainText() -> String { PlainText.text(of: bytes[...], markup: markup) }
}
