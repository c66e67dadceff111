import MicroHTTP
import Synchronization
import Time

/// Lets each client do something a few times at once, and then steadily (a token bucket).
final class RateLimiter: Sendable {
  private struct Bucket {
    var left: Double
    var updated: Timestamp
  }

  /// How many clients are told apart. Beyond this new ones have to wait until others are forgotten.
  private static let clientsMax = 10_000

  private let burst: Double
  private let perSecond: Double
  private let clock: any WallClock
  private let buckets = Mutex<[String: Bucket]>([:])

  init(burst: Int, perMinute: Int, clock: any WallClock) {
    self.burst = Double(burst)
    perSecond = Double(perMinute) / 60
    self.clock = clock
  }

  /// Nil when `client` may go on, which is counted; else how long it has to wait.
  func delay(for client: String) -> Duration? {
    let now = clock.now
    let client = PeerAddress(host: client, port: 0).network
    return buckets.withLock { buckets in
      if buckets[client] == nil, buckets.count >= Self.clientsMax {
        buckets = buckets.filter { level($0.value, now) < burst }
        if buckets.count >= Self.clientsMax { return .seconds(60) }
      }
      var bucket = buckets[client] ?? Bucket(left: burst, updated: now)
      bucket.left = level(bucket, now)
      bucket.updated = now
      let isFree = bucket.left >= 1
      if isFree { bucket.left -= 1 }
      buckets[client] = bucket
      return isFree ? nil : .seconds((1 - bucket.left) / perSecond)
    }
  }

  private func level(_ bucket: Bucket, _ now: Timestamp) -> Double {
    min(burst, bucket.left + max(0, bucket.updated.distance(to: now).inSeconds) * perSecond)
  }
}
