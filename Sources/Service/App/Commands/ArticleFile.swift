internal import JSON
internal import News

/// An article in the editors' format or in ninjs, as a person wrote it into a file.
struct ArticleFile {
  /// An article is a headline and a few lines; more than this is read from no topic.
  static let bytesMax = 1 << 20

  /// What the article says.
  let article: Article
  /// The bytes, with every field that only its readers know.
  let bytes: [UInt8]

  /// Reads an article, `-` for standard input. Throws what is wrong with it, and where.
  init(_ file: String, _ console: Console) throws {
    let name = file == "-" ? "standard input" : file
    bytes = try console.read(file, bytesMax: Self.bytesMax)
    do {
      article = try Article(editors: JSONValue(parsing: bytes))
    } catch let error as JSONError {
      throw CommandFailure.failed("\(name):\(error)")
    } catch {
      throw CommandFailure.failed("\(name): \(error)")
    }
  }
}
