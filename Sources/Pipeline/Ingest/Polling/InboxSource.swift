public import News
public import Runtime
internal import Synchronization
public import Time

/// The articles of the inbox, each until it is acknowledged: what feeds have brought, also before a crash, and what
/// other processes put there.
public final class InboxSource: ArticleSource {
  /// Its name in log lines and decisions.
  public let name = "feeds"

  private struct State {
    /// Rows up to here have been handed out, as far as they were there.
    var cursor: Int64 = 0
    /// Handed out and not acknowledged.
    var open: Set<Int64> = []
  }

  private let store: any FeedStore
  private let bell: Wakeup
  private let clock: any WallClock
  private let lookInterval: Duration
  private let openMax: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - bell: rung by the poller of this process when it has put something into the inbox.
  ///   - lookInterval: how long rows that another process has written may go unnoticed.
  ///   - openMax: articles handed out and not acknowledged, at most: bounds what the stages behind hold.
  public init(
    store: any FeedStore, bell: Wakeup, clock: any WallClock, lookInterval: Duration = .seconds(2),
    openMax: Int = 1000
  ) {
    self.store = store
    self.bell = bell
    self.clock = clock
    self.lookInterval = lookInterval
    self.openMax = openMax
  }

  /// Waits for articles and returns the oldest, at most `limit`. Never ends by itself.
  public func next(limit: Int) async throws -> [Inbound]? {
    while true {
      let (cursor, open) = state.withLock { ($0.cursor, $0.open.count) }
      if open < openMax {
        let rows = try await store.inbox(after: cursor, limit: min(limit, openMax - open) + (cursor == 0 ? open : 0))
        let fresh = take(rows, limit)
        if !fresh.isEmpty { return fresh.map(inbound) }
      }
      try await bell.wait(until: clock.now + lookInterval, clock: clock)
      // From the start again: rows may come back, and of two that were written at once the later may show first.
      state.withLock { $0.cursor = 0 }
    }
  }

  private func take(_ rows: [InboxRow], _ limit: Int) -> [InboxRow] {
    state.withLock { state in
      let fresh = rows.filter { !state.open.contains($0.row) }.prefix(min(limit, openMax - state.open.count))
      for row in fresh { state.open.insert(row.row) }
      if let last = fresh.last { state.cursor = max(state.cursor, last.row) }
      return Array(fresh)
    }
  }

  private func inbound(_ row: InboxRow) -> Inbound {
    var inbound = Inbound(article: row.article, subscribed: row.subscribed, firstSeen: row.firstSeen) { [self] in
      do {
        try await store.acknowledge([row.row])
      } catch {
        // It is handed out again, at the next look from the start.
        state.withLock { _ = $0.open.remove(row.row) }
        throw error
      }
      let wasFull = state.withLock { state in
        defer { state.open.remove(row.row) }
        return state.open.count >= openMax
      }
      if wasFull { bell.ring() }
    }
    // A store counts the versions of a feed's items from 1.
    inbound.isUpdate = row.article.version > 1
    return inbound
  }
}
