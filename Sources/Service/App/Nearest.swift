// What somebody probably meant who wrote a name that is not known.

extension Collection where Element == String {
  /// The known name nearest to what was written, if one is near enough to be meant; capitals do not matter.
  ///
  /// Near is a third of the longer word: a slip in a short word, two or three in a long one. Of equally near names the
  /// first wins.
  func nearest(to written: String) -> String? {
    let target = Array(written.lowercased())
    var best: (name: String, distance: Int)?
    for name in self {
      let letters = Array(name.lowercased())
      let distance = editDistance(target, letters)
      guard distance <= Swift.max(target.count, letters.count) / 3 || distance <= 1 && letters.count > 1 else {
        continue
      }
      if distance < best?.distance ?? .max { best = (name, distance) }
    }
    return best?.name
  }

  /// `did you mean "name"?` for the nearest name, else the list of all that are known.
  func suggestion(for written: String) -> String {
    if let name = nearest(to: written) { return "did you mean \"\(name)\"?" }
    return "known are \(joined(separator: ", "))"
  }
}

/// How many letters must be inserted, removed, replaced or swapped with their neighbour to get from one word to the
/// other (Damerau–Levenshtein, no letter touched twice).
private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for (row, letter) in left.enumerated() {
    var current = [row + 1]
    for (column, other) in right.enumerated() {
      var distance = Swift.min(
        last[column + 1] + 1, current[column] + 1, last[column] + (letter == other ? 0 : 1))
      if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
        distance = Swift.min(distance, beforeLast[column - 1] + 1)
      }
      current.append(distance)
    }
    (beforeLast, last) = (last, current)
  }
  return last[right.count]
}
