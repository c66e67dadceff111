internal import Publish
internal import Push
internal import Telemetry
internal import YAML

/// A hub that takes notifications: the built-in one, or one of Azure's.
struct HubSettings: ConfigurationSection {
  /// Which hub it is.
  enum Kind: String, CaseIterable {
    case builtin, azure
  }

  /// What is sent to it.
  enum Format: String, CaseIterable {
    /// Once for all, by the templates that its devices brought.
    case template
    case apple, fcmv1, gcm, windows, windowsphone

    /// The platform's own payload; nil for templates.
    var native: AzureFormat? { AzureFormat(rawValue: rawValue) }
  }

  var kind = Kind.builtin
  var name = "news"
  var routing: Written<Routing>?
  var locales: [String] = []
  var accessRules: [Rule] = []
  var reservedTags = ["username:", "from:", "$UserId"]
  var mailbox = Mailbox()
  var connectionString: ConnectionString?
  var caFile: String?
  var formats = [Format.template]
  var templates: String?

  static let options: [ConfigurationOption<HubSettings>] = [
    .init("kind", \.kind, .choice),
    .init("name", \.name, .hubName),
    .init("routing", \.routing, .optional(.routing)),
    .init("locales", \.locales, .list(of: .text)),
    .init("accessRules", \.accessRules, .list(of: .section)),
    .init("reservedTags", \.reservedTags, .list(of: .text)),
    .init("mailbox", \.mailbox, .section),
    .init("connectionString", \.connectionString, .optional(.connectionString)),
    .init("caFile", \.caFile, .optional(.certificateFile)),
    .init("formats", \.formats, .list(of: .choice)),
    .init("templates", \.templates, .optional(.text)),
  ]
  /// What belongs to one kind of hub only.
  private static let owned: [Kind: [String]] = [
    .builtin: ["accessRules", "reservedTags", "mailbox"],
    .azure: ["connectionString", "caFile", "formats", "templates"],
  ]

  /// Fills in the name that the connection string brings, and reports what does not belong to the kind of hub.
  mutating func complete(_ reader: inout ConfigurationReader, at mark: YAMLNode.Mark) {
    guard reader.isSound("kind") else { return }
    let defaults = HubSettings()
    for (owner, names) in Self.owned where owner != kind {
      for option in Self.options where names.contains(option.name) && option.show(self) != option.show(defaults) {
        reader.report(
          "\"\(option.name)\" belongs to a hub of the kind \(owner.rawValue)",
          remedy: "remove it, or write kind: \(owner.rawValue)", at: reader.writtenMark(option.name) ?? mark)
      }
    }
    if kind == .azure { completeAzure(&reader, at: mark) }
  }

  private mutating func completeAzure(_ reader: inout ConfigurationReader, at mark: YAMLNode.Mark) {
    if let connectionString {
      completeName(connectionString, &reader, at: mark)
    } else if reader.isSound("connectionString") {
      reader.report(
        "\"connectionString\" is missing", remedy: "Azure's portal shows it under the hub's access policies", at: mark)
    }
    guard reader.isSound("formats") else { return }
    let place = reader.writtenMark("formats")
    if formats.isEmpty {
      reader.report("nothing would be sent to the hub", remedy: "write [template]", at: place)
    } else if formats.contains(.template) && formats.count > 1 {
      reader.report(
        "who has a template would hear everything twice",
        remedy: "write [template], or platforms without it", at: place)
    }
    for (index, format) in formats.enumerated() where formats[..<index].contains(format) {
      reader.report(
        "\(format.rawValue) stands here for the second time", at: reader.writtenMark("formats[\(index)]") ?? place)
    }
  }

  private mutating func completeName(
    _ connection: ConnectionString, _ reader: inout ConfigurationReader, at mark: YAMLNode.Mark
  ) {
    let written = reader.writtenMark("name")
    switch (connection.hub, written) {
    case (let hub?, nil):
      do { name = try checkedHubName(hub) } catch {
        reader.report(
          "EntityPath \"\(hub)\" names no hub: \(error)", at: reader.writtenMark("connectionString") ?? mark)
      }
    case (let hub?, let written?) where hub.lowercased() != name.lowercased() && reader.isSound("name"):
      reader.report(
        "the connection string is for the hub \"\(hub)\"", remedy: "leave the name out, or EntityPath", at: written)
    case (nil, nil):
      reader.report(
        "the hub's \"name\" is missing", remedy: "write it, or EntityPath=… in the connection string", at: mark)
    default: break
    }
  }
}

