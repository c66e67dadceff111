internal import Files
internal import JSON
internal import Time

/// Shows pushes as they arrive: rows of a table for a person, JSON Lines for a program.
struct ArrivalBoard: Sendable {
  private let output: any ByteSink
  private let asTable: Bool
  private let clock: any WallClock

  /// A board on which nothing has arrived.
  init(_ output: any ByteSink, asTable: Bool, clock: any WallClock) {
    self.output = output
    self.asTable = asTable
    self.clock = clock
  }

  /// Shows one push, on that device where there are several.
  func show(_ arrival: ReaderDevice.Arrival, on device: String?) throws(StreamError) {
    let now = clock.now
    if asTable {
      let time = now.rfc3339.drop { $0 != "T" }.dropFirst().prefix(8)
      let place = device.map { padded($0, 9) } ?? ""
      try output.writeLine("\(time)  \(place)\(padded(arrival.category, 11))\(arrival.message)")
    } else {
      var row: JSONObject = ["time": .string(now.rfc3339)]
      row["device"] = device.map { .string($0) }
      row["notification"] = .string(arrival.notificationID)
      for (name, value) in arrival.body.object ?? [:] { row[name] = value }
      try output.writeLine(JSONValue.object(row).text())
    }
    try output.flush()
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
