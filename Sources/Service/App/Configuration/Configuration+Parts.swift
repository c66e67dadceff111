internal import BuiltInHub
internal import Classify
internal import Curl
internal import Files
internal import Ingest
internal import News
internal import Publish
internal import Push
internal import Telemetry
internal import Time
internal import Topics

// What the parts of the worker need, made of what the configuration says.

extension LoadedConfiguration {
  /// Classifies by hints, then by the model; `record` keeps count of hints that the model contradicts.
  func classifier(_ record: HintRecord? = nil) -> ChainClassifier {
    let homes = ChainClassifier.Homes(usual: options.classifier.homeCountry, bySource: homes)
    return ChainClassifier(
      hints: HintClassifier(table: categoryTable),
      model: ModelClassifier(model: model, threshold: options.classifier.threshold.map { Float($0) }), homes: homes,
      record: record)
  }

  /// How articles are classified and judged.
  func editing(_ record: HintRecord? = nil) -> Desk.Editing {
    Desk.Editing(classifier: classifier(record), policy: options.publisher.policy, matching: matching)
  }

  /// When articles of different sources are one story; nil for never. Where all sources are editors nobody retells
  /// another, and nothing is kept to recognise it by.
  private var matching: StoryMatching? {
    let stories = options.publisher.stories
    let haveRetellers = !feeds.isEmpty || options.kafka.sources.contains { $0.trust == .feed }
    guard stories.window > .zero, haveRetellers else { return nil }
    return StoryMatching(window: stories.window, likeness: stories.likeness)
  }

  /// Where the readers of the feeds that say so are at home, by the feeds' names.
  private var homes: [String: CountryCode] {
    Dictionary(
      options.feeds.list.compactMap { feed in
        guard let country = feed.homeCountry, let host = feed.url?.host else { return nil }
        return (feed.name ?? host, country)
      }, uniquingKeysWith: { first, _ in first })
  }
}

extension Configuration.Feeds {
  /// Who asks, with an address to complain to where there is one.
  var agent: String { contact.map { "\(userAgent) (+\($0))" } ?? userAgent }

  /// A client that reaches no private network that the configuration does not name.
  var client: HTTPClient {
    HTTPClient(HTTPClient.Options(guarded: AddressGuard(allowing: allowAddresses), proxy: proxy))
  }
}

extension FeedFetcher {
  /// A fetcher that keeps to the configuration's limits.
  init(_ feeds: Configuration.Feeds, client: HTTPClient, clock: any WallClock) {
    self.init(
      client: client,
      options: Options(
        userAgent: feeds.agent, timeouts: HTTPTimeouts(total: feeds.limits.time),
        limits: HTTPLimits(bodyBytesMax: feeds.limits.body), redirectsMax: feeds.limits.redirects),
      clock: clock)
  }
}

extension Configuration.Feeds {
  /// How much the poller does at once.
  var pollerOptions: FeedPoller.Options {
    var options = FeedPoller.Options()
    options.pollsMax = limits.concurrent
    options.newItemsMax = limits.newItems
    return options
  }
}

extension HubSettings {
  /// How the hub behaves.
  var localOptions: LocalHub.Options {
    var options = LocalHub.Options()
    options.reservedTags = reservedTags
    options.rendition.retention = mailbox.keep
    options.listenersMax = mailbox.listeners
    return options
  }
}

extension Configuration.Publisher {
  /// How articles are judged.
  var policy: PushPolicy { PushPolicy(maxAge: maxAge, corrections: corrections, undecided: undecided) }
}

extension Configuration.Logging {
  /// A logger that writes to the console's messages.
  func logger(_ console: Console) -> Logger {
    let format: LogFormat =
      switch self.format {
      case .auto: console.errors.isTerminal ? .human : .json
      case .human: .human
      case .json: .json
      }
    let errors = console.errors
    // A log nobody can read is no reason to stop the work.
    return Logger(level: level) { record in try? errors.writeLine(format.line(record)) }
  }
}
