public import Curl
public import News

/// A subscription that can be polled: its address parsed, and what is to be sent there.
public struct FollowedFeed: Sendable, Hashable {
  /// What the operator follows. Its address, the feed's identity in stores and logs, holds no login.
  public let subscription: Subscription
  /// Its address.
  public let url: WebURL
  /// The operator's own headers.
  public let headers: [FeedHeader]

  /// A subscription to the feed at `url`, whatever the subscription's own address says.
  public init(_ subscription: Subscription, url: WebURL, headers: [FeedHeader] = []) {
    self.subscription = subscription.at(url.text)
    self.url = url
    self.headers = headers
  }

  /// Parses the subscription's address.
  public init(_ subscription: Subscription, headers: [FeedHeader] = []) throws(MalformedURL) {
    self.init(subscription, url: try WebURL(subscription.url), headers: headers)
  }
}

extension Subscription {
  fileprivate func at(_ url: String) -> Subscription {
    var moved = self
    moved.url = url
    return moved
  }
}
