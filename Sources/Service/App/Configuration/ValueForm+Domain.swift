internal import Curl
internal import Files
internal import News
internal import Publish
internal import Push
internal import Telemetry
internal import Topics
internal import YAML

extension ValueForm<Duration> {
  /// How often a feed is asked: one's own as often as one likes, none so seldom that its news is none.
  static var interval: ValueForm { .duration(.seconds(1)...(.seconds(7 * 86_400))) }
}

extension ValueForm<WebURL> {
  /// An absolute http or https URL; a login in it is sent, and never shown.
  static var webURL: ValueForm {
    .parsed("an absolute URL such as https://example.org/feed.xml", parse: { try WebURL($0) }, show: { $0.text })
  }
}

extension ValueForm<CountryCode> {
  /// A country.
  static var country: ValueForm {
    .scalar("a country's two letters such as GB", parse: { CountryCode($0) }, show: { $0.description })
  }
}

extension ValueForm<Configuration.Classifier.Model> {
  /// A model: the one that ships, or a file.
  static var model: ValueForm {
    .scalar(
      "builtin, or the path of a model", parse: { $0.isEmpty ? nil : $0 == "builtin" ? .builtin : .file($0) },
      show: { model in
        switch model {
        case .builtin: "builtin"
        case .file(let path): path
        }
      })
  }
}

extension ValueForm<Double?> {
  /// A probability, or the model's own.
  static var threshold: ValueForm {
    .scalar(
      "model, or a number from 0 to 1",
      parse: { text in
        if text == "model" { return .some(nil) }
        guard let number = Double(text), (0...1).contains(number) else { return nil }
        return .some(number)
      }, show: { $0.map { "\($0)" } ?? "model" })
  }
}

extension ValueForm<HTTPProxy> {
  /// A proxy's URL; its login is not shown.
  static var proxy: ValueForm {
    .parsed("a proxy such as http://proxy.example.org:3128", parse: { try HTTPProxy($0) }, show: { $0.description })
  }
}

extension ValueForm<AddressBlock> {
  /// A range of addresses.
  static var addressBlock: ValueForm {
    .parsed("a range such as 10.0.0.0/8, or one address", parse: { try AddressBlock($0) }, show: { $0.description })
  }
}

extension ValueForm<String> {
  /// A numeric address to listen on.
  static var address: ValueForm {
    .scalar(
      "a numeric address such as 127.0.0.1, 0.0.0.0 or ::",
      parse: { text in text == "localhost" ? "127.0.0.1" : IPAddress(text).map { "\($0)" } }, show: { $0 })
  }

  /// A language, as RFC 5646 writes it.
  static var language: ValueForm {
    .scalar("a language tag such as en, fr or zh-Hans", parse: { isLanguageTag($0) ? $0 : nil }, show: { $0 })
  }

  /// The value of a header: printable, one line.
  static var headerValue: ValueForm {
    .scalar("one line of printable characters", parse: { isHeaderValue($0) ? $0 : nil }, show: { $0 })
  }

  /// All certificates that a system trusts are a quarter of a megabyte.
  private static var certificateBytesMax: Int { 4 << 20 }

  /// The path of a file with certificates that are trusted.
  static var certificateFile: ValueForm {
    let expectation = "the path of a PEM file with certificates"
    return ValueForm(
      expectation: expectation,
      read: { node, reader in
        guard let path = text.read(node, &reader) else { return nil }
        let content: String
        do {
          content = String(
            decoding: try FileSystem.read(reader.resolved(path), bytesMax: certificateBytesMax), as: UTF8.self)
        } catch {
          reader.report("\(error)", remedy: "write \(expectation)", at: node.mark)
          return nil
        }
        guard content.contains("-----BEGIN"), content.contains("CERTIFICATE-----") else {
          reader.report("\(path) holds no certificate in PEM form", remedy: "write \(expectation)", at: node.mark)
          return nil
        }
        return path
      }, show: text.show)
  }

  /// A hub's name: a segment of a path that nothing else uses.
  static var hubName: ValueForm {
    .parsed(
      "a name of letters, digits, - . _",
      parse: checkedHubName, show: { $0 })
  }

  /// A locale's name, which its readers bear as a tag.
  static var localeName: ValueForm {
    .parsed(
      "a name such as English, which is a tag and part of a property's name",
      parse: { text in
        let tag = try Tag(text)
        guard !tag.isIdentifier, text.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else {
          throw Unsuitable("only letters, digits and _ may stand in News_NAME")
        }
        return text
      }, show: { $0 })
  }
}

/// `text`, where it may be a hub's name.
func checkedHubName(_ text: String) throws -> String {
  guard !text.hasPrefix("$"), !["api", "devices"].contains(text.lowercased()) else {
    throw Unsuitable("api, devices and names that begin with $ are reserved")
  }
  // Azure's rule for the names of hubs.
  let isName = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "-._".contains($0) }
  guard isName, (1...260).contains(text.count), let first = text.first, let last = text.last,
    first.isLetter || first.isNumber, last.isLetter || last.isNumber
  else { throw Unsuitable("it has other characters, or does not begin and end with a letter or digit") }
  return text
}

