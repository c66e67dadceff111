internal import Classify
internal import Curl
internal import Files
internal import Ingest
internal import News
internal import Publish
internal import Topics
internal import YAML

/// A configuration with everything that it names, read and found right.
struct LoadedConfiguration: Sendable {
  /// The options.
  let options: Configuration
  /// The feeds that the configuration names itself.
  let listedFeeds: [FollowedFeed]
  /// The feeds of its feeds file.
  let feedsFile: FeedsFile
  /// What publishers' own terms mean.
  let categoryTable: CategoryTable
  /// What reads articles of which nobody says what they are about.
  let model: TopicModel
  /// The languages, the default one first.
  let locales: [Locale]
  /// What is sent to platforms without templates, for each hub that is.
  let houseTemplates: [[AzureFormat: HouseTemplate]?]

  /// A configuration is written by hand; a longer file is another file.
  static let bytesMax = 1 << 20

  /// Reads a configuration file and the files that it names.
  ///
  /// - Parameters:
  ///   - file: The configuration, as the person named it.
  ///   - environment: The variables that `${NAME}` takes.
  ///   - share: Where the category table is that ships with the program.
  ///   - feedsFileMayBeAbsent: Whether a feeds file that is not there counts as one without feeds.
  /// - Throws: Everything that is wrong, in the order of the files.
  init(
    file: String, environment: [String: String], share: Share, feedsFileMayBeAbsent: Bool = false
  ) throws(Problems) {
    let root = try Self.root(of: file)
    var reader = ConfigurationReader(file: file, environment: environment)
    var options = Configuration(reading: root, &reader)
    options.directory = reader.directory
    options.check(&reader)
    try self.init(options, share: share, feedsFileMayBeAbsent: feedsFileMayBeAbsent, &reader)
  }

  /// The defaults, without a file.
  ///
  /// - Throws: What is wrong with the category table that ships.
  init(share: Share) throws(Problems) {
    var reader = ConfigurationReader(file: "", environment: [:])
    try self.init(Configuration(), share: share, feedsFileMayBeAbsent: false, &reader)
  }

  /// What is followed: the feeds of the configuration, then those of its feeds file.
  var feeds: [FollowedFeed] { listedFeeds + feedsFile.followed }

  /// Writes pushes in the configured languages.
  var composer: Composer {
    Composer(locales: locales, routing: options.publisher.routing.value, lifetime: options.publisher.lifetime)
  }

  private static func root(of file: String) throws(Problems) -> YAMLNode {
    let bytes: [UInt8]
    do { bytes = try FileSystem.read(file, bytesMax: bytesMax) } catch {
      throw Problems([Problem("\(error)", remedy: "--config names the configuration")])
    }
    do { return try YAMLNode(parsing: bytes) } catch {
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let line = String(
        decoding: lines.indices.contains(error.mark.line - 1) ? lines[error.mark.line - 1] : [], as: UTF8.self)
      // What YAML says of a bare ${NAME} in {} helps nobody.
      let remedy = line.contains("${") ? "inside {} and [] quote it: \"${NAME}\"" : nil
      throw Problems([Problem(file: file, at: error.mark, error.message, remedy: remedy)])
    }
  }

  /// Opens the model; nil with the reason reported.
  private static func model(
    _ model: Configuration.Classifier.Model, share: Share, _ reader: inout ConfigurationReader
  ) -> TopicModel? {
    do throws(ModelError) {
      switch model {
      case .builtin: return try TopicModel(path: share.path(modelFile))
      case .file(let path): return try TopicModel(path: reader.resolved(path))
      }
    } catch {
      switch model {
      case .builtin:
        reader.report(Problem("\(error)", remedy: "it ships with tidings; set TIDINGS_SHARE to where it is"))
      case .file:
        reader.report(
          "\(error)", remedy: "write builtin, or a model that `tidings train` wrote", at: "classifier.model")
      }
      return nil
    }
  }

  /// Where the model that ships is.
  static let modelFile = "models/topics.model"

