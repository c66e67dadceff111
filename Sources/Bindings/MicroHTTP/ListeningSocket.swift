// Both declare `sockaddr`; which one owns it depends on what the compiler loads first.
internal import CMicroHTTPD
import Glibc

/// A bound, listening TCP socket. Opened here rather than by libmicrohttpd, which would hide errno and the port.
struct ListeningSocket: ~Copyable {
  let descriptor: Int32
  let port: UInt16

  /// Binds a numeric address; port 0 lets the system choose. `::` also takes IPv4 clients.
  init(address: String, port: UInt16) throws(HTTPServerError) {
    var storage = sockaddr_storage()
    guard let length = Self.fill(&storage, address: address, port: port) else { throw .address(address) }
    let family = Int32(storage.ss_family)
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | O_NONBLOCK | O_CLOEXEC, 0)
    guard descriptor >= 0 else { throw .socket(call: "socket", errno: errno) }
    var failed: (call: String, errno: Int32)?
    func check(_ call: String, _ result: Int32) {
      if result != 0 && failed == nil { failed = (call, errno) }
    }
    var on: Int32 = 1
    var onlyV6: Int32 = address == "::" ? 0 : 1
    // A restarted worker shall not wait for the old one's connections in TIME_WAIT.
    check("setsockopt", setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size)))
    if family == AF_INET6 {
      check(
        "setsockopt",
        setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &onlyV6, socklen_t(MemoryLayout<Int32>.size)))
    }
    withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { check("bind", bind(descriptor, $0, length)) }
    }
    check("listen", listen(descriptor, 4096))
    var bound = socklen_t(MemoryLayout<sockaddr_storage>.size)
    withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        check("getsockname", getsockname(descriptor, $0, &bound))
      }
    }
    if let failed {
      close(descriptor)
      throw .socket(call: "\(failed.call) \(PeerAddress(host: address, port: port))", errno: failed.errno)
    }
    self.descriptor = descriptor
    self.port =
      withUnsafePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { PeerAddress($0)?.port }
      } ?? port
  }

  private static func fill(_ storage: inout sockaddr_storage, address: String, port: UInt16) -> socklen_t? {
    withUnsafeMutableBytes(of: &storage) { bytes in
      let v4 = bytes.baseAddress!.assumingMemoryBound(to: sockaddr_in.self)
      if inet_pton(AF_INET, address, &v4.pointee.sin_addr) == 1 {
        v4.pointee.sin_family = sa_family_t(AF_INET)
        v4.pointee.sin_port = port.bigEndian
        return socklen_t(MemoryLayout<sockaddr_in>.size)
      }
      let v6 = bytes.baseAddress!.assumingMemoryBound(to: sockaddr_in6.self)
      v6.pointee = sockaddr_in6()
      guard inet_pton(AF_INET6, address, &v6.pointee.sin6_addr) == 1 else { return nil }
      v6.pointee.sin6_family = sa_family_t(AF_INET6)
      v6.pointee.sin6_port = port.bigEndian
      return socklen_t(MemoryLayout<sockaddr_in6>.size)
    }
  }

  /// errno in words. `strerror` shares one buffer among threads, so each caller brings its own.
  static func message(_ errno: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      buffer.initialize(repeating: 0)
      _ = strerror_r(errno, buffer.baseAddress!, buffer.count)
      return String(cString: buffer.baseAddress!)
    }
  }

  /// Lets the process hold this many sockets beside its files, as far as the hard limit goes, so that the connection
  /// limit says no and not the descriptor table: a full table also stops SQLite and curl.
  static func makeRoom(forConnections connections: Int) {
    let besides = 512
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let wanted = min(limit.rlim_max, rlim_t(connections + besides))
    guard limit.rlim_cur < wanted else { return }
    limit.rlim_cur = wanted
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

extension PeerAddress {
  /// The address in `socket`, if it is one of the Internet's.
  init?(_ socket: UnsafePointer<sockaddr>) {
    switch Int32(socket.pointee.sa_family) {
    case AF_INET:
      self = socket.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
        var address = pointer.pointee.sin_addr
        return PeerAddress(
          host: Self.text(AF_INET, &address), port: UInt16(bigEndian: pointer.pointee.sin_port))
      }
    case AF_INET6:
      self = socket.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
        var address = pointer.pointee.sin6_addr
        let text = Self.text(AF_INET6, &address)
        return PeerAddress(
          host: text.hasPrefix("::ffff:") && text.contains(".") ? String(text.dropFirst(7)) : text,
          port: UInt16(bigEndian: pointer.pointee.sin6_port))
      }
    default:
      return nil
    }
  }

  private static func text(_ family: Int32, _ address: UnsafeRawPointer) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
      buffer.initialize(repeating: 0)
      guard inet_ntop(family, address, buffer.baseAddress!, socklen_t(buffer.count)) != nil else { return "unknown" }
      return String(cString: buffer.baseAddress!)
    }
  }
}
