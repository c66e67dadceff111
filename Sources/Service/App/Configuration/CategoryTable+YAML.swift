internal import Classify
internal import Files
internal import News
internal import YAML

extension CategoryTable {
  /// A table of tens of thousands of rows stays below this.
  private static let bytesMax = 2 << 20

  /// Reads a table: a mapping from categories to lists of terms.
  ///
  /// - Throws: Everything that is wrong with it, each with its place.
  init(file: String) throws(Problems) {
    let root: YAMLNode
    do {
      root = try YAMLNode(parsing: FileSystem.read(file, bytesMax: Self.bytesMax))
    } catch let error as YAMLError {
      throw Problems([Problem(file: file, at: error.mark, error.message)])
    } catch {
      throw Problems([Problem("\(error)", remedy: "categories.file names the table of categories")])
    }
    var reader = ConfigurationReader(file: file, environment: [:])
    var rows: [Row] = []
    var marks: [Row: YAMLNode.Mark] = [:]
    for (category, term, mark) in Self.terms(of: root, &reader) {
      let row = Row(category, term, place: "\(file):\(mark.line):\(mark.column)")
      rows.append(row)
      marks[row] = mark
    }
    do throws(Faults) { self = try CategoryTable(rows) } catch {
      for fault in error.all { reader.report(fault.message, remedy: "remove one of them", at: marks[fault.row]) }
      throw Problems(reader.problems)
    }
    guard reader.problems.isEmpty else { throw Problems(reader.problems) }
  }

  private static func terms(
    of root: YAMLNode, _ reader: inout ConfigurationReader
  ) -> [(Category, String, YAMLNode.Mark)] {
    let names = Category.allCases.map(\.rawValue)
    guard case .mapping(let entries) = root.content else {
      reader.report(
        "a mapping should stand here", remedy: "its keys are \(names.joined(separator: ", "))", at: root.mark)
      return []
    }
    var terms: [(Category, String, YAMLNode.Mark)] = []
    for entry in entries {
      guard let category = Category(rawValue: entry.key) else {
        reader.report("there is no category \"\(entry.key)\"", remedy: names.suggestion(for: entry.key), at: entry.mark)
        continue
      }
      guard case .sequence(let items) = entry.value.content else {
        reader.report("a list of terms should stand here", at: entry.value.mark)
        continue
      }
      for item in items {
        guard case .scalar(let term, _) = item.content else {
          reader.report("a term should stand here", remedy: "quote it if it has : or {", at: item.mark)
          continue
        }
        terms.append((category, term, item.mark))
      }
    }
    return terms
  }
}
