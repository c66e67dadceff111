internal import Files
internal import Ingest
internal import JSON
internal import Kafka
internal import Synchronization
internal import Telemetry
internal import Time

/// What `dlq list` and `dlq redrive` share: where the letters are, and which of them are meant.
struct DeadLetterBox {
  private static let topic = CommandOption(
    name: "topic", value: "TOPIC", help: "the topic of dead letters, instead of the configuration's or articles.dlq")
  private static let stage = CommandOption(
    name: "stage", value: "STAGE", help: "only those that failed at record, parse or decode")
  private static let error = CommandOption(name: "error", value: "TEXT", help: "only those whose reason contains it")
  private static let source = CommandOption(name: "source", value: "TOPIC", help: "only those from this topic")
  private static let key = CommandOption(name: "key", value: "KEY", help: "only those with this key")
  private static let since = CommandOption(
    name: "since", value: "TIME", help: "only those put aside then or later, such as 2026-11-30T19:22:00Z")
  private static let until = CommandOption(name: "until", value: "TIME", help: "only those put aside before")
  static let options = [
    EditorsDesk.config, EditorsDesk.bootstrapServers, topic, stage, error, source, key, since, until,
  ]

  /// How the brokers are reached.
  let settings: KafkaSettings
  private let topic: String
  private let arguments: Arguments
  private let since: Timestamp?
  private let until: Timestamp?

  /// So many letters, or so many bytes of them, are held at a time.
  private static let lettersMax = 10_000
  private static let bytesMax = 256 << 20

  init(_ arguments: Arguments, _ console: Console) throws {
    var configured: String?
    switch (arguments.value(EditorsDesk.config), arguments.value(EditorsDesk.bootstrapServers)) {
    case (let file?, nil):
      let options = try LoadedConfiguration(
        file: file, environment: console.environment, share: console.share()
      ).options.kafka
      guard let settings = options.settings else {
        throw CommandFailure.failed("\(file) names no brokers: kafka.bootstrapServers is null")
      }
      self.settings = settings
      configured = options.deadLetters
    case (nil, let brokers?): settings = KafkaSettings(bootstrapServers: brokers)
    case (nil, nil):
      throw CommandFailure.usage(
        "\(EditorsDesk.config.synopsis) or \(EditorsDesk.bootstrapServers.synopsis) is missing")
    case (_?, _?): throw CommandFailure.usage("--config and --bootstrap-servers exclude each other")
    }
    topic = arguments.value(Self.topic) ?? configured ?? "articles.dlq"
    self.arguments = arguments
    since = try Self.time(Self.since, arguments)
    until = try Self.time(Self.until, arguments)
  }

  private static func time(_ option: CommandOption, _ arguments: Arguments) throws -> Timestamp? {
    guard let text = arguments.value(option) else { return nil }
    guard let time = Timestamp(rfc3339: text) else {
      throw CommandFailure.usage("\(option.synopsis): \"\(text)\" is no time such as 2026-11-30T19:22:00Z")
    }
    return time
  }

  /// The letters that are meant, in the order of their partitions, and where those stand that were put back.
  struct Contents: Sendable {
    var letters: [DeadLetter] = []
    var redriven: [String: String] = [:]
    /// Whether there are more than are held at a time.
    var isCut = false
  }

  func read() async throws -> Contents {
    let contents = Mutex((Contents(), bytes: 0))
    do {
      try await TopicReader(settings, topic: topic, logger: .silent).read { record in
        contents.withLock { state in
          if let mark = DeadLetter.mark(in: record) {
            state.0.redriven[mark.letter] = mark.place
          } else if let letter = DeadLetter(record), isMeant(letter) {
            state.bytes += record.value?.count ?? 0
            guard state.0.letters.count < Self.lettersMax, state.bytes < Self.bytesMax else {
              state.0.isCut = true
              return true
            }
            state.0.letters.append(letter)
          }
          return true
        }
      }
    } catch let error as KafkaError {
      throw CommandFailure.failed("\(topic): \(error)")
    }
    return contents.withLock { $0.0 }
  }

  private func isMeant(_ letter: DeadLetter) -> Bool {
    if let stage = arguments.value(Self.stage), stage != letter.stage { return false }
    if let text = arguments.value(Self.error), !letter.message.lowercased().contains(text.lowercased()) { return false }
    if let source = arguments.value(Self.source), source != letter.source.topic { return false }
    if let key = arguments.value(Self.key), letter.record.key != Array(key.utf8) { return false }
    if let since, let time = letter.record.timestamp, time < since { return false }
    if let until, let time = letter.record.timestamp, time >= until { return false }
    return true
  }
}