extension ValueForm<[String: Secret]> {
  /// Header fields that are sent along; each may hold a key, so all are secrets.
  static var headers: ValueForm {
    let owned = [
      "host", "content-length", "transfer-encoding", "connection", "accept-encoding", "if-none-match",
      "if-modified-since", "range", "user-agent",
    ]
    return .dictionary(
      "the name of a header that the worker does not set itself", to: .headerSecret,
      isKey: { name in isHeaderName(name) && !owned.contains(name.lowercased()) })
  }
}

extension ValueForm<Secret> {
  fileprivate static var headerSecret: ValueForm {
    ValueForm(
      expectation: secret.expectation,
      read: { node, reader in
        guard let value = secret.read(node, &reader) else { return nil }
        guard isHeaderValue(value.reveal()) else {
          reader.report("the value has line breaks or control characters", remedy: "write one line", at: node.mark)
          return nil
        }
        return value
      }, show: secret.show)
  }

  /// A PEM text, or the path of a file that holds one.
  static func pem(_ label: String) -> ValueForm {
    let expectation = "the path of a PEM file, its text, or {secretFile: path}"
    return ValueForm(
      expectation: expectation,
      read: { node, reader in
        guard let given = secret.read(node, &reader) else { return nil }
        var text = given.reveal()
        if case .scalar = node.content, !text.contains("-----BEGIN") {
          guard let content = reader.secret(inFile: text, expecting: expectation, at: node.mark) else { return nil }
          text = content
        }
        guard text.contains("-----BEGIN"), text.contains("\(label)-----") else {
          reader.report("this holds no \(label) in PEM form", remedy: "write \(expectation)", at: node.mark)
          return nil
        }
        return Secret(text)
      }, show: secret.show)
  }
}

extension ValueForm<ConnectionString> {
  /// A hub's connection string: a secret, of which all but the key is shown.
  static var connectionString: ValueForm {
    let secret = ValueForm<Secret>.secret
    return ValueForm(
      expectation: "Endpoint=sb://…/;SharedAccessKeyName=…;SharedAccessKey=…, as \(secret.expectation)",
      read: { node, reader in
        guard let text = secret.read(node, &reader) else { return nil }
        do { return try ConnectionString(parsing: text.reveal()) } catch {
          reader.report("\(error)", at: node.mark)
          return nil
        }
      }, show: { .text($0.description) })
  }
}

extension ValueForm<LogLevel> {
  /// How much is logged.
  static var logLevel: ValueForm {
    let names = LogLevel.allCases.map(\.name)
    return .scalar(
      "one of \(names.joined(separator: ", "))", parse: { LogLevel(named: $0) }, show: { $0.name })
  }
}

extension ValueForm<Written<Phrase>> {
  /// A sentence around a headline.
  static var phrase: ValueForm { written("a phrase with {headline}, perhaps {category}", Phrase.init(parsing:)) }
}

extension ValueForm<Written<Routing>> {
  /// A tag expression with {category}.
  static var routing: ValueForm {
    written("a tag expression such as {category} && edition:uk", Routing.init(parsing:))
  }
}

extension ValueForm<[News.Category: String]> {
  /// What the categories are called.
  static var categoryNames: ValueForm {
    let names = News.Category.allCases.map(\.rawValue)
    return ValueForm(
      expectation: "a mapping from \(names.joined(separator: ", ")) to their names in the language",
      read: { node, reader in
        guard case .mapping(let entries) = node.content else {
          reader.report(
            "a mapping should stand here", remedy: "its keys are \(names.joined(separator: ", "))", at: node.mark)
          return nil
        }
        var values: [News.Category: String] = [:]
        for entry in entries {
          guard let category = News.Category(rawValue: entry.key) else {
            reader.report(
              "there is no category \"\(entry.key)\"", remedy: names.suggestion(for: entry.key), at: entry.mark)
            continue
          }
          values[category] = ValueForm<String>.text.read(entry.value, &reader)
        }
        return values
      },
      show: { values in
        .mapping(
          News.Category.allCases.compactMap { category in values[category].map { (category.rawValue, .text($0)) } })
      })
  }
}

extension ValueForm {
  /// A value that is shown as it was written.
  fileprivate static func written<Parsed>(
    _ expectation: String, _ parse: @escaping @Sendable (String) throws -> Parsed
  ) -> ValueForm where Value == Written<Parsed> {
    .parsed(expectation, parse: { Written(text: $0, value: try parse($0)) }, show: { $0.text })
  }
}

/// Why a text that its type would take does not suit here.
private struct Unsuitable: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Whether a text has the form of a language tag (RFC 5646); languages with longer primary subtags do not exist yet.
func isLanguageTag(_ text: String) -> Bool {
  let subtags = text.split(separator: "-", omittingEmptySubsequences: false)
  guard let primary = subtags.first, (2...3).contains(primary.count), primary.allSatisfy(\.isLetter) else {
    return false
  }
  return subtags.allSatisfy { tag in
    (1...8).contains(tag.utf8.count) && tag.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }
}

private func isHeaderName(_ text: String) -> Bool {
  !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "!#$%&'*+-.^_`|~".contains($0) }
}

private func isHeaderValue(_ text: String) -> Bool {
  !text.isEmpty && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
}
