internal import Curl
internal import News
internal import Publish
internal import Push
internal import Telemetry
internal import Topics

/// What the worker is told: every option with its value. Initial values are the defaults; `options` of each section
/// binds names to properties. `config/tidings.yaml` explains each option to operators.
struct Configuration: ConfigurationSection {
  /// A part of the work that a process may do alone.
  enum Role: String, CaseIterable {
    case ingest, publish, hub
  }

  var roles = Role.allCases
  var feeds = Feeds()
  var kafka = KafkaOptions()
  var categories = Categories()
  var classifier = Classifier()
  var locales = LocaleSettings.standard
  var publisher = Publisher()
  var hub = HubSettings()
  var hubs: [HubSettings] = []
  var store = Store()
  var server = Server()
  var logging = Logging()

  /// The directory where relative paths in the configuration start: its file's own.
  var directory = "."

  static let options: [ConfigurationOption<Configuration>] = [
    .init("roles", \.roles, .list(of: .choice)),
    .init("feeds", \.feeds, .section),
    .init("kafka", \.kafka, .section),
    .init("categories", \.categories, .section),
    .init("classifier", \.classifier, .section),
    .init("locales", \.locales, .list(of: .section)),
    .init("publisher", \.publisher, .section),
    .init("hub", \.hub, .section),
    .init("hubs", \.hubs, .list(of: .section)),
    .init("store", \.store, .section),
    .init("server", \.server, .section),
    .init("logging", \.logging, .section),
  ]
  static let unsupported = ["newsroom"]

  /// What the feeds are and how they are asked.
  struct Feeds: ConfigurationSection {
    var file: String?
    var list: [Feed] = []
    var interval = Duration.seconds(15 * 60)
    var userAgent = "tidings/\(Program.version)"
    var contact: String?
    var proxy: HTTPProxy?
    var allowAddresses: [AddressBlock] = []
    var limits = Limits()

    static let options: [ConfigurationOption<Feeds>] = [
      .init("file", \.file, .optional(.text)),
      .init("list", \.list, .list(of: .section)),
      .init("interval", \.interval, .interval),
      .init("userAgent", \.userAgent, .headerValue),
      .init("contact", \.contact, .optional(.headerValue)),
      .init("proxy", \.proxy, .optional(.proxy)),
      .init("allowAddresses", \.allowAddresses, .list(of: .addressBlock)),
      .init("limits", \.limits, .section),
    ]
  }

  /// A feed that the configuration itself names.
  struct Feed: ConfigurationSection {
    var url: WebURL?
    var name: String?
    var category: News.Category?
    var language: String?
    var homeCountry: CountryCode?
    var interval: Duration?
    var headers: [String: Secret] = [:]

    static let options: [ConfigurationOption<Feed>] = [
      .init("url", \.url, .present(.webURL), isRequired: true),
      .init("name", \.name, .optional(.text)),
      .init("category", \.category, .optional(.choice)),
      .init("language", \.language, .optional(.language)),
      .init("homeCountry", \.homeCountry, .optional(.country)),
      .init("interval", \.interval, .optional(.interval)),
      .init("headers", \.headers, .headers),
    ]
  }

  /// What a feed's server may cost.
  struct Limits: ConfigurationSection {
    var body = 16 << 20
    var time = Duration.seconds(30)
    var redirects = 5
    var concurrent = 32
    var newItems = 50

    static let options: [ConfigurationOption<Limits>] = [
      .init("body", \.body, .size((64 << 10)...(1 << 30))),
      .init("time", \.time, .duration(.seconds(1)...(.seconds(600)))),
      .init("redirects", \.redirects, .integer(0...20)),
      .init("concurrent", \.concurrent, .integer(1...256)),
      .init("newItems", \.newItems, .integer(1...10_000)),
    ]
  }

  /// What publishers' own terms mean.
  struct Categories: ConfigurationSection {
    var file: String?

    static let options: [ConfigurationOption<Categories>] = [
      .init("file", \.file, .optional(.text))
    ]
  }

