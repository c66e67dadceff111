// Kafka: brings records to and from brokers that speak Kafka's protocol. Never knows what a record says.

internal import CRdKafka
public import Telemetry

/// How a client reaches its brokers: their addresses, and any of librdkafka's settings but those that belong to the
/// client itself.
public struct KafkaSettings: Sendable {
  /// Addresses of some brokers, `host:port` with commas between.
  public let bootstrapServers: String
  private let properties: [String: Secret]

  /// Settings for the brokers at these addresses. Of `properties`, those for which `fault(in:value:)` finds nothing
  /// take effect.
  public init(bootstrapServers: String, properties: [String: Secret] = [:]) {
    self.bootstrapServers = bootstrapServers
    self.properties = properties
  }

  /// What keeps a property from being set to a value, in words without the value; nil where nothing does.
  public static func fault(in name: String, value: Secret) -> String? {
    if let reason = owned(name) { return reason }
    let configuration = ClientConfiguration()
    do { try configuration.set(name, value.reveal()) } catch {
      // librdkafka's own words quote the value.
      return error.isUnknownProperty
        ? "librdkafka has no property \(name)" : "librdkafka takes no such value for \(name)"
    }
    return nil
  }

  /// The names of the properties that librdkafka has.
  public static let propertyNames: [String] = {
    let configuration = ClientConfiguration()
    var names: [String] = []
    configuration.with { conf in
      var count = 0
      guard let dump = rd_kafka_conf_dump(conf, &count) else { return }
      defer { rd_kafka_conf_dump_free(dump, count) }
      for place in stride(from: 0, to: count, by: 2) {
        if let name = dump[place] { names.append(String(cString: name)) }
      }
    }
    return names
  }()

  /// Whether a property's value is a secret: it is never shown.
  public static func isSecret(_ name: String) -> Bool {
    ["password", "secret", "key.pem", "keystore.pem", "oauthbearer.config"].contains { name.contains($0) }
  }

  /// Why a property is not for users to set; nil where it is.
  private static func owned(_ name: String) -> String? {
    switch name {
    case "bootstrap.servers", "metadata.broker.list": "the brokers are named by bootstrapServers"
    case "group.id": "the group is named by group"
    case "plugin.library.paths": "no code is loaded into the worker"
    case "transactional.id", "delivery.report.only.error", "enable.partition.eof":
      "the worker sets \(name) itself"
    case _ where name.hasPrefix("enable.auto.") || name.hasPrefix("auto.commit."):
      "the worker commits an offset when the record's effect is committed, and at no other time"
    default: nil
    }
  }

  /// Where a group begins that has committed nothing, as a logical offset; nil where that is an error. The words are
  /// those of librdkafka's `auto.offset.reset`; without it such a group begins with what waits in the topic.
  var startOfNewGroup: Int64? {
    switch properties["auto.offset.reset"]?.reveal() {
    case nil, "smallest", "earliest", "beginning": Int64(RD_KAFKA_OFFSET_BEGINNING)
    case "largest", "latest", "end": Int64(RD_KAFKA_OFFSET_END)
    default: nil
    }
  }

  /// librdkafka's configuration: `defaults` give way to the properties, `fixed` do not.
  func configuration(
    defaults: [String: String], fixed: [String: String]
  ) throws(KafkaError) -> ClientConfiguration {
    let configuration = ClientConfiguration()
    for (name, value) in defaults { try configuration.set(name, value) }
    for (name, value) in properties where Self.owned(name) == nil { try configuration.set(name, value.reveal()) }
    for (name, value) in fixed { try configuration.set(name, value) }
    try configuration.set("bootstrap.servers", bootstrapServers)
    return configuration
  }
}

/// Owns an `rd_kafka_conf_t` until a client takes it over.
final class ClientConfiguration {
  private var pointer: OpaquePointer?

  init() { pointer = rd_kafka_conf_new() }

  deinit {
    if let pointer { rd_kafka_conf_destroy(pointer) }
  }

  func set(_ name: String, _ value: String) throws(KafkaError) {
    var message = ErrorText()
    let result = message.filled { rd_kafka_conf_set(pointer, name, value, $0, $1) }
    guard result != RD_KAFKA_CONF_OK else { return }
    throw KafkaError(
      result == RD_KAFKA_CONF_UNKNOWN ? RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC : RD_KAFKA_RESP_ERR__INVALID_ARG,
      KafkaSettings.isSecret(name) ? "\(name) cannot be set to the value given" : message.text,
      isUnknownProperty: result == RD_KAFKA_CONF_UNKNOWN)
  }

  /// Calls librdkafka for a setting that is no text.
  func with(_ body: (OpaquePointer) -> Void) {
    if let pointer { body(pointer) }
  }

  /// Makes a client, which takes the configuration over; a failure leaves it here.
  func makeClient(_ type: rd_kafka_type_t) throws(KafkaError) -> OpaquePointer {
    var message = ErrorText()
    guard let client = message.filled({ rd_kafka_new(type, pointer, $0, $1) }) else {
      throw KafkaError(RD_KAFKA_RESP_ERR__INVALID_ARG, message.text)
    }
    pointer = nil
    return client
  }
}

/// Room for librdkafka's words about a failure.
struct ErrorText {
  private var bytes = [CChar](repeating: 0, count: 512)

  mutating func filled<Result>(_ body: (UnsafeMutablePointer<CChar>?, Int) -> Result) -> Result {
    bytes.withUnsafeMutableBufferPointer { body($0.baseAddress, $0.count) }
  }

  var text: String {
    String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
