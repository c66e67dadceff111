internal import JSON
internal import Time

/// How a log line is written.
public enum LogFormat: String, Sendable, CaseIterable {
  /// One JSON object a line: `time`, `level`, `event`, then the fields.
  case json
  /// Aligned for a person's eyes: `12:00:00.000 info    feed.polled  url=… items=3`.
  case human

  /// The line of a record, without its end.
  public func line(_ record: LogRecord) -> String {
    switch self {
    case .json:
      var object = JSONObject()
      object["time"] = .string(record.time.rfc3339)
      object["level"] = .string(record.level.name)
      object["event"] = .string(record.event)
      for (name, value) in record.fields { object[name] = value.json }
      return JSONValue.object(object).text()
    case .human:
      let name = record.level.name
      let level = name + String(repeating: " ", count: max(0, 7 - name.count))
      let time = record.time.rfc3339.drop { $0 != "T" }.dropFirst()
      let fields = record.fields.map { " \($0.name)=\($0.value.humanText)" }.joined()
      return "\(time) \(level) \(record.event)\(fields)"
    }
  }
}

extension LogValue {
  fileprivate var json: JSONValue {
    switch self {
    case .text(let text): .string(text)
    case .integer(let integer): .number(JSONNumber(Int(integer)))
    case .number(let number): JSONNumber(number).map { .number($0) } ?? .string("\(number)")
    case .flag(let flag): .bool(flag)
    }
  }

  /// Control characters are escaped, so that no value can forge a line.
  fileprivate var humanText: String {
    switch self {
    case .text(let text):
      text.isEmpty || text.contains(where: { $0.isWhitespace || $0 == "\"" || $0 == "=" || $0.isControl })
        ? JSONValue.string(text).text() : text
    case .integer(let integer): String(integer)
    case .number(let number): String(number)
    case .flag(let flag): String(flag)
    }
  }
}

extension Character {
  fileprivate var isControl: Bool {
    unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
