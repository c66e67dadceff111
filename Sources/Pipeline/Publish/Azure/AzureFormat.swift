public import Push

/// A platform's own payload, by the name that Azure's hub has for it on the wire.
public enum AzureFormat: String, Sendable, Hashable, CaseIterable {
  /// Apple's devices, by APNs.
  case apple
  /// Android, by FCM's version 1.
  case fcmv1
  /// Android, as before 2024.
  case gcm
  /// Windows, by WNS.
  case windows
  /// Windows Phone, by MPNS.
  case windowsphone

  /// The platform.
  public var platform: Platform {
    switch self {
    case .apple: .apns
    case .fcmv1: .fcmV1
    case .gcm: .gcm
    case .windows: .wns
    case .windowsphone: .mpns
    }
  }

  /// The longest payload that the platform's service takes, in bytes.
  public var payloadBytesMax: Int {
    switch self {
    case .apple, .fcmv1, .gcm: 4096
    case .windows: 5000
    // With another 1024 for headers.
    case .windowsphone: 3072
    }
  }

  var isXML: Bool { self == .windows || self == .windowsphone }

  var contentType: String { isXML ? "application/xml" : "application/json;charset=utf-8" }

  /// Headers without which the service delivers nothing.
  var headersRequired: [String] {
    switch self {
    case .windows: ["X-WNS-Type"]
    case .windowsphone: ["X-WindowsPhone-Target", "X-NotificationClass"]
    // iOS 13 and later do not show what does not say that it is an alert.
    case .apple: ["apns-push-type"]
    case .fcmv1, .gcm: []
    }
  }

  /// The object that the body has to have.
  var memberRequired: String? {
    switch self {
    case .apple: "aps"
    case .fcmv1: "message"
    case .gcm: nil
    case .windows, .windowsphone: nil
    }
  }

  /// Why a template may not set a header; nil where it may.
  func problem(ofHeader name: String) -> String? {
    let folded = name.lowercased()
    let prefix =
      switch self {
      case .apple: "apns-"
      case .windows: "x-wns-"
      case .windowsphone: "x-"
      case .fcmv1, .gcm: ""
      }
    if prefix.isEmpty { return "is of no use: \(rawValue) pushes say everything in their body" }
    let isToken = folded.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || byte == UInt8(ascii: "-")
    }
    return folded.hasPrefix(prefix) && isToken ? nil : "is none of \(rawValue): those begin with \(prefix)"
  }
}
