internal import JSON
internal import Kafka
internal import OpenSSL

/// CloudEvents 1.0 over Kafka (https://github.com/cloudevents/spec, "Kafka Protocol Binding"): the envelope around an
/// article. Pure.
enum CloudEvent {
  /// How a record carries an event.
  enum Mode: Hashable {
    /// Its attributes are headers, its value the data.
    case binary
    /// Its value is an envelope in JSON.
    case structured
  }

  /// Whether a record carries an event, and how; nil where it carries none. Without a content type an envelope is known
  /// by its `specversion`.
  static func mode(of message: KafkaMessage, _ json: JSONValue) throws(UnreadableRecord) -> Mode? {
    let type = (message.text("content-type") ?? "").lowercased()
    if type.hasPrefix("application/cloudevents-batch") {
      throw UnreadableRecord(
        stage: .record, message: "content-type: a batch of CloudEvents; one event a record is read")
    }
    if type.hasPrefix("application/cloudevents") {
      guard type.hasPrefix("application/cloudevents+json") else {
        throw UnreadableRecord(stage: .record, message: "content-type: \"\(type.prefix(60))\" is not read, +json is")
      }
      return .structured
    }
    if let version = message.text("ce_specversion") {
      try check(version, at: "ce_specversion")
      // In Confluent's wire format it is JSON by now, whatever it says.
      guard type.isEmpty || isJSON(type) || ArticleRecord.schemaNumber(of: message) != nil else {
        throw UnreadableRecord(stage: .record, message: "content-type: \"\(type.prefix(60))\" is no JSON")
      }
      return .binary
    }
    return json["specversion"] != nil && (json["data"] != nil || json["data_base64"] != nil) ? .structured : nil
  }

  /// The data of an envelope, and where it stands in it.
  static func data(of envelope: JSONValue) throws(UnreadableRecord) -> (path: String, json: JSONValue) {
    guard case .object(let object) = envelope else {
      throw UnreadableRecord(stage: .decode, message: "no CloudEvent: is \(envelope.kind), an envelope is an object")
    }
    guard let version = object["specversion"]?.string else {
      throw UnreadableRecord(stage: .decode, message: "no CloudEvent: specversion: is missing")
    }
    try check(version, at: "specversion")
    if let type = object["datacontenttype"]?.string, !isJSON(type.lowercased()) {
      throw UnreadableRecord(stage: .decode, message: "datacontenttype: \"\(type.prefix(60))\" is no JSON")
    }
    if let data = object["data"], !data.isNull { return ("data", data) }
    guard let text = object["data_base64"]?.string else {
      throw UnreadableRecord(stage: .decode, message: "no CloudEvent of an article: data: is missing")
    }
    guard let bytes = Base64.standard.decode(text) else {
      throw UnreadableRecord(stage: .decode, message: "data_base64: is no Base64")
    }
    do throws(JSONError) { return ("data_base64", try JSONValue(parsing: bytes)) } catch {
      throw UnreadableRecord(stage: .parse, message: "data_base64: no JSON: \(error)")
    }
  }

  private static func check(_ version: String, at place: String) throws(UnreadableRecord) {
    guard version == "1.0" else {
      throw UnreadableRecord(stage: .record, message: "\(place): CloudEvents \"\(version.prefix(20))\"; 1.0 is read")
    }
  }

  /// `application/json`, `text/json`, or a type that says it is written in it (RFC 6839).
  private static func isJSON(_ type: String) -> Bool {
    let essence = type.prefix { $0 != ";" }.filter { $0 != " " }
    return essence.hasSuffix("/json") || essence.hasSuffix("+json")
  }
}

extension KafkaMessage {
  /// A header's text; nil where there is none, or it is no text.
  func text(_ name: String) -> String? {
    headers.last { $0.name.lowercased() == name }?.value.flatMap { String(validating: $0, as: UTF8.self) }
  }
}
