internal import Time

extension Article {
  /// Tells two contents of an article apart, but for its version and its source (in a copy of a topic the latter is
  /// another): the same content has the same digest on every machine and in every run. 64 bits over its fields, eight
  /// bytes at a time folded in by a multiplication; chance makes two alike once in 10^19, and somebody who makes them
  /// alike on purpose only hides his own correction.
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
    digest.add(authors)
    for moment in [published, updated, embargoed, expires] {
      digest.add(moment.map { String($0.millisecondsSince1970) })
    }
    return Int64(bitPattern: digest.value)
  }
}

private struct FieldDigest {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Absent and empty differ, and so do one field's end and the next one's beginning: the length goes in with the text.
  mutating func add(_ text: String?) {
    guard let text else { return fold(.max) }
    var word: UInt64 = 0
    var count: UInt64 = 0
    let bytes = text.utf8Span.span
    for index in bytes.indices {
      word = word << 8 | UInt64(bytes[index])
      count += 1
      if count & 7 == 0 { fold(word) }
    }
    fold(word)
    fold(count)
  }

  mutating func add(_ texts: [String]) {
    for text in texts { add(text) }
    add(nil)
  }

  /// Both halves of the product, so that every bit reaches every other.
  private mutating func fold(_ word: UInt64) {
    let product = (value ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    value = product.high ^ product.low
  }
}
