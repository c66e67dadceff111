internal import Files
internal import Telemetry
internal import YAML

/// How one type of value is written in the configuration: read with its problems, shown again in the same form.
struct ValueForm<Value: Sendable>: Sendable {
  /// What would be right, as `a duration such as 15m or 1h30m`.
  let expectation: String
  /// The value, or nil when a problem was reported.
  let read: @Sendable (YAMLNode, inout ConfigurationReader) -> Value?
  /// The value as it would be written; a secret is redacted.
  let show: @Sendable (Value) -> YAMLNode
}

extension ValueForm {
  /// A value written as one scalar.
  static func scalar(
    _ expectation: String, parse: @escaping @Sendable (String) -> Value?, show: @escaping @Sendable (Value) -> String
  ) -> ValueForm {
    ValueForm(
      expectation: expectation,
      read: { node, reader in
        guard let text = reader.text(node, expecting: expectation) else { return nil }
        guard let value = parse(text) else {
          reader.report("\(node.quoted) cannot stand here", remedy: "write \(expectation)", at: node.mark)
          return nil
        }
        return value
      }, show: { .text(show($0)) })
  }

  /// A value whose type says, when it is made from a text, what is wrong with it.
  static func parsed(
    _ expectation: String, parse: @escaping @Sendable (String) throws -> Value,
    show: @escaping @Sendable (Value) -> String
  ) -> ValueForm {
    ValueForm(
      expectation: expectation,
      read: { node, reader in
        guard let text = reader.text(node, expecting: expectation) else { return nil }
        do { return try parse(text) } catch {
          reader.report(
            "\(node.quoted) cannot stand here: \(error)", remedy: "write \(expectation)", at: node.mark)
          return nil
        }
      }, show: { .text(show($0)) })
  }

  /// A value, or `null` for none.
  static func optional<Wrapped>(_ form: ValueForm<Wrapped>) -> ValueForm where Value == Wrapped? {
    ValueForm(
      expectation: "\(form.expectation), or null",
      read: { node, reader in node.isNull ? .some(nil) : form.read(node, &reader).map { .some($0) } },
      show: { $0.map(form.show) ?? .null })
  }

  /// A value that must be there although its property starts without one.
  static func present<Wrapped>(_ form: ValueForm<Wrapped>) -> ValueForm where Value == Wrapped? {
    ValueForm(
      expectation: form.expectation, read: { node, reader in form.read(node, &reader).map { .some($0) } },
      show: { $0.map(form.show) ?? .null })
  }

  /// A list of values.
  static func list<Element>(of form: ValueForm<Element>) -> ValueForm where Value == [Element] {
    ValueForm(
      expectation: "a list, each \(form.expectation)",
      read: { node, reader in
        guard case .sequence(let items) = node.content else {
          reader.report("a list should stand here", remedy: "each item is \(form.expectation)", at: node.mark)
          return nil
        }
        let values = items.enumerated().compactMap { index, item in
          reader.reading("[\(index)]", at: item.mark) { form.read(item, &$0) }
        }
        return values.count == items.count ? values : nil
      }, show: { .sequence($0.map(form.show)) })
  }

  /// A mapping from names of the person's choice to values.
  static func dictionary<Element>(
    _ key: String, to form: ValueForm<Element>, isKey: @escaping @Sendable (String) -> Bool
  ) -> ValueForm where Value == [String: Element] {
    let expectation = "a mapping from \(key) to \(form.expectation)"
    return ValueForm(
      expectation: expectation,
      read: { node, reader in
        guard case .mapping(let entries) = node.content else {
          reader.report("a mapping should stand here", remedy: "write \(expectation)", at: node.mark)
          return nil
        }
        var values: [String: Element] = [:]
        for entry in entries {
          guard isKey(entry.key) else {
            reader.report("\"\(entry.key)\" cannot stand here", remedy: "write \(key)", at: entry.mark)
            continue
          }
          values[entry.key] = reader.reading(entry.key, at: entry.value.mark) { form.read(entry.value, &$0) }
        }
        return values.count == entries.count ? values : nil
      }, show: { values in .mapping(values.sorted { $0.key < $1.key }.map { ($0.key, form.show($0.value)) }) })
  }
}

