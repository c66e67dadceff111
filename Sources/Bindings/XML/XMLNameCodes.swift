internal import CLibXML2

/// The visitor's numbers for names, found by the pointers of libxml2's dictionary: one document's equal names are one
/// pointer. An open-addressing table, for it is asked twice an element.
struct XMLNameCodes {
  private struct Entry {
    var local: UInt
    var space: UInt
    var code: UInt16
  }

  private var entries = [Entry](repeating: Entry(local: 0, space: 0, code: 0), count: 128)
  private var count = 0

  mutating func code(
    _ local: UnsafePointer<xmlChar>, _ prefix: UnsafePointer<xmlChar>?, _ namespace: UnsafePointer<xmlChar>?,
    visitor: any XMLVisitor
  ) -> UInt16 {
    let key = UInt(bitPattern: local)
    // Only a prefix that was not declared tells two names apart that are in no namespace.
    let space = UInt(bitPattern: namespace ?? prefix)
    var slot = Self.slot(key, space, in: entries.count)
    while entries[slot].local != 0 {
      if entries[slot].local == key, entries[slot].space == space { return entries[slot].code }
      slot = (slot + 1) & (entries.count - 1)
    }
    let code = visitor.code(
      for: XMLName(
        namespace: namespace.map { String(cString: $0) }, prefix: prefix.map { String(cString: $0) },
        local: String(cString: local)))
    entries[slot] = Entry(local: key, space: space, code: code)
    count += 1
    if count * 2 > entries.count { grow() }
    return code
  }

  private mutating func grow() {
    let old = entries
    entries = Array(repeating: Entry(local: 0, space: 0, code: 0), count: old.count * 2)
    for entry in old where entry.local != 0 {
      var slot = Self.slot(entry.local, entry.space, in: entries.count)
      while entries[slot].local != 0 { slot = (slot + 1) & (entries.count - 1) }
      entries[slot] = entry
    }
  }

  private static func slot(_ local: UInt, _ space: UInt, in capacity: Int) -> Int {
    // Fibonacci hashing; the two pointers' low bits are alignment.
    Int(truncatingIfNeeded: (local ^ (space &* 31)) &* 0x9E37_79B9_7F4A_7C15 >> 40) & (capacity - 1)
  }
}
