import Testing

@testable import Kafka

@Suite struct OffsetMarksTests {
  @Test("The mark is the first offset that is not done, whatever the order in which others are")
  func lowWaterMark() {
    var marks = marks(10...14)
    #expect(marks.uncommitted == nil)
    #expect(marks.finish(12) == 1)
    #expect(marks.uncommitted == nil)
    #expect(marks.finish(10) == 1)
    #expect(marks.uncommitted == 11)
    #expect(marks.finish(11) == 1)
    #expect(marks.uncommitted == 13)
    #expect(marks.openCount == 2)
  }

  @Test("Offsets that are left out, as compaction and transactions leave them, are no obstacle")
  func gaps() {
    var marks = marks([3, 7, 20])
    _ = marks.finish(3)
    _ = marks.finish(7)
    #expect(marks.uncommitted == 8)
    _ = marks.finish(20)
    #expect(marks.uncommitted == 21)
  }

  @Test("What is done twice, or was never handed out, changes nothing")
  func unknown() {
    var marks = marks(1...3)
    #expect(marks.finish(2) == 1)
    #expect(marks.finish(2) == nil)
    #expect(marks.finish(9) == nil)
    #expect(marks.openCount == 2)
    #expect(marks.openBytes == 2)
  }

  @Test("What the broker has confirmed is not committed again and never goes back")
  func confirmed() {
    var marks = marks(1...4)
    _ = marks.finish(1)
    _ = marks.finish(2)
    marks.confirm(3)
    #expect(marks.uncommitted == nil)
    marks.confirm(2)
    #expect(marks.committed == 3)
    _ = marks.finish(3)
    #expect(marks.uncommitted == 4)
  }

  @Test("A partition that is read again from an earlier place has those records open again")
  func rewound() {
    var marks = marks(5...8)
    for offset in 5...8 as ClosedRange<Int64> { _ = marks.finish(offset) }
    for offset in 6...7 as ClosedRange<Int64> { marks.handOut(offset, bytes: 1) }
    #expect(marks.openCount == 2)
    _ = marks.finish(6)
    // The broker is not told of less than before.
    marks.confirm(9)
    #expect(marks.uncommitted == nil)
  }

  @Test("Many records in any order end with nothing open and the last offset as the mark")
  func many() {
    var marks = marks(0...9_999)
    for offset in (0...9_999 as ClosedRange<Int64>).shuffled() { _ = marks.finish(offset) }
    #expect(marks.openCount == 0)
    #expect(marks.openBytes == 0)
    #expect(marks.uncommitted == 10_000)
  }

  @Test("What is done behind an open record is counted until that is done")
  func heldBack() {
    var marks = marks(0...9)
    for offset in 1...9 as ClosedRange<Int64> { _ = marks.finish(offset) }
    #expect(marks.heldBackCount == 9)
    _ = marks.finish(0)
    #expect(marks.heldBackCount == 0)
  }

  @Test("Where nothing is committed the start is, before anything is done; what is committed is not committed again")
  func start() {
    var fresh = OffsetMarks(assignment: 1)
    fresh.begin(at: 7, isCommitted: false)
    #expect(fresh.uncommitted == 7)
    fresh.confirm(7)
    #expect(fresh.uncommitted == nil)
    #expect(fresh.next == 7)
    var known = OffsetMarks(assignment: 1)
    known.begin(at: 7, isCommitted: true)
    #expect(known.uncommitted == nil)
    #expect(known.next == 7)
    known.handOut(7, bytes: 1)
    _ = known.finish(7)
    #expect(known.uncommitted == 8)
    #expect(known.next == 8)
  }

  private func marks(_ offsets: some Sequence<Int64>) -> OffsetMarks {
    var marks = OffsetMarks(assignment: 1)
    for offset in offsets { marks.handOut(offset, bytes: 1) }
    return marks
  }
}
