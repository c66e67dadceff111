import Curl
import Files
import MicroHTTP
import TestKit
import Testing

@Suite struct TLSTests {
  @Test("A client that trusts the certificate asks, posts and listens over TLS")
  func roundTrip() async throws {
    let server = try HTTPServer(tls: .init(certificate: LoopbackCertificate.certificate, key: LoopbackCertificate.key))
    { request in
      #expect(request.isSecure)
      guard request.target.rawPath == "/events" else { return Response(status: 200, body: request.body) }
      return Response(
        stream: ResponseStream(
          lifetime: .seconds(60), heartbeat: .init(every: .milliseconds(10), bytes: Array(":".utf8))
        ) { writer in
          try await writer.write(Array("first".utf8))
          while true { try await Task.sleep(for: .seconds(60)) }
        })
    }
    let directory = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(directory) }
    let caFile = "\(directory)/ca.pem"
    try FileSystem.write(Array(LoopbackCertificate.certificate.utf8), to: caFile)
    let client = HTTPClient(HTTPClient.Options(caFile: caFile))
    let body = [UInt8](repeating: 7, count: 60_000)
    let answer = try await client.send(
      HTTPRequest("POST", try WebURL("https://localhost:\(server.port)/"), body: body))
    #expect(answer.body == body)
    let stream = try await client.stream(HTTPRequest("GET", try WebURL("https://localhost:\(server.port)/events")))
    var heard: [UInt8] = []
    for try await bytes in stream {
      heard += bytes
      if heard.count > 8, heard.contains(UInt8(ascii: "f")) { break }
    }
    #expect(String(decoding: heard, as: UTF8.self).replacing(":", with: "") == "first")
    await server.stop(within: .seconds(1))
  }

  @Test("Clear text on a TLS port gets nothing, and the server goes on")
  func clearText() async throws {
    let server = try HTTPServer(tls: .init(certificate: LoopbackCertificate.certificate, key: LoopbackCertificate.key))
    { _ in Response(status: 200) }
    for _ in 0..<3 {
      let client = try RawClient(port: server.port)
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(!(await client.readToEnd().contains("HTTP/1.1 200")))
    }
    await server.stop(within: .seconds(1))
  }
}
