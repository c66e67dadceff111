// Training: a model from labelled text, and how good it is: rows in, a file's bytes and figures out. Never knows a feed or
// a reader.

internal import Files
public import Topics
internal import Zlib

/// A labelled text as the corpora hold it.
public struct LabelledRow: Sendable {
  /// What it is about.
  public let topic: Topic
  /// What its publisher called it: the section, with the way it is known before a colon.
  public let section: String
  /// Its headline.
  public let title: String
  /// What follows the headline; may be empty.
  public let summary: String
  /// The outlet, by its host or its collection's name.
  public let source: String
  /// When it appeared: as much of `2022-05-19` as is known.
  public let date: String
  /// Its language, two letters.
  public let language: String
  /// The file it is from, without directory and ending: `urlsec_train`.
  public let collection: String
}

/// Why labelled rows cannot be read.
public struct CorpusError: Error, Sendable, CustomStringConvertible {
  /// One sentence without its full stop.
  public let description: String
}

/// Files of labelled rows: tab-separated, UTF-8, unquoted, the first line names the columns, packed with gzip or not.
public enum Corpus {
  /// A file has at most this many bytes, packed and unpacked.
  private static let bytesMax = 256 << 20
  private static let columns = ["label", "original_label", "title", "text", "split", "source", "date"]

  /// The rows of a file. Its name says the language: `urlsec_train.en.tsv.gz`.
  public static func read(_ path: String) throws(CorpusError) -> [LabelledRow] {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let parts = name.split(separator: ".")
    guard parts.count >= 3, parts[1].utf8.count == 2 else {
      throw CorpusError(
        description: "\(path) does not tell its language: it should be called NAME.en.tsv or NAME.en.tsv.gz")
    }
    var bytes: [UInt8]
    do { bytes = try FileSystem.read(path, bytesMax: bytesMax) } catch { throw CorpusError(description: "\(error)") }
    if bytes.starts(with: [0x1F, 0x8B]) {
      do { bytes = try Compression.gzip.decompress(bytes, bytesMax: bytesMax) } catch {
        throw CorpusError(description: "\(path) cannot be unpacked: \(error)")
      }
    }
    return try rows(bytes, path: path, collection: String(parts[0]), language: String(parts[1]))
  }

  private static func rows(
    _ bytes: [UInt8], path: String, collection: String, language: String
  ) throws(CorpusError) -> [LabelledRow] {
    var rows: [LabelledRow] = []
    var lineNumber = 0
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      lineNumber += 1
      let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      guard fields.count == columns.count else {
        throw CorpusError(
          description:
            "\(path):\(lineNumber): there are \(fields.count) columns, not \(columns.joined(separator: ", "))")
      }
      if lineNumber == 1, fields == columns { continue }
      guard let topic = Topic(named: fields[0]) else {
        throw CorpusError(description: "\(path):\(lineNumber): \"\(fields[0])\" is no label")
      }
      rows.append(
        LabelledRow(
          topic: topic, section: fields[1], title: fields[2], summary: fields[3], source: fields[5], date: fields[6],
          language: language, collection: collection))
    }
    return rows
  }
}