extension ValueForm where Value: ConfigurationSection {
  /// A mapping with options of its own.
  static var section: ValueForm {
    ValueForm(
      expectation: "a mapping", read: { node, reader in Value(reading: node, &reader) }, show: { $0.shown })
  }
}

extension ValueForm where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of a few words.
  static var choice: ValueForm {
    let words = Value.allCases.map(\.rawValue)
    let expectation = "one of \(words.joined(separator: ", "))"
    return ValueForm(
      expectation: expectation,
      read: { node, reader in
        guard let text = reader.text(node, expecting: expectation) else { return nil }
        guard let value = Value(rawValue: text) else {
          reader.report("\(node.quoted) is not known here", remedy: words.suggestion(for: text), at: node.mark)
          return nil
        }
        return value
      }, show: { .text($0.rawValue) })
  }
}

extension ValueForm<String> {
  /// Text that is not empty.
  static var text: ValueForm { .scalar("a text", parse: { $0.isEmpty ? nil : $0 }, show: { $0 }) }
}

extension ValueForm<Bool> {
  /// `true` or `false`.
  static var flag: ValueForm {
    let scalar = scalar("true or false", parse: { ["true": true, "false": false][$0] }, show: { "\($0)" })
    return ValueForm(expectation: scalar.expectation, read: scalar.read, show: { .plain("\($0)") })
  }
}

extension ValueForm<Int> {
  /// A whole number within bounds.
  static func integer(_ range: ClosedRange<Int>) -> ValueForm {
    let expectation = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    let scalar = scalar(
      expectation, parse: { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }, show: { "\($0)" })
    return ValueForm(expectation: expectation, read: scalar.read, show: { .plain("\($0)") })
  }

  /// A number of bytes, such as `5MiB`, within bounds.
  static func size(_ range: ClosedRange<Int>) -> ValueForm {
    scalar(
      "a size such as 512KiB or 5MiB, from \(ByteSize.text(range.lowerBound)) to \(ByteSize.text(range.upperBound))",
      parse: { text in ByteSize.parse(text).flatMap { range.contains($0) ? $0 : nil } }, show: ByteSize.text)
  }
}

extension ValueForm<Duration> {
  /// A duration such as `15m` or `1h30m`, within bounds.
  static func duration(_ range: ClosedRange<Duration>) -> ValueForm {
    scalar(
      "a duration such as 30s, 15m or 1h30m, from \(DurationText.text(range.lowerBound)) to "
        + DurationText.text(range.upperBound),
      parse: { text in DurationText.parse(text).flatMap { range.contains($0) ? $0 : nil } }, show: DurationText.text)
  }
}

extension ValueForm<Secret> {
  /// The secret's text, or `{secretFile: path}` for the file that holds it; never shown.
  static var secret: ValueForm {
    let expectation = "a text, ${NAME}, or {secretFile: path}"
    return ValueForm(
      expectation: expectation,
      read: { node, reader in
        guard case .mapping(let entries) = node.content else {
          guard let text = reader.text(node, expecting: expectation) else { return nil }
          guard !text.isEmpty else {
            reader.report("the secret is empty", at: node.mark)
            return nil
          }
          return Secret(text)
        }
        guard entries.count == 1, let entry = entries.first, entry.key == "secretFile" else {
          reader.report("this is no secret", remedy: "write \(expectation)", at: node.mark)
          return nil
        }
        guard let path = ValueForm<String>.text.read(entry.value, &reader) else { return nil }
        return reader.secret(inFile: path, expecting: expectation, at: entry.value.mark).map { Secret($0) }
      }, show: { .text("\($0)") })
  }
}

extension YAMLNode {
  /// The scalar as it was written, for a variable's value may be a secret; and without a URL's login, which is one.
  fileprivate var quoted: String {
    guard case .scalar(let written, _) = content else { return "this" }
    guard let slashes = written.firstRange(of: "://"), let at = written.lastIndex(of: "@"), slashes.upperBound <= at
    else { return "\"\(written)\"" }
    return "\"\(written[..<slashes.upperBound])…\(written[at...])\""
  }
}
