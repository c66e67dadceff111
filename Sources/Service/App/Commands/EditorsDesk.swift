internal import Kafka
internal import News
internal import Telemetry

/// What `publish` and `retract` share: the topic that editors write to, and how it is reached.
struct EditorsDesk {
  static let config = CommandOption(
    name: "config", value: "FILE", help: "the worker's configuration: its brokers and the first topic of its editors")
  static let bootstrapServers = CommandOption(
    name: "bootstrap-servers", value: "ADDRESS", help: "brokers, instead of a configuration")
  static let topic = CommandOption(name: "topic", value: "TOPIC", help: "another topic than that; articles by default")
  static let options = [config, bootstrapServers, topic]

  /// The topic that is written to.
  let topic: String
  private let settings: KafkaSettings

  /// How long a record may take to arrive: a person waits.
  private static let deliveryTimeout = Duration.seconds(30)

  init(_ arguments: Arguments, _ console: Console) throws {
    switch (arguments.value(Self.config), arguments.value(Self.bootstrapServers)) {
    case (let file?, nil):
      let options = try LoadedConfiguration(
        file: file, environment: console.environment, share: console.share()
      ).options.kafka
      guard let settings = options.settings else {
        throw CommandFailure.failed("\(file) names no brokers: kafka.bootstrapServers is null")
      }
      self.settings = settings
      let configured = options.sources.first { $0.trust == .editor } ?? options.sources.first
      topic = arguments.value(Self.topic) ?? configured?.topic ?? "articles"
    case (nil, let brokers?):
      settings = KafkaSettings(bootstrapServers: brokers)
      topic = arguments.value(Self.topic) ?? "articles"
    case (nil, nil):
      throw CommandFailure.usage("\(Self.config.synopsis) or \(Self.bootstrapServers.synopsis) is missing")
    case (_?, _?):
      throw CommandFailure.usage("--config and --bootstrap-servers exclude each other")
    }
  }

  /// Writes records in order and hands over where each stands.
  func send(_ records: [KafkaRecord], _ onArrival: (KafkaRecord, KafkaPlace) throws -> Void) async throws {
    var options = KafkaProducer.Options()
    options.linger = .zero
    options.deliveryTimeout = Self.deliveryTimeout
    options.recordBytesMax = ArticleFile.bytesMax
    let producer = try KafkaProducer(settings, options: options, logger: .silent)
    do {
      for record in records { try onArrival(record, try await producer.send(record)) }
    } catch let error as KafkaError {
      let reason = producer.unreachableReason
      await producer.close()
      throw CommandFailure.failed(reason.map { "\($0): \(error)" } ?? "\(error)")
    }
    await producer.close()
  }
}
