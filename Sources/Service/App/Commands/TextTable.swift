extension String {
  /// How many columns of a terminal it takes: Chinese, Japanese and Korean characters and emoji take two (UAX #11).
  fileprivate var columns: Int {
    reduce(0) { sum, character in
      switch character.unicodeScalars.first?.value ?? 0 {
      case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
        sum + 2
      default: sum + 1
      }
    }
  }
}

/// Aligned columns for a person's eyes.
struct TextTable {
  var columns: [String]
  var rows: [[String]]

  /// The head and the rows, a line each; the last column runs as long as it is.
  var text: String {
    let lines = [columns] + rows.map { row in row.map { cell in String(cell.map { $0.isNewline ? " " : $0 }) } }
    let widths = columns.indices.map { column in lines.map { $0[column].columns }.max() ?? 0 }
    return lines.map { line in
      let cells = line.indices.map { column in
        column == line.count - 1
          ? line[column] : line[column] + String(repeating: " ", count: widths[column] - line[column].columns)
      }
      return cells.joined(separator: "  ") + "\n"
    }.joined()
  }
}
