internal import Curl
internal import News
internal import Push
internal import Telemetry
internal import YAML

extension Configuration {
  /// Reports what each option alone cannot know: what stands twice, and what does not fit together.
  func check(_ reader: inout ConfigurationReader) {
    checkRepetitions(&reader)
    checkLocales(&reader)
    checkHubs(&reader)
    checkServer(&reader)
    kafka.check(&reader)
  }

  private func checkRepetitions(_ reader: inout ConfigurationReader) {
    if roles.isEmpty && reader.isSound("roles") {
      reader.report("there is no role", remedy: "write some of ingest, publish, hub", at: "roles")
    }
    reader.reportRepetitions(of: roles.map(\.rawValue), named: "the role", in: "roles")
    reader.reportRepetitions(of: feeds.list.map { $0.url?.text ?? "" }, named: "the feed", in: "feeds.list")
    reader.reportRepetitions(of: kafka.sources.map(\.topic), named: "the topic", in: "kafka.sources")
    reader.reportRepetitions(of: locales.map(\.name), named: "the locale", in: "locales")
  }

  private func checkLocales(_ reader: inout ConfigurationReader) {
    if locales.isEmpty && reader.isSound("locales") {
      reader.report("there is no locale", remedy: "leave \"locales\" out for the three that are known", at: "locales")
    }
  }

  private func checkServer(_ reader: inout ConfigurationReader) {
    if server.port != 0 && server.port == server.operationsPort {
      reader.report(
        "both listeners would take port \(server.port)", remedy: "give one of them another",
        at: "server.operationsPort")
    }
    let isProtected = server.isLoopback || server.tls != nil || !server.trustedProxies.isEmpty
    if !isProtected && ["address", "tls", "trustedProxies"].allSatisfy({ reader.isSound("server.\($0)") }) {
      reader.report(
        "keys and tokens would cross the network in clear text at \(server.address)",
        remedy: "set server.tls, or name in server.trustedProxies who ends TLS before it", at: "server.address")
    }
    guard server.page else { return }
    if !roles.contains(.hub) && reader.isSound("roles") {
      reader.report(
        "the page needs the role hub in the same process", remedy: "add it to roles, or write page: false",
        at: "server.page")
    }
    guard let hub = builtInHub else {
      reader.report("the page needs the built-in hub", remedy: "write page: false", at: "server.page")
      return
    }
    // Its visitors' tokens are signed with that rule's key, and must open nothing more.
    if reader.isSound("hub.accessRules"), reader.isSound("hubs"),
      !hub.accessRules.contains(where: { $0.rights == [.listen] })
    {
      reader.report(
        "the page's visitors could not register",
        remedy: "add a rule with the right Listen and no other to hub.accessRules", at: "server.page")
    }
  }
}

extension Configuration.Server {
  /// Whether only this machine reaches the listeners.
  var isLoopback: Bool {
    guard let address = IPAddress(address) else { return false }
    return Self.loopback.contains { $0.contains(address) }
  }

  private static let loopback: [AddressBlock] = ["127.0.0.0/8", "::1"].map { text in
    do { return try AddressBlock(text) } catch { preconditionFailure("\(error)") }
  }
}

extension ConfigurationReader {
  /// Reports each value of a list that stood there before; capitals do not matter, as in tags and host names.
  mutating func reportRepetitions(of values: [String], named name: String, in path: String) {
    var first: [String: Int] = [:]
    for (index, value) in values.enumerated() where !value.isEmpty {
      guard let earlier = first.updateValue(first[value.lowercased()] ?? index, forKey: value.lowercased()) else {
        continue
      }
      let line = mark(of: "\(path)[\(earlier)]").map { ", first on line \($0.line)" } ?? ""
      report("\(name) \"\(value)\" stands here for the second time\(line)", at: "\(path)[\(index)]")
    }
  }
}
