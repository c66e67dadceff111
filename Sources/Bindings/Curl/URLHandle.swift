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

  /// One part, nil if the URL has none.
  borrowing func part(_ part: CURLUPart, flags: UInt32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}

/// A text that is no URL to send a request to.
public struct MalformedURL: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, to follow the place it was found in. Never holds the text itself, which may hold a password.
  public let description: String

  init(_ description: String) { self.description = description }
}
