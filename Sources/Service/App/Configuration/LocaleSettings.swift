internal import News
internal import Publish
internal import Push
internal import YAML

/// A language that readers choose, as the configuration describes it.
///
/// For English, French and Chinese the phrase and the categories' names are known; for other languages they must be
/// written, all six, because no reader should get half a sentence in a foreign language.
struct LocaleSettings: ConfigurationSection {
  var name = ""
  var language = ""
  var phrase: Written<Phrase>?
  var categories: [News.Category: String] = [:]
  var untranslated = Locale.Untranslated.phrase

  static let options: [ConfigurationOption<LocaleSettings>] = [
    .init("name", \.name, .localeName, isRequired: true),
    .init("language", \.language, .language, isRequired: true),
    .init("phrase", \.phrase, .optional(.phrase)),
    .init("categories", \.categories, .categoryNames),
    .init("untranslated", \.untranslated, .choice),
  ]

  /// The three languages that the readers of the samples speak.
  static let standard: [LocaleSettings] = [
    LocaleSettings("English", "en", "Breaking {category} News: {headline}", Category.allCases.map(\.rawValue)),
    LocaleSettings(
      "French", "fr", "Flash {category} : {headline}",
      ["Monde", "Politique", "Économie", "Technologie", "Sciences", "Sports"]),
    LocaleSettings("Mandarin", "zh", "{category}快讯：{headline}", ["国际", "政治", "财经", "科技", "科学", "体育"]),
  ]

  init() {}

  private init(_ name: String, _ language: String, _ phrase: String, _ categories: [String]) {
    self.name = name
    self.language = language
    self.phrase = Written(text: phrase, parse: Phrase.init(parsing:))
    self.categories = Dictionary(uniqueKeysWithValues: zip(Category.allCases, categories))
  }

  /// Fills in what is known of the language.
  mutating func complete(_ reader: inout ConfigurationReader, at mark: YAMLNode.Mark) {
    let primary = LanguageTag.primary(language)
    let known = Self.standard.first { $0.language == primary }
    if phrase == nil { phrase = known?.phrase }
    categories.merge(known?.categories ?? [:]) { written, _ in written }
    guard untranslated == .phrase, !language.isEmpty else { return }
    if phrase == nil && reader.isSound("phrase") {
      reader.report(
        "\"phrase\" is missing", remedy: "write one such as \"{category}: {headline}\", or untranslated: skip", at: mark
      )
    }
    let missing = Category.allCases.filter { categories[$0] == nil }.map(\.rawValue)
    if !missing.isEmpty && reader.isSound("categories") {
      reader.report(
        "the names of \(missing.joined(separator: ", ")) are missing",
        remedy: "write them under \"categories\", in this language", at: mark)
    }
  }

  /// The language as the composer holds it; nil if the settings were not completed.
  var locale: Locale? {
    // A locale that skips what is not translated never uses its phrase.
    let phrase = phrase?.value ?? (untranslated == .skip ? try? Phrase(parsing: "{headline}") : nil)
    guard let phrase else { return nil }
    return try? Locale(
      name: name, language: language, phrase: phrase, categoryNames: categories, untranslated: untranslated)
  }
}
