/// Reads a stream of Server-Sent Events as its bytes come (HTML Standard, section 9.2.6).
struct ServerSentEvents {
  /// One event.
  struct Event: Equatable {
    /// What it is called; `message` where the stream does not say.
    var name = "message"
    /// The id in force: where a reader resumes.
    var id: String?
    /// The data's lines, joined by line feeds.
    var data: String
  }

  /// Why a stream cannot be read on.
  enum Fault: Error, CustomStringConvertible {
    /// An event is longer than `eventBytesMax`.
    case eventTooLong

    var description: String { "an event is longer than \(eventBytesMax) bytes" }
  }

  /// No push is nearly as long.
  static let eventBytesMax = 1 << 20

  private var line: [UInt8] = []
  private var followsReturn = false
  private var isFirstLine = true
  private var name = ""
  private var id: String?
  private var data: [String] = []
  private var bytesHeld = 0

  /// The events that these bytes complete.
  mutating func read(_ bytes: [UInt8]) throws(Fault) -> [Event] {
    var events: [Event] = []
    for byte in bytes {
      defer { followsReturn = byte == UInt8(ascii: "\r") }
      switch byte {
      case UInt8(ascii: "\n") where followsReturn: continue
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        if let event = endLine() { events.append(event) }
      default:
        line.append(byte)
        bytesHeld += 1
        guard bytesHeld <= Self.eventBytesMax else { throw .eventTooLong }
      }
    }
    return events
  }

  private mutating func endLine() -> Event? {
    defer { line.removeAll(keepingCapacity: true) }
    var text = String(decoding: line, as: UTF8.self)
    if isFirstLine, text.hasPrefix("\u{FEFF}") { text.removeFirst() }
    isFirstLine = false
    guard !text.isEmpty else { return dispatch() }
    guard !text.hasPrefix(":") else {
      bytesHeld -= line.count
      return nil
    }
    let field = text.prefix { $0 != ":" }
    var value = text[field.endIndex...].dropFirst()
    if value.first == " " { value = value.dropFirst() }
    switch field {
    case "event": name = String(value)
    case "data": data.append(String(value))
    case "id" where !value.contains("\0"): id = String(value)
    default: break
    }
    return nil
  }

  private mutating func dispatch() -> Event? {
    defer {
      name = ""
      data = []
      bytesHeld = 0
    }
    guard !data.isEmpty else { return nil }
    return Event(name: name.isEmpty ? "message" : name, id: id, data: data.joined(separator: "\n"))
  }
}
