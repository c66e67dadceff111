/// Reads the header lines that libcurl hands over one by one, whatever the HTTP version.
struct HeadParser {
  private(set) var status = 0
  private(set) var version = ""
  private(set) var headers = HTTPHeaders()
  /// The blank line behind a final answer's headers was seen; lines that follow are trailers.
  private(set) var isComplete = false
  private var bytes = 0
  private let bytesMax: Int

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// What the server promises; nil if it does not or if it is no number.
  var contentLength: Int? { headers["Content-Length"].flatMap { Int($0) } }

  /// Takes one line and tells whether it completed the head.
  mutating func take(_ raw: UnsafeRawBufferPointer) throws(HTTPClientError) -> Bool {
    bytes += raw.count
    guard bytes <= bytesMax else { throw .tooLarge(.headers, bytesMax: bytesMax) }
    if isComplete { return false }
    var line = Array(raw)[...]
    while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
    if line.starts(with: "HTTP/".utf8) {
      try takeStatus(String(decoding: line, as: UTF8.self))
    } else if line.isEmpty {
      // 1xx announce an answer, and 101 is never asked for.
      isComplete = status >= 200
      return isComplete
    } else if line.first == 0x20 || line.first == 0x09 {
      headers.fold(Self.trim(line))
    } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
      let name = String(decoding: Self.trim(line[..<colon]), as: UTF8.self)
      headers.append(HTTPHeaders.Field(name: name, value: Array(Self.trim(line[(colon + 1)...]))))
    }
    return false
  }

  private mutating func takeStatus(_ line: String) throws(HTTPClientError) {
    let parts = line.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, let code = Int(parts[1]), (100...599).contains(code) else {
      throw .malformedAnswer("a status line without a status")
    }
    status = code
    version = String(parts[0].dropFirst("HTTP/".count))
    headers = HTTPHeaders()
  }

  private static func trim(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes
    while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    return bytes
  }
}
