internal import Time

extension Article {
  /// Tells two contents of an article apart, but for its version: the same content has the same digest on every
  /// machine and in every run. FNV-1a over its fields, 64 bits; chance makes two alike once in 10^19, and somebody who
  /// makes them alike on purpose only hides his own correction.
  public var digest: Int64 {
    var digest = FieldDigest()
    digest.add(id)
    digest.add(status.rawValue)
    digest.add(language)
    digest.add(text.headline)
    digest.add(text.summary)
    for (language, text) in translations.sorted(by: { $0.key < $1.key }) {
      digest.add(language)
      digest.add(text.headline)
      digest.add(text.summary)
    }
    digest.add(categories.map(\.rawValue))
    digest.add(terms.flatMap { [$0.term, $0.scheme ?? "", $0.label ?? ""] })
    digest.add(urgency.map(String.init))
    digest.add(url)
    digest.add(image)
    digest.add(source)
    digest.add(authors)
    for moment in [published, updated, embargoed, expires] {
      digest.add(moment.map { String($0.millisecondsSince1970) })
    }
    return Int64(bitPattern: digest.value)
  }
}

private struct FieldDigest {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Absent and empty differ, and so do one field's end and the next one's beginning: 0xFF and 0xFE are no UTF-8.
  mutating func add(_ text: String?) {
    if let text {
      for byte in text.utf8 { add(byte) }
      add(0xFF as UInt8)
    } else {
      add(0xFE as UInt8)
    }
  }

  mutating func add(_ texts: [String]) {
    for text in texts { add(text) }
    add(nil)
  }

  private mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
