internal import Glibc

/// A file's bytes where the kernel keeps them: nothing is read before it is looked at, and processes that map the same
/// file share one copy. The file must not be shortened meanwhile; one that is replaced by a rename stays as it was.
///
/// Sendable because the mapping is read-only and lives exactly as long as the object.
public final class MappedFile: @unchecked Sendable {
  /// How many bytes the file has.
  public let count: Int
  private let start: UnsafeRawPointer

  /// Maps a file.
  ///
  /// - Parameter bytesMax: The most bytes that it may have; a longer file is an error.
  public init(_ path: String, bytesMax: Int) throws(FileError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError("read", path, String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw FileError("map", path, "it is no file")
    }
    guard status.st_size > 0 else { throw FileError("map", path, "it is empty") }
    guard status.st_size <= bytesMax else { throw FileError("map", path, "it has more than \(bytesMax) bytes") }
    let size = Int(status.st_size)
    guard let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
      throw FileError("map", path, String(cString: strerror(errno)))
    }
    self.start = UnsafeRawPointer(start)
    count = size
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: start), count) }

  /// Integers that stand in the file in this machine's byte order; nil if they would reach beyond the file's end, or
  /// their place is not a multiple of their size.
  public func array<Element: FixedWidthInteger & BitwiseCopyable>(
    of type: Element.Type, at offset: Int, count: Int
  ) -> MappedArray<Element>? {
    let size = MemoryLayout<Element>.stride
    guard offset >= 0, count >= 0, offset.isMultiple(of: size), offset <= self.count,
      count <= (self.count - offset) / size
    else { return nil }
    return MappedArray(
      owner: self, start: (start + offset).assumingMemoryBound(to: Element.self), count: count)
  }
}

/// Integers in a mapped file, as an array that cannot be changed.
///
/// Sendable because nobody writes what it points to, and `owner` keeps it mapped.
public struct MappedArray<Element: FixedWidthInteger & BitwiseCopyable>: @unchecked Sendable {
  private let owner: MappedFile
  @usableFromInline let start: UnsafePointer<Element>
  /// How many there are.
  public let count: Int

  init(owner: MappedFile, start: UnsafePointer<Element>, count: Int) {
    self.owner = owner
    self.start = start
    self.count = count
  }

  /// The integer at that index, which must be one of the array's.
  @inlinable
  public subscript(index: Int) -> Element {
    precondition(index >= 0 && index < count, "an index outside the mapped array")
    return start[index]
  }
}
