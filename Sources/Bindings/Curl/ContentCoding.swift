internal import Brotli
internal import Zlib

/// Undoes what `Content-Encoding` says was done (RFC 9110, section 8.4). Done here and not by libcurl, which takes a
/// gzip stream that ends in the middle for a whole one.
enum ContentCoding {
  /// What is offered. Not Zstandard: every server that knows it knows gzip, and a frame may ask for 128 MiB of window.
  static let offer = "gzip, deflate, br"

  /// The body, decoded.
  static func decode(_ response: HTTPResponse, bytesMax: Int) throws(HTTPClientError) -> [UInt8] {
    var body = response.body
    guard !body.isEmpty, let list = response.headers.list("Content-Encoding") else { return body }
    let codings = list.split(separator: ",").map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }
    guard codings.count <= codingsMax else { throw .badEncoding("\(codings.count) layers of it") }
    for coding in codings.reversed() {
      switch coding {
      case "gzip", "x-gzip": body = try undo(.gzip, body, bytesMax)
      case "deflate": body = try undo(.deflate, body, bytesMax)
      case "br": body = try undoBrotli(body, bytesMax)
      case "identity", "": break
      default: throw .badEncoding("“\(coding.prefix(20))” was not offered")
      }
    }
    return body
  }

  private static func undo(
    _ compression: Compression, _ body: [UInt8], _ bytesMax: Int
  ) throws(HTTPClientError) -> [UInt8] {
    do {
      return try compression.decompress(body, bytesMax: bytesMax)
    } catch {
      switch error {
      case .tooLarge(let max): throw .tooLarge(.decompressedBody, bytesMax: max)
      case .truncated: throw .truncated(bytesReceived: body.count)
      case .corrupt(let reason): throw .badEncoding(reason)
      }
    }
  }

  private static func undoBrotli(_ body: [UInt8], _ bytesMax: Int) throws(HTTPClientError) -> [UInt8] {
    do {
      return try Brotli.decompress(body, bytesMax: bytesMax)
    } catch {
      switch error {
      case .tooLarge(let max): throw .tooLarge(.decompressedBody, bytesMax: max)
      case .truncated: throw .truncated(bytesReceived: body.count)
      case .corrupt: throw .badEncoding("\(error)")
      }
    }
  }

  /// A proxy may add a layer to a server's; more is an attack.
  private static let codingsMax = 2
}
