import Time

/// Which feed to poll next: the longest due first, a few at a time, fewer of one host. Pure: the poller performs what
/// it says.
struct PollSchedule {
  /// What to do now.
  enum Action: Equatable {
    /// Poll that feed.
    case poll(Int)
    /// That feed is due, but its host asked for a pause: look again then.
    case postpone(Int, until: Timestamp)
    /// Nothing, until that time or until a poll ends; nil if only the latter can change anything.
    case wait(until: Timestamp?)
  }

  private struct Host {
    var running = 0
    var pausedUntil: Timestamp?
    /// Due feeds that wait for their host, in order.
    var waiting: [Int] = []
  }

  private var hostOf: [String]
  private var hosts: [String: Host]
  /// Feeds that are neither running nor waiting, by time, the next one last.
  private var upcoming: [(due: Timestamp, feed: Int)]
  /// Feeds whose host has become free again, in order.
  private var freed: [Int] = []
  private var running = 0
  private let runningMax: Int
  private let runningPerHostMax: Int

  /// - Parameters:
  ///   - feeds: each feed's host and when it is due, nil for never; feeds are named by their place.
  ///   - runningMax: polls at once.
  ///   - runningPerHostMax: polls at once of one host, which may serve hundreds of feeds from one small machine.
  init(_ feeds: [(host: String, due: Timestamp?)], runningMax: Int, runningPerHostMax: Int) {
    hostOf = feeds.map(\.host)
    hosts = Dictionary(feeds.map { ($0.host, Host()) }, uniquingKeysWith: { first, _ in first })
    upcoming = feeds.enumerated().compactMap { index, feed in feed.due.map { ($0, index) } }
      .sorted { ($0.due, $0.feed) > ($1.due, $1.feed) }
    self.runningMax = runningMax
    self.runningPerHostMax = runningPerHostMax
  }

  /// What to do now. The poll it names counts as running from here.
  mutating func next(now: Timestamp) -> Action {
    guard running < runningMax else { return .wait(until: nil) }
    if !freed.isEmpty { return begin(freed.removeFirst(), now) }
    while let first = upcoming.last, first.due <= now {
      upcoming.removeLast()
      if hosts[hostOf[first.feed], default: Host()].running < runningPerHostMax { return begin(first.feed, now) }
      hosts[hostOf[first.feed], default: Host()].waiting.append(first.feed)
    }
    return .wait(until: upcoming.last?.due)
  }

  private mutating func begin(_ feed: Int, _ now: Timestamp) -> Action {
    let host = hostOf[feed]
    if let until = hosts[host]?.pausedUntil, until > now { return .postpone(feed, until: until) }
    running += 1
    hosts[host, default: Host()].running += 1
    return .poll(feed)
  }

  /// A poll has ended; the feed is due again then, or never. `host` is another than before where the feed has moved.
  mutating func ended(_ feed: Int, due: Timestamp?, host: String? = nil) {
    let old = hostOf[feed]
    running -= 1
    hosts[old, default: Host()].running -= 1
    if let host { hostOf[feed] = host }
    if let due { schedule(feed, due: due) }
    release(old)
  }

  /// A feed that was not polled after all is due again then.
  mutating func postponed(_ feed: Int, due: Timestamp) {
    schedule(feed, due: due)
    // Whoever waits behind it must be postponed too, not forgotten.
    release(hostOf[feed])
  }

  /// A feed that waits for its time is due at that one, if it is earlier.
  mutating func hasten(_ feed: Int, to time: Timestamp) {
    guard let place = upcoming.firstIndex(where: { $0.feed == feed }), time < upcoming[place].due else { return }
    upcoming.remove(at: place)
    schedule(feed, due: time)
  }

  /// A host asked all to stay away.
  mutating func pause(_ host: String, until: Timestamp) {
    let known = hosts[host]?.pausedUntil ?? until
    hosts[host, default: Host()].pausedUntil = max(known, until)
  }

  private mutating func release(_ host: String) {
    guard let state = hosts[host], !state.waiting.isEmpty, state.running < runningPerHostMax else { return }
    freed.append(state.waiting[0])
    hosts[host]?.waiting.removeFirst()
  }

  private mutating func schedule(_ feed: Int, due: Timestamp) {
    var low = 0
    var high = upcoming.count
    while low < high {
      let middle = (low + high) / 2
      if upcoming[middle].due > due { low = middle + 1 } else { high = middle }
    }
    upcoming.insert((due, feed), at: low)
  }
}
