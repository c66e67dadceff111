// Holds Brotli (RFC 7932): packs bytes and unpacks them within bounds. Never knows where they come from.

internal import CBrotli

/// The format that HTTP calls `br`.
public enum Brotli {
  /// Unpacks a whole body. Its window takes 16 MiB at most, whatever a stranger asks for: larger ones are another format,
  /// which the decoder does not take.
  ///
  /// - Parameter bytesMax: how large the result may grow; a bomb ends there.
  public static func decompress(_ bytes: [UInt8], bytesMax: Int) throws(BrotliError) -> [UInt8] {
    guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .corrupt("the decoder is out of memory") }
    defer { BrotliDecoderDestroyInstance(state) }
    var output: [UInt8] = []
    var isTooLarge = false
    let result = bytes.withUnsafeBufferPointer { input -> BrotliDecoderResult in
      var (left, next) = (input.count, input.baseAddress)
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: chunkBytes) { chunk in
        while true {
          var (room, out) = (chunk.count, chunk.baseAddress)
          let result = BrotliDecoderDecompressStream(state, &left, &next, &room, &out, nil)
          let produced = chunk.count - room
          if output.count + produced > bytesMax {
            isTooLarge = true
            return result
          }
          output.append(contentsOf: chunk[..<produced])
          if result != BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT { return result }
        }
      }
    }
    if isTooLarge { throw .tooLarge(bytesMax: bytesMax) }
    switch result {
    // What stands behind a whole stream is ignored, as browsers do.
    case BROTLI_DECODER_RESULT_SUCCESS: return output
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: throw .truncated
    default: throw .corrupt(String(cString: BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state))))
    }
  }

  /// Packs a whole body, quickly rather than small.
  public static func compress(_ bytes: [UInt8]) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: BrotliEncoderMaxCompressedSize(bytes.count) + 16)
    var count = output.count
    let status = BrotliEncoderCompress(
      5, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, bytes.count, bytes, &count, &output)
    precondition(status == BROTLI_TRUE, "the bound on the packed size holds")
    output.removeLast(output.count - count)
    return output
  }

  /// How much is unpacked at a time.
  private static let chunkBytes = 64 << 10
}

/// Why a body could not be unpacked.
public enum BrotliError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It ends before its format says so.
  case truncated
  /// It breaks its format's rules, in the decoder's words.
  case corrupt(String)
  /// Unpacked it would be larger than allowed.
  case tooLarge(bytesMax: Int)

  /// What is wrong.
  public var description: String {
    switch self {
    case .truncated: "it ends in the middle"
    case .corrupt(let reason): "no Brotli: \(reason)"
    case .tooLarge(let max): "it holds more than \(max) bytes"
    }
  }
}
