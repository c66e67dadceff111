// Holds zlib: packs bytes and unpacks them within bounds. Never knows where they come from.

internal import CZlib

/// A compressed format that zlib knows.
public enum Compression: Sendable {
  /// RFC 1952; several members in a row are one text.
  case gzip
  /// What HTTP calls `deflate`: RFC 1950, and bare RFC 1951 too, since servers send both under that name.
  case deflate

  /// Unpacks a whole body.
  ///
  /// - Parameter bytesMax: how large the result may grow; a bomb ends there.
  public func decompress(_ bytes: [UInt8], bytesMax: Int) throws(DecompressionError) -> [UInt8] {
    var output: [UInt8] = []
    var rest = bytes[...]
    repeat {
      rest = try decompressMember(rest, into: &output, bytesMax: bytesMax)
      // Padding and rubbish behind a whole stream are ignored, as browsers do; another member is not.
    } while self == .gzip && rest.starts(with: [0x1F, 0x8B])
    return output
  }

  /// Packs a whole body.
  public func compress(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    let status = tidings_deflate_init(&stream, self == .gzip ? 15 + 16 : 15)
    precondition(status == Z_OK, "zlib has no memory for 256 KiB of state")
    defer { deflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    bytes.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer { out in
        stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.avail_in = UInt32(input.count)
        stream.next_out = out.baseAddress
        stream.avail_out = UInt32(out.count)
        _ = CZlib.deflate(&stream, Z_FINISH)
      }
    }
    output.removeLast(Int(stream.avail_out))
    return output
  }

  /// Unpacks one member and returns what follows it.
  private func decompressMember(
    _ bytes: ArraySlice<UInt8>, into output: inout [UInt8], bytesMax: Int
  ) throws(DecompressionError) -> ArraySlice<UInt8> {
    var stream = z_stream()
    guard tidings_inflate_init(&stream, windowBits(for: bytes)) == Z_OK else {
      throw .corrupt("zlib is out of memory")
    }
    defer { inflateEnd(&stream) }
    var status = Z_OK
    var overflows = false
    let consumed = bytes.withUnsafeBufferPointer { input -> Int in
      stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.avail_in = UInt32(input.count)
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.chunkBytes) { chunk in
        while status == Z_OK {
          stream.next_out = chunk.baseAddress
          stream.avail_out = UInt32(chunk.count)
          status = inflate(&stream, Z_NO_FLUSH)
          let produced = chunk.count - Int(stream.avail_out)
          if output.count + produced > bytesMax {
            overflows = true
            return
          }
          output.append(contentsOf: chunk[..<produced])
        }
      }
      return input.count - Int(stream.avail_in)
    }
    if overflows { throw .tooLarge(bytesMax: bytesMax) }
    switch status {
    case Z_STREAM_END: return bytes.dropFirst(consumed)
    // No input is left and the stream has not ended.
    case Z_BUF_ERROR: throw .truncated
    default: throw .corrupt(stream.msg.map { String(cString: $0) } ?? "not \(self) data")
    }
  }

  /// zlib's way to name a format: 32 KiB of window, plus 16 for gzip, negative for the bare format.
  private func windowBits(for bytes: ArraySlice<UInt8>) -> Int32 {
    switch self {
    case .gzip: return 15 + 16
    case .deflate:
      // RFC 1950: the method is 8 and the first two bytes are a multiple of 31.
      guard bytes.count >= 2 else { return 15 }
      let first = Int(bytes[bytes.startIndex])
      let second = Int(bytes[bytes.startIndex + 1])
      return first & 0x0F == 8 && (first << 8 | second).isMultiple(of: 31) ? 15 : -15
    }
  }

  /// How much is unpacked at a time.
  private static let chunkBytes = 64 << 10
}

/// Why a body could not be unpacked.
public enum DecompressionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It ends before its format says so.
  case truncated
  /// It breaks its format's rules, in zlib's words.
  case corrupt(String)
  /// Unpacked it would be larger than allowed.
  case tooLarge(bytesMax: Int)

  /// What is wrong.
  public var description: String {
    switch self {
    case .truncated: "it ends in the middle"
    case .corrupt(let reason): reason
    case .tooLarge(let max): "it holds more than \(max) bytes"
    }
  }
}
