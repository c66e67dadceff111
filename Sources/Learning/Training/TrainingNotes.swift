internal import Files
public import Topics

/// What training has to know beside the rows: places, where outlets are at home, which sections are none of the six, and
/// which outlets are kept out when a model is judged. Read from the directory `training` that ships.
public struct TrainingNotes: Sendable {
  /// The names of places with their countries.
  public let places: [(name: String, country: CountryCode)]
  private let homes: [String: CountryCode?]
  private let others: Set<String>
  private let heldOut: Set<String>

  private static let bytesMax = 4 << 20

  /// Reads `places.tsv`, `outlets.tsv`, `other.tsv` and `holdout.tsv`.
  public init(directory: String) throws(CorpusError) {
    var places: [(name: String, country: CountryCode)] = []
    for (country, names) in try Self.read("\(directory)/places.tsv") {
      guard let code = CountryCode(country) else {
        throw CorpusError(description: "\(directory)/places.tsv: \"\(country)\" is no country")
      }
      places += names.map { ($0, code) }
    }
    self.places = places
    var homes: [String: CountryCode?] = [:]
    for (country, outlets) in try Self.read("\(directory)/outlets.tsv") {
      for outlet in outlets { homes[outlet] = .some(CountryCode(country)) }
    }
    self.homes = homes
    others = Set(
      try Self.read("\(directory)/other.tsv").flatMap { kind, sections in sections.map { "\(kind):\($0)".lowercased() }
      })
    heldOut = Set(try Self.read("\(directory)/holdout.tsv").flatMap { $0.values })
  }

  /// Where a row's readers are at home, as far as can be known.
  public func home(of row: LabelledRow) -> CountryCode? {
    for host in Self.hosts(row.source) { if let home = homes[host] { return home } }
    let last = row.source.split(separator: ".").last.map(String.init) ?? ""
    if row.source.contains("."), last.utf8.count == 2, !Self.borrowedDomains.contains(last) {
      return CountryCode(last == "uk" ? "gb" : last)
    }
    return Self.mostOutlets[row.language].flatMap { CountryCode($0) }
  }

  /// Whether a row is kept out of training when a model is judged.
  public func isHeldOut(_ row: LabelledRow) -> Bool { Self.hosts(row.source).contains { heldOut.contains($0) } }

  /// Whether a row of no category shows what `other` is.
  public func showsOther(_ row: LabelledRow) -> Bool {
    let section = row.section.contains(":") ? row.section : "\(row.collection):\(row.section)"
    return others.contains(section.lowercased())
  }

  /// The host and those above it, the longest first.
  private static func hosts(_ source: String) -> [String] {
    guard source.contains("."), !source.contains("/") else { return [source] }
    let parts = source.split(separator: ".")
    return (0..<(parts.count - 1)).map { parts[$0...].joined(separator: ".") }
  }

  /// Last parts of domains that say nothing of a country.
  private static let borrowedDomains: Set<String> = [
    "tv", "io", "co", "me", "ai", "eu", "fm", "cc", "ly", "to", "gg", "is",
  ]
  private static let mostOutlets = [
    "en": "US", "fr": "FR", "de": "DE", "it": "IT", "nl": "NL", "ru": "RU", "zh": "CN",
  ]

  /// Lines of a key, a tab, and values with commas between.
  private static func read(_ path: String) throws(CorpusError) -> [(key: String, values: [String])] {
    let bytes: [UInt8]
    do { bytes = try FileSystem.read(path, bytesMax: bytesMax) } catch { throw CorpusError(description: "\(error)") }
    var lines: [(key: String, values: [String])] = []
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
      let parts = line.split(separator: "\t")
      guard parts.count == 2 else { throw CorpusError(description: "\(path): no tab in \"\(line.prefix(60))\"") }
      // `, ` parts values; a comma alone may be part of one.
      lines.append((String(parts[0]), parts[1].split(separator: ", ").map { String($0) }))
    }
    return lines
  }
}
