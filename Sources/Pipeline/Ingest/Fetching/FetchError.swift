public import Curl
internal import Time

/// Why there is no document. Each case is something else to do.
public enum FetchError: Error, Sendable, Hashable {
  /// There was no whole answer: look at the network, the name or the server.
  case unreachable(HTTPClientError)
  /// 410: the publisher says that the feed will not come back.
  case gone
  /// 429 or 503: wait, at least as long as the server said.
  case throttled(status: Int, retryAfter: Duration?)
  /// Any other status that is no document.
  case refused(status: Int)
  /// The redirects do not end.
  case tooManyRedirects(Int)
  /// A redirect to what is no web address.
  case badRedirect(reason: String)
  /// A good answer without a body.
  case empty
}

extension FetchError: CustomStringConvertible {
  /// What happened, and what would help.
  public var description: String {
    switch self {
    case .unreachable(.refusedAddress(let refusal, let host)):
      "\(host) leads to \(refusal.address), \(refusal.reason): refused, unless feeds.allowAddresses opens that range"
    case .unreachable(let error): error.description
    case .gone: "410: the publisher has given this feed up; unsubscribe, or look for its new address"
    case .throttled(let status, let wait?): "\(status): the server asks to wait for \(wait.inWords)"
    case .throttled(let status, nil): "\(status): the server asks to come less often"
    case .refused(let status): Self.words(status)
    case .tooManyRedirects(let max): "more than \(max) redirects in a row: follow them in a browser to find the feed"
    case .badRedirect(let reason): "a redirect leads nowhere: \(reason)"
    case .empty: "the answer is empty"
    }
  }

  private static func words(_ status: Int) -> String {
    switch status {
    case 304: "304 although nothing was said to be known: the server's cache is broken"
    case 300..<400: "\(status): a redirect that does not say where to"
    case 401: "401: the feed wants a login; give it as a header of the subscription"
    case 403: "403: the publisher refuses; feeds.userAgent should say who asks and how to reach you"
    case 404: "404: there is nothing at this address; look for the feed's new one"
    case 406: "406: the publisher has no feed in a format that is read here"
    case 407: "407: the proxy wants a login; give it in feeds.proxy"
    case 400..<500: "\(status): the publisher refuses the request"
    default: "\(status): the publisher's server has a fault of its own"
    }
  }
}