  /// How articles are read where nobody says what they are about.
  struct Classifier: ConfigurationSection {
    /// Which model reads them.
    enum Model: Sendable, Hashable {
      /// The one that ships.
      case builtin
      case file(String)
    }

    var model = Model.builtin
    /// The least confidence at which the model answers; nil for the model's own.
    var threshold: Double?
    var homeCountry: CountryCode?

    static let options: [ConfigurationOption<Classifier>] = [
      .init("model", \.model, .model),
      .init("threshold", \.threshold, .threshold),
      .init("homeCountry", \.homeCountry, .optional(.country)),
    ]
  }

  /// Which articles become pushes, and whom they reach.
  struct Publisher: ConfigurationSection {
    var routing = Written(text: "{category}", parse: Routing.init(parsing:))
    var maxAge = Duration.seconds(6 * 3600)
    var lifetime = Duration.seconds(24 * 3600)
    var corrections = PushPolicy.Corrections.ignore
    var undecided = PushPolicy.Undecided.drop
    var onUnknown = Publish.Publisher.OnUnknown.hold
    var stories = Stories()

    static let options: [ConfigurationOption<Publisher>] = [
      .init("routing", \.routing, .routing),
      .init("maxAge", \.maxAge, .duration(.seconds(60)...(.seconds(30 * 86_400)))),
      .init("lifetime", \.lifetime, .duration(.seconds(60)...(.seconds(28 * 86_400)))),
      .init("corrections", \.corrections, .choice),
      .init("undecided", \.undecided, .choice),
      .init("onUnknown", \.onUnknown, .choice),
      .init("stories", \.stories, .section),
    ]
    static let unsupported = ["limits", "quietHours"]
  }

  /// When articles of different sources are one story.
  struct Stories: ConfigurationSection {
    var window = StoryMatching.standard.window
    var likeness = StoryMatching.standard.likeness

    static let options: [ConfigurationOption<Stories>] = [
      .init("window", \.window, .duration(.zero...(.seconds(14 * 86_400)))),
      .init("likeness", \.likeness, .integer(40...90)),
    ]
  }

  /// Where the state lives.
  struct Store: ConfigurationSection {
    var sqlite = "tidings.db"

    static let options: [ConfigurationOption<Store>] = [
      .init("sqlite", \.sqlite, .text)
    ]
    static let unsupported = ["postgres"]
  }

  /// What listens for HTTP.
  struct Server: ConfigurationSection {
    var address = "127.0.0.1"
    var port = 8080
    var operationsPort = 9090
    var page = false
    var publicUrl: WebURL?
    var tls: TLS?
    var trustedProxies: [AddressBlock] = []

    static let options: [ConfigurationOption<Server>] = [
      .init("address", \.address, .address),
      .init("port", \.port, .integer(0...65535)),
      .init("operationsPort", \.operationsPort, .integer(0...65535)),
      .init("page", \.page, .flag),
      .init("publicUrl", \.publicUrl, .optional(.webURL)),
      .init("tls", \.tls, .optional(.section)),
      .init("trustedProxies", \.trustedProxies, .list(of: .addressBlock)),
    ]
    static let unsupported = ["newsroomPort"]
  }

  /// The server's certificate, with the chain, and its key, both PEM.
  struct TLS: ConfigurationSection {
    var certificate = Secret("")
    var key = Secret("")

    static let options: [ConfigurationOption<TLS>] = [
      .init("certificate", \.certificate, .pem("CERTIFICATE"), isRequired: true),
      .init("key", \.key, .pem("PRIVATE KEY"), isRequired: true),
    ]
  }

  /// What is said on standard error.
  struct Logging: ConfigurationSection {
    /// How log lines are written.
    enum Format: String, CaseIterable {
      /// For a person on a terminal, JSON elsewhere.
      case auto
      case human, json
    }

    var level = LogLevel.info
    var format = Format.auto

    static let options: [ConfigurationOption<Logging>] = [
      .init("level", \.level, .logLevel),
      .init("format", \.format, .choice),
    ]
  }
}
