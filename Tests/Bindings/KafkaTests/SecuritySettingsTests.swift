import Glibc
import Kafka
import Synchronization
import Telemetry
import Testing

/// What of the security settings leaves a client, byte for byte, seen by a listener that is no broker.
@Suite(.timeLimit(.minutes(1))) struct SecuritySettingsTests {
  /// Takes one connection on loopback, says which requests it would take, and keeps what comes then.
  private final class FirstBytes: Sendable {
    let port: UInt16
    private let listener: Int32

    init() throws {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let bound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          bind(listener, pointer, length) == 0 && listen(listener, 8) == 0
            && getsockname(listener, pointer, &length) == 0
        }
      }
      self.listener = listener
      port = UInt16(bigEndian: address.sin_port)
      try #require(bound)
    }

    deinit { close(listener) }

    private static func next(from connection: Int32) -> [UInt8] {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(connection, &buffer, buffer.count, 0)
      return Array(buffer.prefix(max(count, 0)))
    }

    /// ApiVersions, version 3: no error, then each request that is taken with its lowest and highest version.
    private static func versions(answering number: [UInt8]) -> [UInt8] {
      let requests: [(UInt8, UInt8)] = [(0, 7), (1, 11), (3, 2), (17, 1), (18, 3), (36, 1)]
      var body = number + [0, 0, UInt8(requests.count + 1)]
      for (request, highest) in requests { body += [0, request, 0, 0, 0, highest, 0] }
      body += [0, 0, 0, 0, 0]
      return [0, 0, 0, UInt8(body.count)] + body
    }

    /// The first bytes of the first connection that says any, behind the question for versions.
    func read() async -> [UInt8] {
      await withCheckedContinuation { continuation in
        let thread = Thread { [listener] in
          var bytes: [UInt8] = []
          while bytes.isEmpty {
            let connection = accept(listener, nil, nil)
            bytes = Self.next(from: connection)
            if bytes.count > 12, Array(bytes[4..<6]) == [0, 18] {
              let answer = Self.versions(answering: Array(bytes[8..<12]))
              _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
              bytes = Self.next(from: connection)
            }
            close(connection)
          }
          continuation.resume(returning: bytes)
        }
        thread.start()
      }
    }
  }

  /// A thread, because accepting blocks.
  private struct Thread {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func start() {
      final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
      }
      var thread = pthread_t()
      pthread_create(
        &thread, nil,
        { argument in
          Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
          return nil
        }, Unmanaged.passRetained(Box(body)).toOpaque())
      pthread_detach(thread)
    }
  }

  private func first(_ properties: [String: String]) async throws -> [UInt8] {
    let listener = try FirstBytes()
    let producer = try KafkaProducer(
      KafkaSettings(
        bootstrapServers: "127.0.0.1:\(listener.port)", properties: properties.mapValues { Secret($0) }),
      logger: .silent)
    let bytes = await listener.read()
    await producer.close(timeout: .zero)
    return bytes
  }

  @Test("With TLS a client begins with its hello", arguments: ["SSL", "SASL_SSL"])
  func tls(_ protocolName: String) async throws {
    let bytes = try await first([
      "security.protocol": protocolName, "sasl.mechanism": "PLAIN", "sasl.username": "tidings", "sasl.password": "p",
    ])
    // A record of a handshake, its version, its length; then the client's hello (RFC 8446, sections 4 and 5.1).
    #expect(bytes.count > 6 && bytes[0] == 0x16 && bytes[1] == 3 && bytes[5] == 1)
  }

  @Test(
    "With SASL a client begins by naming its mechanism",
    arguments: ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"])
  func sasl(_ mechanism: String) async throws {
    let bytes = try await first([
      "security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": mechanism, "sasl.username": "tidings",
      "sasl.password": "a secret password", "enable.sasl.oauthbearer.unsecure.jwt": "true",
      "sasl.oauthbearer.config": "principal=tidings",
    ])
    // Length, then SaslHandshake, request 17 of Kafka's protocol.
    #expect(bytes.count > 8 && Array(bytes[4..<6]) == [0, 17])
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.hasSuffix(mechanism))
    #expect(!text.contains("secret"))
  }
}
