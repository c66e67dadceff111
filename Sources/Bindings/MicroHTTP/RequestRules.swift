/// HTTP's own rules that libmicrohttpd is lenient about (RFC 9112). Leniency here is how one request is smuggled inside
/// another past a proxy that reads it differently.
enum RequestRules {
  /// What is wrong with the head of `exchange`, or nil.
  static func objection(to exchange: Exchange, isHTTP11: Bool, limits: Limits) -> Refusal? {
    let target = exchange.rawTarget
    let headers = exchange.headers
    if exchange.targetHoldsNUL || target.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
      return .malformed("the target holds a blank or a control character")
    }
    if target.isEmpty { return .malformed("there is no target") }
    if !exchange.method.utf8.allSatisfy(isTokenByte) { return .malformed("the method is no token") }
    if target.utf8.count > limits.headerBytesMax { return .targetTooLong(limit: limits.headerBytesMax) }
    let size = headers.reduce(target.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    if size > limits.headerBytesMax { return .headersTooLarge(limit: limits.headerBytesMax) }
    if let odd = headers.first(where: { $0.name.isEmpty || !$0.name.utf8.allSatisfy(isTokenByte) }) {
      return .malformed("\(odd.name.debugDescription) is no field name")
    }
    let hosts = headers.values("Host")
    if hosts.count > 1 || (isHTTP11 && hosts.isEmpty) { return .malformed("HTTP/1.1 wants one Host field") }
    let codings = headers.values("Transfer-Encoding")
    let lengths = Set(headers.values("Content-Length"))
    if !codings.isEmpty {
      if codings.count > 1 || codings[0].lowercased() != "chunked" { return .unknownTransferCoding }
      if !lengths.isEmpty { return .malformed("Content-Length contradicts Transfer-Encoding") }
    }
    if lengths.count > 1 { return .malformed("the Content-Length fields contradict each other") }
    if let length = lengths.first, !length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return .malformed("Content-Length is no number")
    }
    return nil
  }

  /// RFC 9110, 5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
