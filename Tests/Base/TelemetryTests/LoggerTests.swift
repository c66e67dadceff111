import JSON
import Synchronization
import Telemetry
import TestKit
import Testing
import Time

/// Keeps what is logged.
final class LogBook: Sendable {
  private let kept = Mutex<[LogRecord]>([])
  var records: [LogRecord] { kept.withLock { $0 } }
  var sink: Logger.Sink { { record in self.kept.withLock { $0.append(record) } } }
}

@Suite("Logger")
struct LoggerTests {
  @Test("A line carries its time, level, event and fields, context first")
  func carriesFields() {
    let book = LogBook()
    Logger(clock: ManualClock(), sink: book.sink).with(["feed": "a"]).info("feed.polled", ["items": 3, "took": 0.5])
    #expect(
      LogFormat.json.line(book.records[0])
        == #"{"time":"2026-11-30T12:00:00Z","level":"info","event":"feed.polled","feed":"a","items":3,"took":0.5}"#)
    #expect(LogFormat.human.line(book.records[0]) == "12:00:00Z info    feed.polled feed=a items=3 took=0.5")
  }

  @Test("Lines below the level are not even made")
  func respectsLevel() {
    let book = LogBook()
    var made = 0
    func field() -> LogValue {
      made += 1
      return "x"
    }
    let logger = Logger(level: .warning, clock: ManualClock(), sink: book.sink)
    logger.info("quiet", ["field": field()])
    logger.error("loud", ["field": field()])
    #expect(book.records.map(\.event) == ["loud"])
    #expect(made == 1)
  }

  @Test("No value can forge a line", arguments: ["a\nb", "a\r\nb", "x=\"y\" z", "\u{1B}[31m", ""])
  func noForgery(value: String) throws {
    let book = LogBook()
    Logger(clock: ManualClock(), sink: book.sink).info("event", ["value": LogValue(value)])
    for format in LogFormat.allCases {
      #expect(!format.line(book.records[0]).unicodeScalars.contains { $0.value < 0x20 })
    }
    #expect(try JSONValue(parsing: LogFormat.json.line(book.records[0]))["value"]?.string == value)
  }

  @Test("A level is found by its name", arguments: LogLevel.allCases)
  func levelNames(level: LogLevel) {
    #expect(LogLevel(named: level.name) == level)
    #expect(LogLevel(named: "loud") == nil)
  }
}