extension HubSettings {
  /// What is done for devices that listen to the hub itself.
  struct Mailbox: ConfigurationSection {
    var keep = Duration.seconds(3 * 86_400)
    var listeners = 10_000

    static let options: [ConfigurationOption<Mailbox>] = [
      .init("keep", \.keep, .duration(.seconds(60)...(.seconds(28 * 86_400)))),
      .init("listeners", \.listeners, .integer(1...100_000)),
    ]
  }

  /// A key by which devices and senders prove what they may do.
  struct Rule: ConfigurationSection {
    var name = ""
    var key = Secret("")
    var secondaryKey: Secret?
    var rights: [AccessRight] = []

    static let options: [ConfigurationOption<Rule>] = [
      .init("name", \.name, .text, isRequired: true),
      .init("key", \.key, .secret, isRequired: true),
      .init("secondaryKey", \.secondaryKey, .optional(.secret)),
      .init("rights", \.rights, .list(of: .choice), isRequired: true),
    ]

    /// The rule as the hub holds it.
    var rule: AccessRule {
      AccessRule(name: name, keys: [key] + (secondaryKey.map { [$0] } ?? []), rights: Set(rights))
    }
  }
}

extension Configuration {
  /// Every hub that notifications go to.
  var everyHub: [HubSettings] { hubs.isEmpty ? [hub] : hubs }

  /// The built-in hub, where it is one of them.
  var builtInHub: HubSettings? { everyHub.first { $0.kind == .builtin } }

  /// Reports what does not fit together between hubs, or between them and the rest.
  func checkHubs(_ reader: inout ConfigurationReader) {
    if let mark = reader.writtenMark("hub"), !hubs.isEmpty {
      reader.report("\"hub\" and \"hubs\" are both written", remedy: "put all hubs into \"hubs\"", at: mark)
    }
    let paths = hubs.isEmpty ? ["hub"] : hubs.indices.map { "hubs[\($0)]" }
    var addresses: Set<String> = []
    for (hub, path) in zip(everyHub, paths) {
      checkLocales(of: hub, at: path, &reader)
      hub.checkAccessRules(at: path, &reader)
      if !addresses.insert(hub.address).inserted {
        reader.report(
          hub.kind == .builtin ? "there is one built-in hub only" : "\(hub.name) stands here for the second time",
          remedy: "remove it, or put its formats and locales into the first", at: path)
      }
    }
  }

  private func checkLocales(of hub: HubSettings, at path: String, _ reader: inout ConfigurationReader) {
    let known = locales.map(\.name)
    for (index, name) in hub.locales.enumerated() where !known.contains(name) && reader.isSound("locales") {
      reader.report(
        "there is no locale \"\(name)\"", remedy: known.suggestion(for: name), at: "\(path).locales[\(index)]")
    }
    for (index, name) in hub.locales.enumerated() where hub.locales[..<index].contains(name) {
      reader.report("the locale \"\(name)\" stands here for the second time", at: "\(path).locales[\(index)]")
    }
  }
}

extension HubSettings {
  /// Where it is: two hubs of one address are one.
  fileprivate var address: String {
    switch kind {
    case .builtin: ""
    case .azure: "\(connectionString?.endpoint ?? "")/\(name.lowercased())"
    }
  }

  fileprivate func checkAccessRules(at path: String, _ reader: inout ConfigurationReader) {
    for (index, rule) in accessRules.enumerated() {
      let path = "\(path).accessRules[\(index)]"
      if rule.rights.isEmpty && reader.isSound("\(path).rights") {
        let known = AccessRight.allCases.map(\.rawValue).joined(separator: ", ")
        reader.report("the rule gives no right", remedy: "write some of \(known)", at: "\(path).rights")
      }
      for (option, text) in [("name", rule.name), ("key", rule.key.reveal())]
      where text.count > AccessRule.lengthMax {
        reader.report(
          "the \(option) has more than \(AccessRule.lengthMax) characters", at: "\(path).\(option)")
      }
    }
    reader.reportRepetitions(of: accessRules.map(\.name), named: "the access rule", in: "\(path).accessRules")
  }
}
