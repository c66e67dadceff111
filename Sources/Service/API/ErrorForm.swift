import JSON
import MicroHTTP
import Time

/// How an error is worded.
public enum ErrorForm: Sendable {
  /// `application/problem+json` (RFC 9457).
  case problem
  /// As Azure Notification Hubs does, so that its SDKs understand.
  case azure

  /// The response, at `moment`, to a request with the header fields `headers`.
  func response(
    _ status: Int, _ detail: String, to headers: HeaderFields, at moment: Timestamp, adding more: HeaderFields = [:]
  ) -> Response {
    switch self {
    case .problem:
      var response = Response(problem: status, detail)
      for field in more { response.headers.add(field.name, field.value) }
      return response
    case .azure:
      return AzureAnswer(to: headers, at: moment).error(status, detail, adding: more)
    }
  }
}

extension Response {
  /// An error in words for people and programs. `detail` says what happened and what would be right.
  init(problem status: Int, _ detail: String, retryAfter: Duration? = nil) {
    let problem: JSONValue = [
      "title": .string(reasonPhrase(status)), "status": .number(JSONNumber(status)), "detail": .string(detail),
    ]
    self.init(
      status: status, headers: ["Content-Type": "application/problem+json", "Cache-Control": "no-store"],
      body: problem.serialized())
    if let retryAfter { headers["Retry-After"] = retryAfterSeconds(retryAfter) }
  }

  /// A JSON document that nobody may keep.
  init(json: JSONValue, status: Int = 200) {
    self.init(
      status: status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
      body: json.serialized())
  }
}

/// `Retry-After` in whole seconds, at least one: some clients read a fraction or a zero as "now".
func retryAfterSeconds(_ duration: Duration) -> String {
  String(max(1, Int(duration.inSeconds.rounded(.up))))
}

/// The name of a status code (RFC 9110, 15).
func reasonPhrase(_ status: Int) -> String {
  switch status {
  case 400: "Bad Request"
  case 401: "Unauthorized"
  case 403: "Forbidden"
  case 404: "Not Found"
  case 405: "Method Not Allowed"
  case 413: "Content Too Large"
  case 414: "URI Too Long"
  case 415: "Unsupported Media Type"
  case 429: "Too Many Requests"
  case 431: "Request Header Fields Too Large"
  case 500: "Internal Server Error"
  case 501: "Not Implemented"
  case 503: "Service Unavailable"
  default: "Error"
  }
}