/// `dlq list`: what could not be read, and why.
struct DeadLetterListCommand: Command {
  private static let all = CommandOption.flag("all", "also those that were put back")
  private static let table = CommandOption.flag("table", "prints a table, as on a terminal")

  let usage = CommandUsage(
    name: "dlq list", summary: "shows the dead letters: what failed and why",
    options: DeadLetterBox.options + [all, table],
    explanation: """
      Reads the topic of dead letters to its end, without a group, and prints one JSON object a letter: its place, its
      key, how far reading came (`record`, `parse`, `decode`) and why it failed, where and when the original stood, how
      often it failed, and how long its value is. The value itself is the record's: any Kafka client shows it. Letters
      that were put back are left out.
      """,
    examples: [
      "tidings dlq list --config tidings.yaml --table",
      "tidings dlq list --bootstrap-servers 127.0.0.1:9092 --stage decode --error Weather --since 2026-11-30T00:00:00Z",
    ])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let contents = try await DeadLetterBox(arguments, console).read()
    let letters = contents.letters.filter {
      arguments.isSet(Self.all) || contents.redriven[$0.record.place.description] == nil
    }
    if arguments.isSet(Self.table) || console.output.isTerminal {
      let rows = letters.map { letter in
        [
          letter.record.place.description, letter.record.timestamp?.rfc3339 ?? "",
          letter.record.key.map { String(decoding: $0, as: UTF8.self) } ?? "", letter.source.description, letter.stage,
          letter.message,
        ]
      }
      try console.write(
        TextTable(columns: ["LETTER", "PUT ASIDE", "KEY", "FROM", "FAILED AT", "WHY"], rows: rows).text)
    } else {
      for letter in letters {
        guard case .object(var object) = letter.json else { continue }
        object["redriven"] = contents.redriven[letter.record.place.description].map { .string($0) }
        try console.writeLine(JSONValue.object(object).text())
      }
    }
    if contents.isCut { console.say("tidings dlq list: there are more; narrow them down, such as by --since") }
  }
}

/// `dlq redrive`: puts dead letters back where they came from.
struct DeadLetterRedriveCommand: Command {
  private static let dryRun = CommandOption.flag("dry-run", "only shows what would be put back")

  let usage = CommandUsage(
    name: "dlq redrive", summary: "puts dead letters back onto the topics that they came from",
    options: DeadLetterBox.options + [dryRun],
    explanation: """
      Writes the original key, value and headers of each letter to its topic again, and a mark into the topic of dead
      letters, so that none is put back twice. What cannot be read still becomes a letter again, which counts on. A
      letter that was too large for its topic lacks its value and is refused; its original stands where it stood.
      """,
    examples: [
      "tidings dlq redrive --config tidings.yaml --error Weather --dry-run",
      "tidings dlq redrive --config tidings.yaml --key urn:newsroom:quake-20261130",
    ])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let box = try DeadLetterBox(arguments, console)
    let contents = try await box.read()
    let letters = contents.letters.filter { contents.redriven[$0.record.place.description] == nil }
    var refused = 0
    for letter in letters where letter.omitted != nil {
      refused += 1
      console.say(
        "tidings dlq redrive: \(letter.record.place) lacks its value (\(letter.omitted ?? "")): it stands at \(letter.source)"
      )
    }
    let whole = letters.filter { $0.omitted == nil }
    if arguments.isSet(Self.dryRun) {
      for letter in whole { try console.writeLine(letter.json.text()) }
    } else {
      try await putBack(whole, box.settings, console)
    }
    if contents.isCut { console.say("tidings dlq redrive: there are more; run it again") }
    if refused > 0 { throw CommandFailure.reported }
  }

  /// One after the other: those of one key stay in order, and each has its mark before the next is written.
  private func putBack(_ letters: [DeadLetter], _ settings: KafkaSettings, _ console: Console) async throws {
    var options = KafkaProducer.Options()
    options.linger = .zero
    options.deliveryTimeout = .seconds(30)
    options.recordBytesMax = 64 << 20
    let producer = try KafkaProducer(settings, options: options, logger: .silent)
    do {
      for letter in letters {
        let place = try await producer.send(letter.original)
        try await producer.send(letter.mark(of: place))
        guard case .object(var object) = letter.json else { continue }
        object["redriven"] = .string(place.description)
        try console.writeLine(JSONValue.object(object).text())
      }
    } catch let error as KafkaError {
      await producer.close()
      throw CommandFailure.failed("\(error)")
    }
    await producer.close()
  }
}
