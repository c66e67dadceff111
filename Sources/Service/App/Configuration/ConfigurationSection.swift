internal import YAML

/// A mapping of the configuration: a value with a property for each of its options, the property's initial value the
/// option's default.
protocol ConfigurationSection: Sendable {
  /// All options at their defaults.
  init()

  /// Every option: the one place where names are bound to properties and types.
  static var options: [ConfigurationOption<Self>] { get }

  /// Keys that a later version will know: better to say so than to suggest another.
  static var unsupported: [String] { get }

  /// Fills in what follows from other options of the section, and reports what does not fit together in it.
  mutating func complete(_ reader: inout ConfigurationReader, at mark: YAMLNode.Mark)
}

extension ConfigurationSection {
  static var unsupported: [String] { [] }

  mutating func complete(_ reader: inout ConfigurationReader, at mark: YAMLNode.Mark) {}
}

/// An option: its name, its property, and how its value is read and shown.
struct ConfigurationOption<Section: ConfigurationSection>: Sendable {
  let name: String
  /// Whether the section makes no sense without it; what the property holds before is never seen then.
  let isRequired: Bool
  let read: @Sendable (YAMLNode, inout Section, inout ConfigurationReader) -> Void
  let show: @Sendable (Section) -> YAMLNode

  init<Value>(
    _ name: String, _ property: any WritableKeyPath<Section, Value> & Sendable, _ form: ValueForm<Value>,
    isRequired: Bool = false
  ) {
    self.name = name
    self.isRequired = isRequired
    read = { node, section, reader in
      if let value = form.read(node, &reader) { section[keyPath: property] = value }
    }
    show = { section in form.show(section[keyPath: property]) }
  }
}

extension ConfigurationSection {
  /// Reads the options that a mapping sets; the others keep their defaults.
  init(reading node: YAMLNode, _ reader: inout ConfigurationReader) {
    self.init()
    let entries: [YAMLNode.Entry]
    switch node.content {
    case .mapping(let found): entries = found
    case .scalar where node.isNull: entries = []
    case .scalar, .sequence:
      reader.report(
        "a mapping should stand here", remedy: "its keys are \(Self.names.joined(separator: ", "))", at: node.mark)
      return
    }
    for entry in entries {
      if let option = Self.options.first(where: { $0.name == entry.key }) {
        reader.reading(entry.key, at: entry.value.mark) { option.read(entry.value, &self, &$0) }
      } else if Self.unsupported.contains(entry.key) {
        reader.report("\"\(entry.key)\" is not supported by this version", remedy: "remove it", at: entry.mark)
      } else {
        reader.report(
          "there is no option \"\(entry.key)\" here", remedy: Self.names.suggestion(for: entry.key), at: entry.mark)
      }
    }
    let missing = Self.options.filter { option in
      option.isRequired && !entries.contains { $0.key == option.name }
    }
    for option in missing { reader.report("\"\(option.name)\" is missing", at: node.mark) }
    if missing.isEmpty { complete(&reader, at: node.mark) }
  }

  /// Every option with its value, secrets redacted.
  var shown: YAMLNode { .mapping(Self.options.map { ($0.name, $0.show(self)) }) }

  private static var names: [String] { options.map(\.name) }
}
