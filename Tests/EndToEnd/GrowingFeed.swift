import MicroHTTP
import Synchronization
import Time

/// A feed on a real server that has one more item each time it is asked, up to a number.
final class GrowingFeed: Sendable {
  private let server: HTTPServer
  private let served: Served

  /// How many items the last document had.
  var count: Int { served.count.withLock { $0 } }
  var url: String { "http://127.0.0.1:\(server.port)/feed" }

  init(category: String, itemsMax: Int) throws {
    let served = Served()
    self.served = served
    server = try HTTPServer { _ in
      let count = served.count.withLock { count in
        count = min(count + 1, itemsMax)
        return count
      }
      let now = SystemClock().now.rfc3339
      let entries = (1...count).reversed().map { number in
        """
        <entry><id>urn:\(category):\(number)</id><title>\(category) \(number)</title>
        <link href="http://x.test/\(category)/\(number)"/><published>\(now)</published><updated>\(now)</updated></entry>
        """
      }
      let body = """
        <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title>\(category)</title><id>urn:\(category)</id>
        <updated>\(now)</updated>\(entries.joined())</feed>
        """
      return Response(status: 200, headers: ["Content-Type": "application/atom+xml"], text: body)
    }
  }

  private final class Served: Sendable {
    let count = Mutex(0)
  }
}
