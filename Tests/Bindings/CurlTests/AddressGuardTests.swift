import Curl
import Testing

@Suite struct AddressGuardTests {
  @Test(
    "Nothing but a public unicast address passes",
    arguments: [
      "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1",
      "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.7",
      "203.0.113.9", "224.0.0.251", "239.255.255.250", "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1",
      "::8.8.8.8", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:0:10.0.0.1",
      "64:ff9b::10.0.0.1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:4136:e378::1",
      "2001:10::1", "2001:20::1", "2001:db8::1", "2002:a00:1::1", "2002:7f00:1::", "3fff::1", "5f00::1", "fc00::1",
      "fd12:3456::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "ff0e::1", "4000::1",
    ])
  func refused(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressGuard().refusal(of: address) != nil)
  }

  @Test(
    "Public addresses pass",
    arguments: [
      "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255",
      "128.0.0.1", "169.253.255.255", "172.15.255.255", "172.32.0.1", "192.167.255.255", "198.17.255.255",
      "223.255.255.255",
      "::ffff:8.8.8.8", "2606:4700:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888", "2003::1",
    ])
  func passing(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressGuard().refusal(of: address) == nil)
  }

  @Test("What the operator opens passes, in every spelling of the same address")
  func allowed() throws {
    let guarded = AddressGuard(allowing: [try AddressBlock("10.1.0.0/16"), try AddressBlock("fd00::/8")])
    for text in ["10.1.2.3", "::ffff:10.1.2.3", "fd00::1"] {
      #expect(guarded.refusal(of: try #require(IPAddress(text))) == nil, "\(text)")
    }
    for text in ["10.2.0.1", "::ffff:10.2.0.1", "fc00::1", "64:ff9b::10.1.2.3", "2002:a01:203::"] {
      #expect(guarded.refusal(of: try #require(IPAddress(text))) != nil, "\(text)")
    }
  }

  @Test("An opened translator leads to public addresses only")
  func translator() throws {
    let guarded = AddressGuard(allowing: [try AddressBlock("64:ff9b::/96")])
    #expect(guarded.refusal(of: try #require(IPAddress("64:ff9b::8.8.8.8"))) == nil)
    let refusal = guarded.refusal(of: try #require(IPAddress("64:ff9b::169.254.169.254")))
    #expect(refusal?.reason.contains("link-local") == true)
    #expect(refusal?.address.description == "64:ff9b::a9fe:a9fe")
  }

  @Test(
    "Only standard spellings are addresses", arguments: ["0x7f.1", "127.1", "2130706433", "0177.0.0.1", "::1%lo", ""])
  func spellings(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test(
    "A range that is none says what would be right",
    arguments: [
      ("10.0.0.0/33", "from 0 to 32"), ("10.0.0.1/8", "was 10.0.0.0/8 meant?"), ("fd00::1/8", "was fd00::/8 meant?"),
      ("localhost", "write 10.0.0.0/8"), ("10.0.0.0/", "from 0 to 32"), ("::/129", "from 0 to 128"),
    ])
  func malformed(text: String, words: String) {
    let error = #expect(throws: MalformedAddressBlock.self) { try AddressBlock(text) }
    #expect(error?.description.contains(words) == true)
  }

  @Test("A range without a length is one address, /0 is all of its family")
  func edges() throws {
    #expect(try AddressBlock("127.0.0.1").description == "127.0.0.1/32")
    let all = try AddressBlock("0.0.0.0/0")
    #expect(all.contains(.v4(0)) && all.contains(.v4(.max)) && !all.contains(.v6(1)))
    #expect(try AddressBlock("::/0").contains(.v6(.max)))
  }
}
