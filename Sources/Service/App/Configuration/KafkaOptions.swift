internal import Curl
internal import Ingest
internal import Kafka
internal import News
internal import Telemetry
internal import YAML

/// Where editors' articles come from; nothing without `bootstrapServers`.
struct KafkaOptions: ConfigurationSection {
  var bootstrapServers: String?
  var group = "tidings"
  var sources = [Topic()]
  var deadLetters = "articles.dlq"
  var decisions: String? = "tidings.decisions"
  var relayFeeds = true
  var transactionalID: String?
  var schemaRegistry: Registry?
  var inFlight = InFlight()
  var properties: [String: Property] = [:]

  static let options: [ConfigurationOption<KafkaOptions>] = [
    .init("bootstrapServers", \.bootstrapServers, .optional(.brokers)),
    .init("group", \.group, .text),
    .init("sources", \.sources, .list(of: .section)),
    .init("deadLetters", \.deadLetters, .topic),
    .init("decisions", \.decisions, .optional(.topic)),
    .init("relayFeeds", \.relayFeeds, .flag),
    .init("transactionalId", \.transactionalID, .optional(.text)),
    .init("schemaRegistry", \.schemaRegistry, .optional(.section)),
    .init("inFlight", \.inFlight, .section),
    .init("properties", \.properties, .kafkaProperties),
  ]

  /// A topic that is followed.
  struct Topic: ConfigurationSection {
    var topic = "articles"
    var category: News.Category?
    var language: String?
    var trust = Trust.editor

    static let options: [ConfigurationOption<Topic>] = [
      .init("topic", \.topic, .topic, isRequired: true),
      .init("category", \.category, .optional(.choice)),
      .init("language", \.language, .optional(.language)),
      .init("trust", \.trust, .choice),
    ]
  }

  /// Where the schemas of Confluent's wire format are.
  struct Registry: ConfigurationSection {
    var url: WebURL?
    var username: String?
    var password: Secret?
    var caFile: String?

    static let options: [ConfigurationOption<Registry>] = [
      .init("url", \.url, .optional(.webURL), isRequired: true),
      .init("username", \.username, .optional(.text)),
      .init("password", \.password, .optional(.secret)),
      .init("caFile", \.caFile, .optional(.certificateFile)),
    ]
  }

  /// How much is read ahead.
  struct InFlight: ConfigurationSection {
    var records = 4_096
    var bytes = 32 << 20

    static let options: [ConfigurationOption<InFlight>] = [
      .init("records", \.records, .integer(1...100_000)),
      .init("bytes", \.bytes, .size((1 << 20)...(1 << 30))),
    ]
  }

  /// One of librdkafka's settings.
  struct Property: Sendable, Hashable {
    var value: Secret
    /// Whether it may be shown.
    var isShown: Bool
  }

  /// How the brokers are reached; nil where Kafka is not used.
  var settings: KafkaSettings? {
    bootstrapServers.map { KafkaSettings(bootstrapServers: $0, properties: properties.mapValues(\.value)) }
  }

  /// What is read.
  var sourceOptions: KafkaArticleSource.Options {
    var options = KafkaArticleSource.Options(
      group: group,
      topics: sources.map {
        FollowedTopic(topic: $0.topic, category: $0.category, language: $0.language, trust: $0.trust)
      }, deadLetters: deadLetters, transactionalID: transactionalID)
    options.recordsMax = inFlight.records
    options.bytesMax = inFlight.bytes
    return options
  }

  /// The topic onto which feeds' articles go; nil where each worker tells what its own feeds brought.
  var feedTopic: String? { bootstrapServers != nil && relayFeeds ? sources.first?.topic : nil }

  /// Reports what does not fit together.
  func check(_ reader: inout ConfigurationReader) {
    if let registry = schemaRegistry, (registry.username == nil) != (registry.password == nil) {
      reader.report(
        "a user has a name and a password", remedy: "give both \"username\" and \"password\", or neither",
        at: "kafka.schemaRegistry")
    }
    if sources.isEmpty && reader.isSound("kafka.sources") {
      reader.report(
        "there is no topic", remedy: "leave \"sources\" out for the topic articles", at: "kafka.sources")
    }
    for (index, source) in sources.enumerated() where source.topic == deadLetters || source.topic == decisions {
      let other = source.topic == deadLetters ? "dead letters" : "decisions"
      reader.report(
        "what is written would be read again: \"\(source.topic)\" is the topic of \(other)",
        remedy: "give one of them another name", at: "kafka.sources[\(index)]")
    }
  }
}

extension ValueForm<String> {
  /// Addresses of brokers.
  static var brokers: ValueForm {
    .scalar(
      "addresses such as kafka-1.example.org:9092,kafka-2.example.org:9092",
      parse: { text in
        let addresses = text.split(separator: ",", omittingEmptySubsequences: false)
        let areAddresses = addresses.allSatisfy { address in
          let parts = address.split(separator: ":", omittingEmptySubsequences: false)
          guard let host = parts.first, !host.isEmpty, !address.contains(where: { $0.isWhitespace || $0 == "/" })
          else { return address.hasPrefix("[") && address.contains("]") }
          return parts.count == 1 || (1...65535).contains(parts.last.flatMap { Int($0) } ?? 0)
        }
        return areAddresses ? text : nil
      }, show: { $0 })
  }

  /// A topic's name.
  static var topic: ValueForm {
    .scalar(
      "a topic's name: letters, digits, - . _, at most 249",
      parse: { text in
        let isName = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "-._".contains($0) }
        return isName && (1...249).contains(text.count) && text != "." && text != ".." ? text : nil
      }, show: { $0 })
  }
}

extension ValueForm<[String: KafkaOptions.Property]> {
  /// Settings of librdkafka, each as its own documentation names it. What stands in a file of its own and what its
  /// name says is a secret are not shown.
  static var kafkaProperties: ValueForm {
    let secret = ValueForm<Secret>.secret
    let expectation = "a mapping from librdkafka's properties to their values, each \(secret.expectation)"
    return ValueForm(
      expectation: expectation,
      read: { node, reader in
        guard case .mapping(let entries) = node.content else {
          reader.report("a mapping should stand here", remedy: "write \(expectation)", at: node.mark)
          return nil
        }
        var properties: [String: KafkaOptions.Property] = [:]
        for entry in entries {
          let value = reader.reading(entry.key, at: entry.value.mark) { secret.read(entry.value, &$0) }
          guard let value else { continue }
          if let fault = KafkaSettings.fault(in: entry.key, value: value) {
            let isKnown = KafkaSettings.propertyNames.contains(entry.key)
            reader.report(
              fault,
              remedy: isKnown
                ? nil : KafkaSettings.propertyNames.nearest(to: entry.key).map { "did you mean \"\($0)\"?" },
              at: entry.mark)
            continue
          }
          var isShown = !KafkaSettings.isSecret(entry.key)
          if case .mapping = entry.value.content { isShown = false }
          properties[entry.key] = KafkaOptions.Property(value: value, isShown: isShown)
        }
        return properties.count == entries.count ? properties : nil
      },
      show: { properties in
        .mapping(
          properties.sorted { $0.key < $1.key }.map { name, property in
            (name, property.isShown ? .text(property.value.reveal()) : secret.show(property.value))
          })
      })
  }
}
