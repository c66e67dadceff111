internal import Glibc

/// An IPv4 or IPv6 address, without zone or port.
public enum IPAddress: Hashable, Sendable {
  /// The 32 bits in host order: `127.0.0.1` is `0x7F000001`.
  case v4(UInt32)
  /// The 128 bits in host order: `::1` is `1`.
  case v6(UInt128)

  /// Parses the standard spellings, dotted decimal or RFC 4291 (brackets around the latter are accepted), and no others.
  public init?(_ text: String) {
    var literal = text
    if literal.hasPrefix("["), literal.hasSuffix("]") { literal = String(literal.dropFirst().dropLast()) }
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, literal, &v4) == 1 {
      self = .v4(UInt32(bigEndian: v4.s_addr))
    } else if inet_pton(AF_INET6, literal, &v6) == 1 {
      self = .v6(Self.bits(v6))
    } else {
      return nil
    }
  }

  /// The address that a socket is about to be connected to; nil if it is of another family.
  init?(_ address: UnsafeRawPointer) {
    switch Int32(address.loadUnaligned(as: sockaddr.self).sa_family) {
    case AF_INET: self = .v4(UInt32(bigEndian: address.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
    case AF_INET6: self = .v6(Self.bits(address.loadUnaligned(as: sockaddr_in6.self).sin6_addr))
    default: return nil
    }
  }

  private static func bits(_ address: in6_addr) -> UInt128 {
    withUnsafeBytes(of: address) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
  }

  /// The IPv4 address that an IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) is another spelling of; else itself.
  var unmapped: IPAddress {
    if case .v6(let bits) = self, bits >> 32 == 0xFFFF { return .v4(UInt32(truncatingIfNeeded: bits)) }
    return self
  }
}

extension IPAddress: CustomStringConvertible {
  /// The canonical spelling (RFC 5952).
  public var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    switch self {
    case .v4(let bits):
      var address = in_addr(s_addr: bits.bigEndian)
      inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
    case .v6(let bits):
      var big = bits.bigEndian
      inet_ntop(AF_INET6, &big, &text, socklen_t(text.count))
    }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// A range of addresses in CIDR notation (RFC 4632): `10.0.0.0/8`, `fc00::/7`, or one address.
public struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
  /// The first address.
  public let first: IPAddress
  /// How many leading bits all addresses share: at most 32 for IPv4, 128 for IPv6.
  public let prefixLength: Int

  /// Parses CIDR notation or a single address.
  public init(_ text: String) throws(MalformedAddressBlock) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(String(parts[0])) else {
      throw MalformedAddressBlock("“\(text)” is no range of addresses: write 10.0.0.0/8, fc00::/7 or one address")
    }
    let width =
      switch address {
      case .v4: 32
      case .v6: 128
      }
    var length = width
    if parts.count == 2 {
      guard let given = Int(parts[1]), (0...width).contains(given) else {
        throw MalformedAddressBlock("the prefix length of “\(text)” must be a number from 0 to \(width)")
      }
      length = given
    }
    let first =
      switch address {
      case .v4(let bits): IPAddress.v4(length == 0 ? 0 : (bits >> (32 - length)) << (32 - length))
      case .v6(let bits): IPAddress.v6(length == 0 ? 0 : (bits >> (128 - length)) << (128 - length))
      }
    guard first == address else {
      throw MalformedAddressBlock("“\(text)” has bits beyond its prefix: was \(first)/\(length) meant?")
    }
    self.first = first
    prefixLength = length
  }

  /// Whether the range holds `address`. IPv4 ranges hold no IPv6 addresses, whatever these embed.
  public func contains(_ address: IPAddress) -> Bool {
    switch (first, address) {
    case (.v4(let start), .v4(let bits)): prefixLength == 0 || (start ^ bits) >> (32 - prefixLength) == 0
    case (.v6(let start), .v6(let bits)): prefixLength == 0 || (start ^ bits) >> (128 - prefixLength) == 0
    default: false
    }
  }

  /// CIDR notation.
  public var description: String { "\(first)/\(prefixLength)" }
}

/// A text that is no range of addresses.
public struct MalformedAddressBlock: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, and what would be right.
  public let description: String

  init(_ description: String) { self.description = description }
}
