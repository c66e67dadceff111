import Curl
import JSON
import News
import Push
import Telemetry
import TestKit
import Testing
import Time

/// A reader of one category, whose pushes say for whom they are, of which article, in which version, and why.
enum SoakReader {
  /// What a push says; nil where it says something else.
  static func delivery(in body: [UInt8]) -> SoakDelivery? {
    guard let id = text("articleId", in: body), let kind = text("kind", in: body),
      let version = text("version", in: body).flatMap({ Int($0) })
    else { return nil }
    return SoakDelivery(id: id, version: version, kind: kind)
  }

  /// A member of a JSON object of texts, which has no escape. A soak reads hundreds of thousands.
  static func text(_ name: String, in body: [UInt8]) -> String? {
    let mark = Array("\"\(name)\":\"".utf8)
    return body.withUnsafeBytes { bytes in
      guard bytes.count > mark.count else { return nil }
      search: for start in 0..<(bytes.count - mark.count) where bytes[start] == mark[0] {
        for place in 1..<mark.count where bytes[start + place] != mark[place] { continue search }
        let first = start + mark.count
        guard let end = bytes[first...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        return String(decoding: bytes[first..<end], as: UTF8.self)
      }
      return nil
    }
  }

  static func register(_ category: Category, at hub: String) async throws {
    let address = "\(hub)/news/installations/soak-\(category.rawValue)"
    let token = SharedAccessSignature(
      for: address, ruleName: "DefaultListenSharedAccessSignature", key: Secret(Worker.listenKey),
      at: SystemClock().now)
    let template =
      #"{"reader":"\#(category.rawValue)","articleId":"$(articleId)","version":"$(version)","kind":"$(kind)"}"#
    let body: JSONValue = [
      "installationId": .string("soak-\(category.rawValue)"), "platform": "sse",
      "pushChannel": .string("device-of-the-soak-test-\(category.rawValue)"), "tags": [.string(category.rawValue)],
      "templates": ["news": ["body": .string(template)]],
    ]
    let response = try await HTTPClient().send(
      HTTPRequest(
        "PUT", try WebURL(address + "?api-version=2020-06"),
        headers: ["Authorization": token.authorization, "Content-Type": "application/json"], body: body.serialized()))
    try #require(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
  }
}
