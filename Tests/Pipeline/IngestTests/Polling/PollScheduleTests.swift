import Testing
import Time

@testable import Ingest

@Suite struct PollScheduleTests {
  static let noon = Timestamp(rfc3339: "2026-11-30T12:00:00Z")!

  private func time(_ seconds: Int) -> Timestamp { Self.noon + .seconds(seconds) }

  /// All that is to be done now.
  private func polls(_ schedule: inout PollSchedule, at seconds: Int) -> [Int] {
    var polls: [Int] = []
    while case .poll(let feed) = schedule.next(now: time(seconds)) { polls.append(feed) }
    return polls
  }

  @Test("The longest due goes first, and what is not due waits")
  func order() {
    let due = [("a", time(30)), ("b", time(-5)), ("c", time(0)), ("d", time(-10))]
    var schedule = PollSchedule(due, runningMax: 10, runningPerHostMax: 1)
    #expect(polls(&schedule, at: 0) == [3, 1, 2])
    #expect(schedule.next(now: time(0)) == .wait(until: time(30)))
    schedule.ended(1, due: time(20))
    #expect(schedule.next(now: time(0)) == .wait(until: time(20)))
    #expect(polls(&schedule, at: 30) == [1, 0])
  }

  @Test("No more run than may at once")
  func bounded() {
    var schedule = PollSchedule((0..<5).map { ("h\($0)", time(0)) }, runningMax: 2, runningPerHostMax: 1)
    #expect(polls(&schedule, at: 0) == [0, 1])
    #expect(schedule.next(now: time(0)) == .wait(until: nil))
    schedule.ended(0, due: time(900))
    #expect(polls(&schedule, at: 0) == [2])
  }

  @Test("A host with many feeds gets few at once and keeps no other waiting")
  func perHost() {
    let feeds = [("big", time(-9)), ("big", time(-8)), ("big", time(-7)), ("big", time(-6)), ("small", time(-1))]
    var schedule = PollSchedule(feeds, runningMax: 10, runningPerHostMax: 2)
    #expect(polls(&schedule, at: 0) == [0, 1, 4])
    schedule.ended(1, due: time(900))
    #expect(polls(&schedule, at: 0) == [2])
    schedule.ended(0, due: time(900))
    schedule.ended(2, due: time(900))
    #expect(polls(&schedule, at: 0) == [3])
    schedule.ended(3, due: time(900))
    schedule.ended(4, due: time(900))
    #expect(polls(&schedule, at: 899).isEmpty)
    #expect(polls(&schedule, at: 900) == [1, 0, 4])
  }

  @Test("When a host asks for a pause, its other feeds wait too")
  func pause() {
    let feeds = [("a", time(0)), ("a", time(1)), ("a", time(2)), ("b", time(0))]
    var schedule = PollSchedule(feeds, runningMax: 10, runningPerHostMax: 1)
    #expect(polls(&schedule, at: 5) == [0, 3])
    schedule.pause("a", until: time(125))
    schedule.ended(0, due: time(125))
    #expect(schedule.next(now: time(5)) == .postpone(1, until: time(125)))
    schedule.postponed(1, due: time(125))
    #expect(schedule.next(now: time(5)) == .postpone(2, until: time(125)))
    schedule.postponed(2, due: time(125))
    #expect(schedule.next(now: time(5)) == .wait(until: time(125)))
    #expect(polls(&schedule, at: 125) == [0])
  }

  @Test("No feed is forgotten, whatever ends when")
  func complete() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      let feeds = (0..<30).map { ("h\($0 % 4)", time($0 % 7)) }
      var schedule = PollSchedule(feeds, runningMax: 5, runningPerHostMax: 2)
      var running: [Int] = []
      var polled: Set<Int> = []
      steps: for _ in 0..<1000 {
        switch schedule.next(now: time(10)) {
        case .poll(let feed):
          #expect(running.count < 5 && running.count { $0 % 4 == feed % 4 } < 2)
          running.append(feed)
          polled.insert(feed)
        case .postpone(let feed, let until): schedule.postponed(feed, due: until)
        case .wait:
          guard !running.isEmpty else { break steps }
          let feed = running.remove(at: Int.random(in: 0..<running.count, using: &generator))
          schedule.ended(feed, due: time(1000))
        }
      }
      #expect(polled.count == 30)
    }
  }
}
