import XML

/// The attributes of one element that mean something; hardly ever more than three.
struct FieldAttributes {
  private var pairs: [(word: FeedWord, value: String)] = []

  /// None.
  init() {}

  init(_ element: borrowing XMLElement) {
    for index in 0..<element.attributeCount {
      let name = FeedName(code: element.code(at: index))
      guard name.word != .other, name.space != .xml else { continue }
      pairs.append((name.word, element.value(at: index)))
    }
  }

  subscript(word: FeedWord) -> String? {
    for pair in pairs where pair.word == word { return pair.value }
    return nil
  }
}
