/// Decides which addresses may be connected to where strangers choose the URL: by the peer's address at connect, so
/// that no spelling of a host, no name that resolves to a private address and no answer that changes between two
/// look-ups gets around it.
public struct AddressGuard: Hashable, Sendable {
  /// Ranges that may be reached although they are not public.
  public let allowed: [AddressBlock]

  /// Refuses everything that is not a public unicast address, except what is listed.
  public init(allowing allowed: [AddressBlock] = []) {
    self.allowed = allowed
  }

  /// Why `address` must not be connected to; nil if it may.
  ///
  /// An address that embeds another (IPv4-mapped, NAT64) is judged by what it leads to: allowing `64:ff9b::/96` opens
  /// the public addresses behind the translator, not its loopback.
  public func refusal(of address: IPAddress) -> Refusal? {
    let address = address.unmapped
    if case .v6(let bits) = address, Self.nat64.contains(address) {
      guard isAllowed(address) else { return Refusal(address: address, reason: "a translated address (NAT64)") }
      let embedded = IPAddress.v4(UInt32(truncatingIfNeeded: bits))
      return refusal(of: embedded).map { Refusal(address: address, reason: "\($0.reason) behind NAT64") }
    }
    if isAllowed(address) { return nil }
    if let special = Self.special.first(where: { $0.block.contains(address) }) {
      return Refusal(address: address, reason: special.reason)
    }
    // Of IPv6 only 2000::/3 is unicast that the Internet routes.
    if case .v6(let bits) = address, bits >> 125 != 1 {
      return Refusal(address: address, reason: "not a global unicast address")
    }
    return nil
  }

  /// An address that was not connected to.
  public struct Refusal: Hashable, Sendable {
    /// The address.
    public let address: IPAddress
    /// What kind of address it is: `a private network (RFC 1918)`.
    public let reason: String
  }

  private func isAllowed(_ address: IPAddress) -> Bool { allowed.contains { $0.contains(address) } }

  private static let nat64 = block("64:ff9b::/96")

  /// IANA's special-purpose registries for IPv4 and IPv6, as far as they are not globally reachable.
  private static let special: [(block: AddressBlock, reason: String)] = [
    (block("0.0.0.0/8"), "this host or network (RFC 791)"),
    (block("10.0.0.0/8"), "a private network (RFC 1918)"),
    (block("100.64.0.0/10"), "carrier-grade NAT (RFC 6598)"),
    (block("127.0.0.0/8"), "loopback"),
    (block("169.254.0.0/16"), "link-local, where clouds keep their metadata (RFC 3927)"),
    (block("172.16.0.0/12"), "a private network (RFC 1918)"),
    (block("192.0.0.0/24"), "protocol assignments (RFC 6890)"),
    (block("192.0.2.0/24"), "documentation (RFC 5737)"),
    (block("192.88.99.0/24"), "6to4 relays (RFC 7526)"),
    (block("192.168.0.0/16"), "a private network (RFC 1918)"),
    (block("198.18.0.0/15"), "benchmarking (RFC 2544)"),
    (block("198.51.100.0/24"), "documentation (RFC 5737)"),
    (block("203.0.113.0/24"), "documentation (RFC 5737)"),
    (block("224.0.0.0/4"), "multicast (RFC 5771)"),
    (block("255.255.255.255/32"), "broadcast (RFC 919)"),
    (block("240.0.0.0/4"), "reserved (RFC 1112)"),
    (block("::/128"), "the unspecified address"),
    (block("::1/128"), "loopback"),
    (block("::/96"), "an IPv4-compatible address (RFC 4291)"),
    (block("::ffff:0:0:0/96"), "an IPv4-translated address (RFC 2765)"),
    (block("64:ff9b:1::/48"), "local-use NAT64 (RFC 8215)"),
    (block("100::/64"), "discard-only (RFC 6666)"),
    (block("2001::/32"), "Teredo (RFC 4380)"),
    (block("2001::/23"), "protocol assignments (RFC 2928)"),
    (block("2001:db8::/32"), "documentation (RFC 3849)"),
    (block("2002::/16"), "6to4 (RFC 3056)"),
    (block("3fff::/20"), "documentation (RFC 9637)"),
    (block("fc00::/7"), "a unique local address (RFC 4193)"),
    (block("fe80::/10"), "link-local (RFC 4291)"),
    (block("fec0::/10"), "site-local (RFC 3879)"),
    (block("ff00::/8"), "multicast (RFC 4291)"),
  ]

  private static func block(_ text: StaticString) -> AddressBlock {
    do {
      return try AddressBlock("\(text)")
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
