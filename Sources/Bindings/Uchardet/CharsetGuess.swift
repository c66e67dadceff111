// Uchardet: holds uchardet: guesses the charset of bytes.
internal import CUchardet

/// A guess at the charset of bytes that nobody has labelled.
public enum CharsetGuess {
  /// The charset's name as iconv knows it, such as `WINDOWS-1251`; nil without a guess.
  public static func charset(of bytes: [UInt8]) -> String? {
    guard let detector = uchardet_new() else { return nil }
    defer { uchardet_delete(detector) }
    let result = bytes.withUnsafeBytes {
      uchardet_handle_data(detector, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
    }
    guard result == 0 else { return nil }
    uchardet_data_end(detector)
    let name = String(cString: uchardet_get_charset(detector))
    return name.isEmpty ? nil : name
  }
}
