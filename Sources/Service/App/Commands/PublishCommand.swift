internal import JSON
internal import Kafka
internal import News

/// `publish`: puts an editor's articles onto the topic.
struct PublishCommand: Command {
  let usage = CommandUsage(
    name: "publish", summary: "puts an editor's articles onto the Kafka topic",
    operands: CommandUsage.Operands(synopsis: "ARTICLE.json…", count: 1...Int.max), options: EditorsDesk.options,
    explanation: """
      Reads articles in the editors' format, one a file (`-` for standard input), and writes each to the topic under its
      id. Nothing is written unless all of them can be read; what is wrong with one is named with its path, such as
      `translations.fr.headline: empty`. Prints where each one stands. A higher `version` corrects an article, `status:
      canceled` stops it.
      """,
    examples: [
      "tidings publish quake.json --config tidings.yaml", "tidings publish *.json --bootstrap-servers 127.0.0.1:9092",
    ])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let desk = try EditorsDesk(arguments, console)
    var records: [KafkaRecord] = []
    var isFaulty = false
    for file in arguments.operands {
      do {
        let file = try ArticleFile(file, console)
        records.append(KafkaRecord(topic: desk.topic, key: Array(file.article.id.utf8), value: file.bytes))
      } catch CommandFailure.failed(let message) {
        console.say("tidings publish: \(message)")
        isFaulty = true
      }
    }
    guard !isFaulty else {
      console.say("tidings publish: nothing was published")
      throw CommandFailure.reported
    }
    try await desk.send(records) { record, place in
      try console.writeLine(JSONValue.place(place, of: record).text())
    }
  }
}

/// `retract`: withdraws articles.
struct RetractCommand: Command {
  let usage = CommandUsage(
    name: "retract", summary: "withdraws articles: what has not left, stays",
    operands: CommandUsage.Operands(synopsis: "ID…", count: 1...Int.max), options: EditorsDesk.options,
    explanation: """
      Writes a record without a value (a tombstone) under each id. All versions seen so far are withdrawn; a higher
      version published later is told again.
      """,
    examples: ["tidings retract urn:newsroom:quake-20261130 --config tidings.yaml"])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let desk = try EditorsDesk(arguments, console)
    for id in arguments.operands where id.isEmpty || id.utf8.count > Article.idBytesMax {
      throw CommandFailure.usage("\"\(id.prefix(40))\" is no article's id")
    }
    try await desk.send(
      arguments.operands.map { KafkaRecord(topic: desk.topic, key: Array($0.utf8), value: nil) }
    ) { record, place in
      try console.writeLine(JSONValue.place(place, of: record).text())
    }
  }
}

extension JSONValue {
  fileprivate static func place(_ place: KafkaPlace, of record: KafkaRecord) -> JSONValue {
    [
      "id": .string(String(decoding: record.key ?? [], as: UTF8.self)), "topic": .string(place.topic),
      "partition": .number(JSONNumber(Int(place.partition))), "offset": .number(JSONNumber(Int(place.offset))),
    ]
  }
}
