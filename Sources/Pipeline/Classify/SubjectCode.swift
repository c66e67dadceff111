internal import News

/// IPTC's subject codes in the forms in which feeds and editors write them; rows write `medtop:15000000` (Media Topics)
/// and `subj:15000000` (the older Subject Codes).
enum SubjectCode {
  /// The rows that a code can be listed under, the most exact first; none if the term is no such code.
  static func paths(of term: CategoryTerm) -> [TermPath] {
    // A code stands behind its vocabulary: in the term itself (`medtop:…`, an address), or in the term's scheme.
    let whole = (term.scheme.map { "\($0)/" } ?? "") + term.term
    let code = whole.suffix(while: { $0.isASCII && $0.isNumber })
    guard code.utf8.count == 8 else { return [] }
    let vocabulary = whole.dropLast(8).lowercased()
    if vocabulary.hasSuffix("medtop:") || vocabulary.contains("mediatopic") { return [TermPath("medtop:\(code)")] }
    guard vocabulary.hasSuffix("subj:") || vocabulary.contains("subjectcode") else { return [] }
    // Subject Codes hold their hierarchy: 15054000 (soccer) lies in 15000000 (sport).
    return [TermPath("subj:\(code)"), TermPath("subj:\(code.prefix(2))000000")]
  }
}

extension StringProtocol {
  /// The longest end of the text whose characters all hold.
  fileprivate func suffix(while holds: (Character) -> Bool) -> SubSequence {
    self[(lastIndex { !holds($0) }.map(index(after:)) ?? startIndex)...]
  }
}
