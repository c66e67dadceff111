internal import Classify
internal import Curl
internal import Files
internal import News
internal import Publish
internal import YAML

/// A configuration with everything that it names, read and found right.
struct LoadedConfiguration: Sendable {
  /// The options.
  let options: Configuration
  /// What is followed: the feeds of the configuration, then those of its feeds file.
  let subscriptions: [Subscription]
  /// What publishers' own terms mean.
  let categoryTable: CategoryTable
  /// The languages, the default one first.
  let locales: [Locale]

  /// A configuration is written by hand; a longer file is another file.
  static let bytesMax = 1 << 20

  /// Reads a configuration file and the files that it names.
  ///
  /// - Parameters:
  ///   - file: The configuration, as the person named it.
  ///   - environment: The variables that `${NAME}` takes.
  ///   - share: Where the category table is that ships with the program.
  /// - Throws: Everything that is wrong, in the order of the files.
  init(file: String, environment: [String: String], share: Share) throws(Problems) {
    let root = try Self.root(of: file)
    var reader = ConfigurationReader(file: file, environment: environment)
    var options = Configuration(reading: root, &reader)
    options.directory = reader.directory
    options.check(&reader)
    try self.init(options, share: share, &reader)
  }

  /// The defaults, without a file.
  ///
  /// - Throws: What is wrong with the category table that ships.
  init(share: Share) throws(Problems) {
    var reader = ConfigurationReader(file: "", environment: [:])
    try self.init(Configuration(), share: share, &reader)
  }

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

  private init(_ options: Configuration, share: Share, _ reader: inout ConfigurationReader) throws(Problems) {
    var table: CategoryTable?
    do throws(Problems) {
      let named = options.categories.file.map { reader.resolved($0) }
      table = try CategoryTable(file: named ?? share.path("categories.yaml"))
    } catch {
      for problem in error.all { reader.report(problem) }
    }
    let locales = options.locales.compactMap(\.locale)
    let subscriptions = options.feeds.list.compactMap(\.subscription)
    guard reader.problems.isEmpty, let table, locales.count == options.locales.count else {
      throw Problems(reader.problems.inOrder)
    }
    self.options = options
    self.subscriptions = subscriptions
    categoryTable = table
    self.locales = locales
  }
}

extension Configuration {
  /// A path of the configuration, as seen from the working directory.
  func path(_ written: String) -> String { FileSystem.path(written, from: directory) }
}

extension Configuration.Feed {
  /// What the feed is to the poller.
  fileprivate var subscription: Subscription? {
    guard let url else { return nil }
    return Subscription(
      url: url.text, name: name ?? url.host, category: category, language: language, interval: interval)
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
