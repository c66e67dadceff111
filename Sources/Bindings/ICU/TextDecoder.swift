// ICU: holds ICU: bytes of any charset in, UTF-8 out. Never knows a feed.
internal import CICU

/// Reads text in any of ICU's charsets.
public enum TextDecoder {
  /// The text in UTF-8, and how many bytes or sequences of bytes are none of the charset's: each became U+FFFD.
  /// Nil if ICU knows no charset of that name.
  public static func decode(_ bytes: [UInt8], charset name: String) -> (utf8: [UInt8], faults: Int)? {
    var error = U_ZERO_ERROR
    guard let from = tidings_ucnv_open(name, &error), error.rawValue <= 0 else { return nil }
    defer { tidings_ucnv_close(from) }
    guard let utf8 = tidings_ucnv_open("UTF-8", &error) else { return nil }
    defer { tidings_ucnv_close(utf8) }
    var faults: Int32 = 0
    // No charset needs more: one byte becomes at most three, two bytes at most six (a pair of code points).
    let output = [UInt8](unsafeUninitializedCapacity: bytes.count * 3 + 16) { buffer, count in
      bytes.withUnsafeBytes { source in
        let start = UnsafeMutableRawPointer(buffer.baseAddress!).assumingMemoryBound(to: CChar.self)
        var target: UnsafeMutablePointer<CChar>? = start
        var next = source.baseAddress?.assumingMemoryBound(to: CChar.self)
        let end = next.map { $0 + source.count }
        tidings_ucnv_convert(utf8, from, &target, start + buffer.count, &next, end, &faults, &error)
        count = target! - start
      }
    }
    return (output, Int(faults) + (error.rawValue > 0 ? 1 : 0))
  }
}
