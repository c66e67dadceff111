internal import Topics

/// The rows as the fit reads them: features of all texts, one behind the other.
struct Documents {
  /// Features' hashes; after `keep` their indices among the kept ones.
  private(set) var hashes: [UInt32] = []
  private(set) var values: [Float] = []
  /// Where each row's features begin, and at last where they end.
  private(set) var starts: [Int] = [0]
  /// The place features of each row, where home is told and where it is not.
  private(set) var placesAtHome: [[UInt8]] = []
  private(set) var placesAnywhere: [[UInt8]] = []
  let topics: [Topic]
  let weights: [Float]

  init(_ selection: RowSelection, places: PlaceNames, notes: TrainingNotes, options: TrainingOptions) {
    topics = selection.rows.map(\.topic)
    weights = selection.weights.map { Float($0) }
    var reader = FeatureReader(places: Places(places))
    hashes.reserveCapacity(selection.rows.count * 150)
    values.reserveCapacity(selection.rows.count * 150)
    for row in selection.rows {
      reader.read(title: row.title, summary: row.summary, language: row.language, home: notes.home(of: row))
      placesAtHome.append(reader.placeFeatures.map { UInt8($0) })
      reader.look(from: nil)
      placesAnywhere.append(reader.placeFeatures.map { UInt8($0) })
      for feature in reader.features {
        hashes.append(feature.hash)
        values.append(feature.value)
      }
      starts.append(hashes.count)
    }
  }

  /// Drops all features but these, given in rising order.
  mutating func keep(_ kept: [UInt32]) {
    var buckets = [Int32](repeating: 0, count: 1 << 16 + 1)
    for hash in kept { buckets[Int(hash >> 16) + 1] += 1 }
    for index in 1..<buckets.count { buckets[index] += buckets[index - 1] }
    var write = 0
    var read = 0
    for row in 0..<topics.count {
      let end = starts[row + 1]
      while read < end {
        let hash = hashes[read]
        var index = Int(buckets[Int(hash >> 16)])
        let last = Int(buckets[Int(hash >> 16) + 1])
        while index < last, kept[index] < hash { index += 1 }
        if index < last, kept[index] == hash {
          hashes[write] = UInt32(index)
          values[write] = values[read]
          write += 1
        }
        read += 1
      }
      starts[row + 1] = write
    }
    hashes.removeLast(hashes.count - write)
    values.removeLast(values.count - write)
  }
}
