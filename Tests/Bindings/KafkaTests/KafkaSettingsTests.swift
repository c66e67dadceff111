import Kafka
import Telemetry
import Testing

@Suite struct KafkaSettingsTests {
  @Test(
    "A property that librdkafka knows may be set",
    arguments: [
      ("security.protocol", "SASL_SSL"), ("sasl.mechanism", "SCRAM-SHA-512"), ("sasl.password", "p"),
      ("sasl.oauthbearer.config", "principal=me"), ("ssl.ca.location", "/etc/ssl/certs"),
      ("group.instance.id", "worker-1"), ("session.timeout.ms", "6000"), ("client.rack", "a"),
      ("partition.assignment.strategy", "range"), ("compression.type", "zstd"),
    ])
  func known(_ name: String, _ value: String) {
    #expect(KafkaSettings.fault(in: name, value: Secret(value)) == nil)
  }

  @Test(
    "What the worker owns may not be set, and the reason is given",
    arguments: [
      "enable.auto.commit", "enable.auto.offset.store", "plugin.library.paths", "group.id", "bootstrap.servers",
      "transactional.id", "enable.partition.eof", "delivery.report.only.error",
    ])
  func owned(_ name: String) throws {
    let fault = try #require(KafkaSettings.fault(in: name, value: Secret("true")))
    #expect(!fault.contains("librdkafka"))
  }

  @Test("An unknown property and a value that does not suit are told apart, and the value is not repeated")
  func faults() {
    #expect(
      KafkaSettings.fault(in: "sesion.timeout.ms", value: Secret("1")) == "librdkafka has no property sesion.timeout.ms"
    )
    #expect(
      KafkaSettings.fault(in: "session.timeout.ms", value: Secret("hunter2"))
        == "librdkafka takes no such value for session.timeout.ms")
  }

  @Test(
    "Passwords and keys are secrets, addresses are none",
    arguments: [
      ("sasl.password", true), ("ssl.key.password", true), ("ssl.key.pem", true), ("ssl.keystore.password", true),
      ("sasl.oauthbearer.client.secret", true), ("sasl.username", false), ("ssl.ca.location", false),
    ])
  func secrets(_ name: String, _ isSecret: Bool) {
    #expect(KafkaSettings.isSecret(name) == isSecret)
  }

  @Test("A client says why it cannot be made")
  func refused() {
    let settings = KafkaSettings(
      bootstrapServers: "127.0.0.1:9",
      properties: ["security.protocol": Secret("sasl_ssl"), "sasl.mechanism": Secret("PLAIN")])
    #expect(throws: KafkaError.self) { try KafkaProducer(settings, logger: .silent) }
  }
}
