/// Why a text is no JSON: where, what stands there, and what would be right.
public struct JSONError: Error, Hashable, Sendable {
  /// The line of the fault, from 1.
  public let line: Int
  /// The character of the fault in its line, from 1, counted in Unicode scalars.
  public let column: Int
  /// The byte of the fault, from 0.
  public let offset: Int
  /// What is wrong, and what would be right.
  public let message: String

  /// A fault at the byte `offset` of `source`.
  init(_ message: String, at offset: Int, of source: [UInt8]) {
    let before = source[..<min(offset, source.count)]
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    line = before.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
    // Continuation bytes (10xxxxxx) belong to the scalar before them.
    column = before[lineStart...].reduce(1) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
    self.offset = offset
    self.message = message
  }
}

extension JSONError: CustomStringConvertible {
  /// `line:column: message`.
  public var description: String { "\(line):\(column): \(message)" }
}
