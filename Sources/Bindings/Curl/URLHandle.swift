internal import CLibcurl

/// A parsed URL of libcurl's, freed with the value.
struct URLHandle: ~Copyable {
  private let handle: OpaquePointer

  /// Throws libcurl's words for what is wrong with `text`.
  init(parsing text: String) throws(MalformedURL) {
    guard let handle = curl_url() else { throw MalformedURL("libcurl is out of memory") }
    let code = curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME))
    guard code == CURLUE_OK else {
      curl_url_cleanup(handle)
      throw MalformedURL(String(cString: curl_url_strerror(code)).lowercased())
    }
    self.handle = handle
  }

  deinit { curl_url_cleanup(handle) }

  /// The host in ASCII; nil if there is none, or none that a name's rules allow.
  var host: String? {
    // libidn2's time grows with the square of a host's length.
    guard let written = part(CURLUPART_HOST), written.utf8.count <= Self.hostBytesMax else { return nil }
    return part(CURLUPART_HOST, flags: UInt32(CURLU_PUNYCODE))
  }

  /// A name has 253 characters at most (RFC 1035, section 2.3.4), each of which takes one at least in punycode and four
  /// bytes at most in UTF-8.
  private static let hostBytesMax = 4 * 253

  /// One part, nil if the URL has none.
  borrowing func part(_ part: CURLUPart, flags: UInt32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let code = curl_url_get(handle, part, &text, flags)
    // A host that punycode does not know is left behind beside the error (curl 7.88).
    defer { curl_free(text) }
    return code == CURLUE_OK ? text.map { String(cString: $0) } : nil
  }
}

/// A text that is no URL to send a request to.
public struct MalformedURL: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, to follow the place it was found in. Never holds the text itself, which may hold a password.
  public let description: String

  init(_ description: String) { self.description = description }
}
