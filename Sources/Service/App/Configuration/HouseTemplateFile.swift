internal import Files
internal import Publish
internal import YAML

/// A house template as its file writes it: `config/templates/apple.yaml` is one.
private struct HouseTemplateFile: ConfigurationSection {
  var headers: [String: String] = [:]
  var body = ""

  static let options: [ConfigurationOption<HouseTemplateFile>] = [
    .init(
      "headers", \.headers,
      .dictionary("the name of a header", to: .scalar("a text", parse: { $0 }, show: { $0 }), isKey: { !$0.isEmpty })),
    .init("body", \.body, .text, isRequired: true),
  ]
}

extension HouseTemplate {
  /// Templates are a few lines; what is longer makes no payload.
  private static let fileBytesMax = 64 << 10

  /// The template of a platform, from the file in `directory` that is named after the platform.
  ///
  /// - Throws: Everything that is wrong with it, with its place.
  init(_ format: AzureFormat, in directory: String) throws(Problems) {
    let path = "\(directory)/\(format.rawValue).yaml"
    let root: YAMLNode
    do {
      root = try YAMLNode(parsing: FileSystem.read(path, bytesMax: Self.fileBytesMax))
    } catch let error as YAMLError {
      throw Problems([Problem(file: path, at: error.mark, error.message)])
    } catch {
      throw Problems([Problem("\(error)", remedy: "each of the hub's formats has a template there")])
    }
    var reader = ConfigurationReader(file: path, environment: [:])
    let file = HouseTemplateFile(reading: root, &reader)
    guard reader.problems.isEmpty else { throw Problems(reader.problems) }
    do throws(HouseTemplateError) {
      try self.init(format: format, headers: file.headers.sorted { $0.key < $1.key }, body: file.body)
    } catch {
      throw Problems([Problem(file: path, at: root.mark, "\(error)")])
    }
  }
}
