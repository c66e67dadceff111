/// A text that must not be seen: it prints as `[redacted]` wherever it is printed, and is read only by `reveal()`.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let text: String

  /// Wraps a text that must not be seen.
  public init(_ text: String) {
    self.text = text
  }

  /// The text itself, for the one place that must send or compare it.
  public func reveal() -> String { text }

  /// Whether there is anything to hide.
  public var isEmpty: Bool { text.isEmpty }

  /// Never the text.
  public var description: String { "[redacted]" }

  /// Never the text.
  public var debugDescription: String { "[redacted]" }

  /// Never the text: `dump` and string interpolation of an enclosing value go through here.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
