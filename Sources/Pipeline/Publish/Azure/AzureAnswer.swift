internal import Curl
internal import Push
internal import Time

/// What the service answered, as what to do about it.
struct AzureAnswer {
  private let response: HTTPResponse
  private let receivedAt: Timestamp

  /// No wait that a hub asks for is longer: a quota that is back sooner is noticed within this.
  static let waitMax = Duration.seconds(3600)
  /// No wait is shorter: a date that has just passed is no leave to ask at once.
  static let waitMin = Duration.seconds(1)
  /// How long to wait where the hub asks for a rest and does not say how long.
  static let waitDefault = Duration.seconds(10)
  /// Clocks this far apart explain why a fresh token has expired.
  private static let clockSkewMax = Duration.seconds(5 * 60)
  /// As much of an answer is told as fits a line.
  private static let detailLengthMax = 300

  init(_ response: HTTPResponse, receivedAt: Timestamp) {
    self.response = response
    self.receivedAt = receivedAt
  }

  /// Whether the hub did not accept the token.
  var isUnauthorised: Bool { response.status == 401 }

  /// Whether the hub has no credentials for the platform that the message was for.
  var hasNoTarget: Bool {
    response.status == 400 && detail?.lowercased().contains("has no target applications") == true
  }

  /// The receipt; throws what is to be done where there is none.
  func receipt(from connection: AzureConnection, sent size: Int) throws(HubError) -> Receipt {
    let place = connection.place
    switch response.status {
    case 201: return Receipt(notificationID: notificationID ?? trackingID ?? "")
    case 200...299:
      // The documentation has 200; but a page that a gateway serves has it too.
      if let notificationID { return Receipt(notificationID: notificationID) }
      throw .unknown(why: said("as no hub does: check Endpoint in the connection string, \(place)"))
    case 300...399: throw closed(.access, "with another address: Endpoint in the connection string is no hub")
    case 400: throw .refused(why: said("that it cannot read the notification"))
    case 401: throw unauthorised(connection)
    case 403: throw forbidden(connection)
    case 404: throw closed(.access, "that there is no hub \(place): check hub.name and the namespace in Endpoint")
    case 408: throw .retry(after: .zero, why: said("that the request came too slowly"))
    case 413: throw .refused(why: said("that \(size) bytes are too many: 64 KiB is the most that a request may have"))
    case 429: throw .closed(rest("that too much is sent"))
    case 502, 504:
      // A gateway says so, and not the hub, which may have taken it.
      throw .unknown(why: said("for a hub that did not answer it"))
    case 503: throw .closed(rest("that it is busy"))
    case 500...599: throw .retry(after: retryAfter ?? .zero, why: said("that it failed"))
    default: throw .refused(why: said("in a way that no hub does"))
    }
  }

  private func unauthorised(_ connection: AzureConnection) -> HubError {
    let skew = date.map { receivedAt.distance(to: $0) }
    if let skew, max(skew, .zero - skew) > Self.clockSkewMax {
      let (side, distance) = skew > .zero ? ("behind", skew) : ("ahead of", .zero - skew)
      return closed(
        .access,
        "that the token is not valid now: this machine's clock is \(distance.inWords) \(side) the hub's; set it")
    }
    return closed(
      .access,
      "that the key of \(connection.ruleName) is not valid: compare SharedAccessKeyName and SharedAccessKey "
        + "with the access policies of \(connection.place)")
  }

  private func forbidden(_ connection: AzureConnection) -> HubError {
    let words = detail?.lowercased() ?? ""
    if retryAfter != nil || words.contains("quota") { return .closed(rest("that its quota is used up")) }
    if words.contains("tier") { return closed(.access, "that its tier does not allow it: choose another tier") }
    if words.contains("too large") || words.contains("size") {
      return .refused(why: said("that the notification is too large"))
    }
    return closed(
      .access, "that \(connection.ruleName) may not send: give it the right Send, or use a rule that has it")
  }

  private func closed(_ cause: HubClosure.Cause, _ words: String) -> HubError {
    .closed(HubClosure(cause, why: said(words)))
  }

  private func rest(_ words: String) -> HubClosure {
    let wait = retryAfter ?? Self.waitDefault
    return HubClosure(.quota, wait: wait, why: said("\(words); it is left alone for \(wait.inWords)"))
  }

  private func said(_ words: String) -> String {
    "the hub answered \(response.status), \(words)" + (detail.map { " (\($0))" } ?? "")
  }
}

// MARK: - What it says

extension AzureAnswer {
  /// The hub's name for what it took: the last segment of the path of `Location`.
  private var notificationID: String? {
    guard let location = response.headers["Location"] else { return nil }
    let path = location.prefix { $0 != "?" && $0 != "#" }
    return path.split(separator: "/").last.map(String.init)
  }

  /// By this Azure's support finds a request, where the tier has no ids.
  private var trackingID: String? { response.headers["TrackingId"] }

  private var date: Timestamp? {
    response.headers["Date"].flatMap { Timestamp(httpDate: $0, now: receivedAt) }
  }

  /// How long the hub wants to be left alone, within bounds.
  private var retryAfter: Duration? {
    guard let text = response.headers["Retry-After"] else { return nil }
    let wait: Duration
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      wait = .seconds(Int64(text.prefix(9)) ?? 0)
    } else if let until = Timestamp(httpDate: text, now: receivedAt) {
      // Counted from the hub's own clock, so that ours may be wrong.
      wait = (date ?? receivedAt).distance(to: until)
    } else {
      return nil
    }
    return min(max(wait, Self.waitMin), Self.waitMax)
  }

  /// The service's own words, on one line.
  private var detail: String? {
    let body = String(decoding: response.body, as: UTF8.self)
    var text = body[...]
    if let start = body.firstRange(of: "<Detail>"), let end = body[start.upperBound...].firstRange(of: "</Detail>") {
      text = body[start.upperBound..<end.lowerBound]
    }
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    // What it found wrong with a token might repeat the token.
    guard !words.isEmpty, !words.contains("sig=") else { return nil }
    let line = String(
      String.UnicodeScalarView(words.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    return line.count <= Self.detailLengthMax ? line : line.prefix(Self.detailLengthMax) + "…"
  }
}