  private init(
    _ options: Configuration, share: Share, feedsFileMayBeAbsent: Bool, _ reader: inout ConfigurationReader
  ) throws(Problems) {
    let listedFeeds = options.feeds.list.compactMap(\.followed)
    let tableFile = options.categories.file.map { reader.resolved($0) } ?? share.path("categories.yaml")
    let table = reader.reporting(named: options.categories.file.map { _ in "categories.file" }) { () throws(Problems) in
      try CategoryTable(file: tableFile)
    }
    let locales = options.locales.compactMap(\.locale)
    let model = Self.model(options.classifier.model, share: share, &reader)
    var feedsFile: FeedsFile? = .empty
    if let file = options.feeds.file.map({ reader.resolved($0) }), let table,
      !(feedsFileMayBeAbsent && FileSystem.kind(of: file) == nil)
    {
      feedsFile = reader.reporting(named: "feeds.file") { () throws(Problems) in
        try FeedsFile(file, table: table, locales: locales, listed: Set(listedFeeds.map(\.url.text)))
      }
    }
    let houseTemplates = options.everyHub.enumerated().map { index, hub in
      Self.houseTemplates(of: hub, at: options.hubs.isEmpty ? "hub" : "hubs[\(index)]", share, &reader)
    }
    guard reader.problems.isEmpty, let table, let model, let feedsFile,
      locales.count == options.locales.count
    else {
      let omitted = reader.omittedProblems > 0 ? [Problem("and \(reader.omittedProblems) more problems")] : []
      throw Problems(reader.problems.inOrder + omitted)
    }
    self.options = options
    self.listedFeeds = listedFeeds
    self.feedsFile = feedsFile
    categoryTable = table
    self.model = model
    self.locales = locales
    self.houseTemplates = houseTemplates
  }

  /// The house templates that a hub needs; nil where its devices bring templates.
  private static func houseTemplates(
    of hub: HubSettings, at path: String, _ share: Share, _ reader: inout ConfigurationReader
  ) -> [AzureFormat: HouseTemplate]? {
    let formats = hub.formats.compactMap(\.native)
    guard !formats.isEmpty else { return nil }
    let directory = hub.templates.map { reader.resolved($0) } ?? share.path("templates")
    var templates: [AzureFormat: HouseTemplate] = [:]
    for format in formats where templates[format] == nil {
      templates[format] = reader.reporting(named: "\(path).templates") { () throws(Problems) in
        try HouseTemplate(format, in: directory)
      }
    }
    return templates
  }
}

extension ConfigurationReader {
  /// What another file comes to, or nil with its problems reported; those of no place, such as a file that is not
  /// there, where the option stands that names the file.
  fileprivate mutating func reporting<Value>(
    named option: String?, _ read: () throws(Problems) -> Value
  ) -> Value? {
    do throws(Problems) { return try read() } catch {
      for problem in error.all {
        if let option, problem.file == nil {
          report(problem.what, remedy: problem.remedy, at: option)
        } else {
          report(problem)
        }
      }
      return nil
    }
  }
}

extension Configuration {
  /// A path of the configuration, as seen from the working directory.
  func path(_ written: String) -> String { FileSystem.path(written, from: directory) }
}

extension Configuration.Feed {
  /// What the feed is to the poller.
  fileprivate var followed: FollowedFeed? {
    guard let url else { return nil }
    return FollowedFeed(
      Subscription(
        url: url.text, name: name ?? url.host, category: category, language: language, interval: interval),
      url: url, headers: headers.sorted { $0.key < $1.key }.map { FeedHeader(name: $0.key, value: $0.value) })
  }
}

extension [Problem] {
  /// File by file in the order of their first problem, each from top to bottom.
  fileprivate var inOrder: [Problem] {
    var files: [String?: Int] = [:]
    for problem in self where files[problem.file] == nil { files[problem.file] = files.count }
    return sorted { left, right in
      let (a, b) = (left.mark ?? .start, right.mark ?? .start)
      return (files[left.file] ?? 0, a.line, a.column) < (files[right.file] ?? 0, b.line, b.column)
    }
  }
}
