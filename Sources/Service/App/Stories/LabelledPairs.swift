internal import Files
internal import Publish
internal import Zlib

/// Pairs of articles of which somebody has said whether they tell one story. The texts stay where they are: the file of
/// labels names rows of files of news.
struct LabelledPairs: Sendable {
  /// A pair.
  struct Pair: Sendable {
    /// Where the two stand: `urlsec_train.en.tsv.gz:17,23`.
    var place: String
    /// What somebody has said.
    var isOneStory: Bool
    /// The two articles.
    var first: Telling
    var second: Telling
  }

  /// An article, as far as it counts here.
  struct Telling: Sendable {
    var headline: String
    var summary: String?
    var source: String
    var language: String

    /// What it is recognised by.
    var sketch: StorySketch? {
      StorySketch(headline: headline, summary: summary, source: source, language: language)
    }
  }

  /// In the order of the file of labels.
  let all: [Pair]

  /// A file of labels, or of news unpacked, in bytes.
  private static let bytesMax = 256 << 20

  /// Reads labels (tab-separated: `same` or `different`, a file's name, two numbers of rows, the heading's being 0) and
  /// the rows that they name, of files in `directory`: tab-separated, gzip, with headline, text and source in the third,
  /// fourth and sixth column, the language in the name (`NAME.en.tsv.gz`).
  init(labels path: String, directory: String) throws {
    var files: [String: [Substring]] = [:]
    all = try Self.lines(of: FileSystem.read(path, bytesMax: Self.bytesMax)).compactMap { line in
      let columns = line.split(separator: "\t").map(String.init)
      guard columns.count == 4, columns[0] == "same" || columns[0] == "different" else { return nil }
      let rows = try files[columns[1]] ?? Self.rows(of: columns[1], in: directory)
      files[columns[1]] = rows
      func telling(_ number: String) throws -> Telling {
        guard let number = Int(number), rows.indices.contains(number),
          let telling = Telling(row: rows[number], file: columns[1])
        else { throw CommandFailure.failed("\(path): \(columns[1]) has no row \(number)") }
        return telling
      }
      return Pair(
        place: "\(columns[1]):\(columns[2]),\(columns[3])", isOneStory: columns[0] == "same",
        first: try telling(columns[2]), second: try telling(columns[3]))
    }
  }

  private static func rows(of file: String, in directory: String) throws -> [Substring] {
    let packed = try FileSystem.read(FileSystem.path(file, from: directory), bytesMax: bytesMax)
    return lines(of: try Compression.gzip.decompress(packed, bytesMax: bytesMax))
  }

  private static func lines(of bytes: [UInt8]) -> [Substring] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
  }
}

extension LabelledPairs.Telling {
  /// A row of a file of news.
  init?(row: Substring, file: String) {
    let columns = row.split(separator: "\t", omittingEmptySubsequences: false)
    let name = file.split(separator: ".")
    guard columns.count >= 6, name.count >= 3 else { return nil }
    self.init(
      headline: String(columns[2]), summary: columns[3].isEmpty ? nil : String(columns[3]), source: String(columns[5]),
      language: String(name[1]))
  }
}
