// Telemetry: says what happens, as log lines and as metrics. Never knows what any of it means.

public import Time

/// How much a log line matters.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
  case debug, info, warning, error

  /// The level's name as configuration and log lines spell it.
  public var name: String { String(describing: self) }

  /// The level of that name, if there is one.
  public init?(named name: String) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }

  /// Orders by how much it matters.
  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}

/// A value of a log line's field.
public enum LogValue: Sendable, Hashable, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
  case text(String)
  case integer(Int64)
  case number(Double)
  case flag(Bool)

  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A fraction.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// Yes or no.
  public init(booleanLiteral value: Bool) { self = .flag(value) }
  /// A text.
  public init(_ value: some StringProtocol) { self = .text(String(value)) }
  /// A whole number.
  public init(_ value: some BinaryInteger) { self = .integer(Int64(clamping: value)) }
  /// A duration, in seconds.
  public init(_ value: Duration) { self = .number(value.inSeconds) }
  /// A moment, in RFC 3339.
  public init(_ value: Timestamp) { self = .text(value.rfc3339) }
}

/// Named values of a log line, in the order given.
public typealias LogFields = KeyValuePairs<String, LogValue>

/// One thing that happened.
public struct LogRecord: Sendable {
  /// When.
  public let time: Timestamp
  /// How much it matters.
  public let level: LogLevel
  /// What happened, a constant name such as `feed.polled`.
  public let event: String
  /// The particulars, outer context first.
  public let fields: [(name: String, value: LogValue)]
}

/// Says what happens. Passed as an argument; there is no global one.
public struct Logger: Sendable {
  /// Where lines go.
  public typealias Sink = @Sendable (LogRecord) -> Void

  private let sink: Sink
  private let clock: any WallClock
  private let context: [(name: String, value: LogValue)]
  /// Lines below this level are not made at all.
  public let level: LogLevel

  /// A logger that hands lines of at least `level` to a sink.
  public init(level: LogLevel = .info, clock: any WallClock = SystemClock(), sink: @escaping Sink) {
    self.init(level: level, clock: clock, context: [], sink: sink)
  }

  /// Hands on a line that another logger made, if it is of at least this one's level.
  public func pass(_ record: LogRecord) {
    if record.level >= level { sink(record) }
  }

  private init(
    level: LogLevel, clock: any WallClock, context: [(name: String, value: LogValue)], sink: @escaping Sink
  ) {
    self.level = level
    self.clock = clock
    self.context = context
    self.sink = sink
  }

  /// A logger that says nothing.
  public static let silent = Logger(level: .error, sink: { _ in })

  /// The same logger with these fields on every line.
  public func with(_ fields: LogFields) -> Logger {
    Logger(level: level, clock: clock, context: context + fields.map { ($0.key, $0.value) }, sink: sink)
  }

  /// For who looks for a fault.
  public func debug(_ event: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
    log(.debug, event, fields)
  }
  /// For who wants to follow the work.
  public func info(_ event: StaticString, _ fields: @autoclosure () -> LogFields = [:]) { log(.info, event, fields) }
  /// Something is wrong and the work goes on.
  public func warning(_ event: StaticString, _ fields: @autoclosure () -> LogFields = [:]) {
    log(.warning, event, fields)
  }
  /// Somebody must look.
  public func error(_ event: StaticString, _ fields: @autoclosure () -> LogFields = [:]) { log(.error, event, fields) }

  private func log(_ level: LogLevel, _ event: StaticString, _ fields: () -> LogFields) {
    guard level >= self.level else { return }
    sink(
      LogRecord(
        time: clock.now, level: level, event: event.description,
        fields: context + fields().map { ($0.key, $0.value) }))
  }
}
