/// What of one partition has been handed out, and up to where all of it is done. Pure.
///
/// Records are done in any order, but a committed offset speaks for all before it: it is the low-water mark of done.
struct OffsetMarks {
  private struct Entry {
    let offset: Int64
    let bytes: Int
    var isDone = false
  }

  /// Which time the partition was assigned.
  let assignment: Int
  /// Handed out, in order of their offsets; those before `head` are done and counted.
  private var entries: [Entry] = []
  private var head = 0
  /// The offset to be committed: the first that is not done. Nil until something is done, or reading begins where
  /// nothing is committed.
  private(set) var mark: Int64?
  /// What the broker has confirmed.
  private(set) var committed: Int64?

  /// How many are done and remembered, because one before them is not.
  var heldBackCount: Int { entries.count - head - openCount }

  /// How many are handed out and not done.
  private(set) var openCount = 0
  /// Their size.
  private(set) var openBytes = 0

  init(assignment: Int) { self.assignment = assignment }

  /// Notes where reading begins. A group that has committed nothing so far commits this, so that what watches its lag
  /// sees where it stands, and a topic that grows before the first record is done is read from here all the same.
  mutating func begin(at start: Int64, isCommitted: Bool) {
    if isCommitted {
      committed = max(committed ?? start, start)
    } else if mark == nil {
      mark = start
    }
  }

  /// The first offset that is not done, as far as that is known.
  var next: Int64? { mark ?? committed }

  /// Notes a record that is handed out. What was handed out before, because the partition was rewound, is open again.
  mutating func handOut(_ offset: Int64, bytes: Int) {
    if let last = entries.last, last.offset >= offset { forget(from: offset) }
    entries.append(Entry(offset: offset, bytes: bytes))
    openCount += 1
    openBytes += bytes
  }

  /// Notes that a record is done; its size, or nil where it is not open.
  mutating func finish(_ offset: Int64) -> Int? {
    guard let place = place(of: offset), !entries[place].isDone else { return nil }
    entries[place].isDone = true
    let bytes = entries[place].bytes
    openCount -= 1
    openBytes -= bytes
    while head < entries.count && entries[head].isDone {
      mark = entries[head].offset + 1
      head += 1
    }
    // What is done is let go in one piece once it is most of the array, so that finishing costs the same each time.
    if head == entries.count || head > 1024 && head > entries.count / 2 {
      entries.removeFirst(head)
      head = 0
    }
    return bytes
  }

  /// The offset to commit, where it is ahead of what the broker has confirmed.
  var uncommitted: Int64? {
    guard let mark, mark > committed ?? -1 else { return nil }
    return mark
  }

  /// Notes what the broker has confirmed; it never goes back.
  mutating func confirm(_ offset: Int64) { committed = max(committed ?? offset, offset) }

  private func place(of offset: Int64) -> Int? {
    var low = head
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].offset < offset { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].offset == offset ? low : nil
  }

  private mutating func forget(from offset: Int64) {
    while entries.count > head, let last = entries.last, last.offset >= offset {
      if !last.isDone {
        openCount -= 1
        openBytes -= last.bytes
      }
      entries.removeLast()
    }
  }
}
