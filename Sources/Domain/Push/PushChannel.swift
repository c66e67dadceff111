public import JSON

/// The address at which a platform's push service knows a device.
public enum PushChannel: Hashable, Sendable {
  /// A token, a channel's URI or whatever else a platform calls it.
  case handle(String)
  /// A browser's subscription (W3C Push API).
  case browser(BrowserSubscription)

  /// The text that tells the device from all others of its platform.
  public var handle: String {
    switch self {
    case .handle(let handle): handle
    case .browser(let subscription): subscription.endpoint
    }
  }

  /// The channel as an installation writes it.
  public var json: JSONValue {
    switch self {
    case .handle(let handle): .string(handle)
    case .browser(let subscription):
      subscription.isWrittenAsText ? .string(subscription.json.text()) : subscription.json
    }
  }
}

/// Where a browser's push service takes messages for one page, and the keys to encrypt them with (RFC 8291).
public struct BrowserSubscription: Hashable, Sendable {
  /// The push service's address for it.
  public let endpoint: String
  /// The browser's public key, base64url.
  public let p256dh: String
  /// The shared secret, base64url.
  public let auth: String
  /// Whether the device wrote the object as a string that holds its JSON; it reads it back the same way.
  let isWrittenAsText: Bool

  var json: JSONValue { ["endpoint": .string(endpoint), "p256dh": .string(p256dh), "auth": .string(auth)] }
}

extension PushChannel {
  /// What a listening device's handle has to be at least, in base64url characters: 22 hold 128 bits, and the handle is
  /// all that keeps strangers from listening along.
  public static let listenerHandleLengthMin = 22

  /// The channel that `json` is on `platform`; fails when that platform knows no such address.
  init(json: JSONValue, platform: Platform) throws(PushChannelError) {
    if platform == .browser {
      self = .browser(try BrowserSubscription(json: json))
      return
    }
    guard let handle = json.string, !handle.isEmpty else {
      throw PushChannelError(message: "pushChannel has to be a string that is not empty, found \(json.kind)")
    }
    switch platform {
    case .apns: try Self.checkDeviceToken(handle)
    case .wns, .mpns: try Self.checkChannelURI(handle)
    case .sse: try Self.checkListenerHandle(handle)
    case .gcm, .fcmV1, .adm, .baidu, .browser, .xiaomi: break
    }
    self = .handle(handle)
  }

  private static func checkDeviceToken(_ token: String) throws(PushChannelError) {
    guard token.unicodeScalars.allSatisfy({ $0.properties.isASCIIHexDigit }) else {
      throw PushChannelError(message: "One or more characters in device token is not a hexadecimal digit.")
    }
    guard token.utf8.count.isMultiple(of: 2) else {
      throw PushChannelError(message: "Device token is either empty OR it has odd number of nibbles.")
    }
  }

  private static func checkChannelURI(_ uri: String) throws(PushChannelError) {
    guard let scheme = uri.firstRange(of: "://"), !uri[..<scheme.lowerBound].isEmpty, !uri[scheme.upperBound...].isEmpty
    else { throw PushChannelError(message: "Channel URI is either null, empty or not absolute value.") }
  }

  private static func checkListenerHandle(_ handle: String) throws(PushChannelError) {
    let isBase64URL = handle.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
      default: false
      }
    }
    guard isBase64URL, handle.utf8.count >= listenerHandleLengthMin else {
      throw PushChannelError(
        message: "The handle of a listening device is its secret: it has to be at least \(listenerHandleLengthMin) "
          + "characters of A-Z a-z 0-9 - _, drawn at random.")
    }
  }
}

extension BrowserSubscription {
  fileprivate init(json: JSONValue) throws(PushChannelError) {
    let object = json.string.map { try? JSONValue(parsing: $0) } ?? json
    guard let endpoint = object?["endpoint"]?.string, !endpoint.isEmpty, let p256dh = object?["p256dh"]?.string,
      let auth = object?["auth"]?.string
    else {
      throw PushChannelError(
        message: "pushChannel of a browser has to be an object of endpoint, p256dh and auth, or its JSON in a string")
    }
    self.init(endpoint: endpoint, p256dh: p256dh, auth: auth, isWrittenAsText: json.string != nil)
  }
}

/// Why a JSON value is no push channel of its platform.
struct PushChannelError: Error {
  let message: String
}
