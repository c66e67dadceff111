public import News

/// Which of a publisher's terms mean which category: rows such as `Wirtschaft` → Business.
///
/// A row's term matches whatever its case, width, accents and hyphens. Terms that name a path (`news/world/europe`) or
/// several things (`World | Asia`, `Business & Tech`) are taken apart, IPTC's codes recognised in each of their forms.
public struct CategoryTable: Sendable {
  /// One row: a term, and what it means.
  public struct Row: Sendable, Hashable, CustomStringConvertible {
    /// What the term means.
    public let category: Category
    /// The term, or a path of terms: `Politik/Ausland`.
    public let term: String
    /// Where the row stands, for who reads the evidence: `categories.yaml:12:5`.
    public let place: String

    /// A row.
    public init(_ category: Category, _ term: String, place: String) {
      self.category = category
      self.term = term
      self.place = place
    }

    /// `Business (Wirtschaft, categories.yaml:12:5)`.
    public var description: String { "\(category.rawValue) (\(term), \(place))" }
  }

  /// What is wrong with a table.
  public struct Fault: Sendable, Hashable {
    /// The row.
    public let row: Row
    /// What is wrong with it, and what would be right.
    public let message: String
  }

  /// Everything that is wrong with a table.
  public struct Faults: Error, Sendable, Hashable {
    /// The faults, in the order of the rows; never empty.
    public let all: [Fault]
  }

  private let rows: [TermPath: Row]

  /// A table of these rows; none may be empty or repeat another.
  public init(_ rows: some Sequence<Row>) throws(Faults) {
    var known: [TermPath: Row] = [:]
    var faults: [Fault] = []
    for row in rows {
      let path = TermPath(row.term)
      if path.isEmpty {
        faults.append(Fault(row: row, message: "the term \"\(row.term)\" has no letters to match"))
      } else if let earlier = known[path] {
        let means = earlier.category == row.category ? "" : " under \(earlier.category.rawValue)"
        faults.append(
          Fault(
            row: row,
            message: "the term \"\(row.term)\" stands already\(means) at \(earlier.place), as \"\(earlier.term)\""))
      } else {
        known[path] = row
      }
    }
    guard faults.isEmpty else { throw Faults(all: faults) }
    self.rows = known
  }

  /// The rows that say what a term means: none, one, or one for each of the things it names.
  public func rows(for term: CategoryTerm) -> [Row] {
    let codes = SubjectCode.paths(of: term)
    if let row = codes.lazy.compactMap({ rows[$0] }).first { return [row] }
    let own = rows(forText: term.term)
    return own.isEmpty ? term.label.map(rows(forText:)) ?? [] : own
  }

  private func rows(forText text: String) -> [Row] {
    let text = text.prefix(TermPath.lengthMax)
    if let row = row(for: TermPath(text)) { return [row] }
    return TermPath.alternatives(in: text).compactMap { row(for: $0) }
  }

  /// The row of the longest part of the path, of equally long parts the first: `politik/ausland` before `politik`.
  private func row(for path: TermPath) -> Row? {
    path.parts.lazy.compactMap { rows[$0] }.first
  }
}
