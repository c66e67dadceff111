internal import COpenSSL

/// What OpenSSL said when it failed: its whole error queue, which is empty afterwards, so that no later call finds it.
public struct OpenSSLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried.
  public let operation: String
  /// OpenSSL's reasons, the oldest first; may be empty.
  public let reasons: [String]

  /// `operation failed: reason; reason`.
  public var description: String {
    "\(operation) failed" + (reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; "))
  }

  /// Empties this thread's error queue into an error.
  static func drained(by operation: String) -> OpenSSLError {
    var reasons: [String] = []
    while case let code = ERR_get_error(), code != 0 {
      // OpenSSL cuts its text to the room it is given; 256 bytes hold every one that it has.
      var text = [CChar](repeating: 0, count: 256)
      ERR_error_string_n(code, &text, text.count)
      reasons.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
    return OpenSSLError(operation: operation, reasons: reasons)
  }
}
