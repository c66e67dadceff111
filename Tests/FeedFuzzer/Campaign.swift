internal import Files
internal import Synchronization
internal import TestKit

/// Many trials, each of a document that its number and the seed make.
final class Campaign: Sendable {
  private let documents: [[UInt8]]
  private let seed: UInt64
  /// The document that is being read.
  private let number = Atomic<UInt64>(0)

  /// Resident memory at its highest, in bytes: AddressSanitizer keeps 256 MiB of what was freed, and shadows an eighth.
  private static let memoryBytesMax = 1 << 30
  /// Larger documents say nothing that smaller ones do not, more slowly.
  private static let seedBytesMax = 200_000
  /// Between two words of life; a document that is still being read at two of them hangs.
  private static let reportInterval = Duration.seconds(30)

  /// - Parameter paths: files with documents, and folders of them.
  init(over paths: some Sequence<String>, seed: UInt64) {
    documents = paths.flatMap(Self.documents)
    self.seed = seed
  }

  /// Whether there is anything to break.
  var isEmpty: Bool { documents.isEmpty }

  /// Tries until the time is over or one fails.
  func run(for time: Duration) -> Bool {
    let start = ContinuousClock.now
    let watch = Task.detached { [self] in
      var seen: UInt64?
      while true {
        try await Task.sleep(for: Self.reportInterval)
        let reached = number.load(ordering: .relaxed)
        report("\(reached) documents in \(ContinuousClock.now - start)")
        if reached == seen { fatalError("document \(reached) does not end") }
        seen = reached
      }
    }
    defer { watch.cancel() }
    while ContinuousClock.now - start < time {
      let next = number.load(ordering: .relaxed)
      guard attempt(next) else { return false }
      number.store(next + 1, ordering: .relaxed)
    }
    report("\(number.load(ordering: .relaxed)) documents read, none to complain of")
    return true
  }

  /// Reads the document of a number.
  func attempt(_ number: UInt64) -> Bool {
    var mutations = Mutations(of: documents, seed: seed &+ number &* 0xD134_2543_DE82_EF95)
    let bytes = mutations.next()
    let contentType = mutations.contentType()
    try? FileSystem.write(bytes, to: "fuzzed")
    let before = ResourceUsage.now.processorTime
    Trial.read(bytes, contentType: contentType)
    let usage = ResourceUsage.now
    let time = usage.processorTime - before
    guard time > Trial.timeMax || usage.residentBytesMax > Self.memoryBytesMax else { return true }
    report("document \(number), \(bytes.count) bytes as \(contentType ?? "anything"): \(time)")
    return false
  }

  private func report(_ words: String) {
    let memory = ResourceUsage.now.residentBytesMax >> 20
    try? StandardStream.error.writeLine("seed \(seed): \(words), \(memory) MiB at most")
  }

  private static func documents(at path: String) -> [[UInt8]] {
    switch FileSystem.kind(of: path) {
    case .directory:
      let names = (try? FileSystem.names(inDirectory: path)) ?? []
      return names.sorted().flatMap { documents(at: FileSystem.path($0, from: path)) }
    case .file:
      // A corpus's tables are no documents.
      guard !path.hasSuffix(".jsonl"), let bytes = try? FileSystem.read(path, bytesMax: seedBytesMax), !bytes.isEmpty
      else { return [] }
      return [bytes]
    default: return []
    }
  }
}
