internal import Curl
internal import Files
internal import JSON
internal import News
internal import Push
internal import Runtime
internal import Telemetry
internal import Time

/// `listen`: a reader in the terminal.
struct ListenCommand: Command {
  private static let hub = CommandOption(
    name: "hub", value: "CONNECTION-STRING", help: "the hub and a key with the right to listen", isRequired: true)
  private static let hubName = CommandOption(
    name: "hub-name", value: "NAME", help: "the hub, if the connection string has no EntityPath (news)")
  private static let category = CommandOption(
    name: "category", value: "NAME", help: "a category to hear of; without any, all six", repeats: true)
  private static let locale = CommandOption(
    name: "locale", value: "NAME", help: "the language to hear it in, as the hub's operator named it (English)")
  private static let caFile = CommandOption(
    name: "ca-file", value: "FILE", help: "a PEM file with the certificates to trust, for a hub with one of its own")
  private static let table = CommandOption.flag("table", "a table instead of JSON Lines; the default on a terminal")

  let usage = CommandUsage(
    name: "listen", summary: "registers as a reader's device and shows each push as it comes",
    options: [hub, hubName, category, locale, caFile, table],
    explanation: """
      Registers an installation with the switches given, listens until interrupted, and removes the installation again.
      """,
    examples: [
      "tidings listen --hub 'Endpoint=http://127.0.0.1:8080/;SharedAccessKeyName=DefaultListenSharedAccessSignature;"
        + "SharedAccessKey=KEY' --category World --category Science --locale French"
    ])

  func run(_ arguments: Arguments, _ console: Console) async throws {
    let connection: ConnectionString
    do { connection = try ConnectionString(parsing: arguments.required(Self.hub)) } catch {
      throw CommandFailure.usage("--hub: \(error)")
    }
    var categories: [News.Category] = []
    for name in arguments.values(Self.category) {
      guard let category = Category(named: name) else {
        throw CommandFailure.usage(
          "--category: there is no category \"\(name)\"; \(Category.allCases.map(\.rawValue).suggestion(for: name))")
      }
      categories.append(category)
    }
    let locale = arguments.value(Self.locale) ?? "English"
    let clock = SystemClock()
    let device = try ReaderDevice(
      connection: connection, hub: arguments.value(Self.hubName) ?? connection.hub ?? "news",
      categories: categories.isEmpty ? Category.allCases : categories,
      locale: locale,
      client: HTTPClient(HTTPClient.Options(caFile: arguments.value(Self.caFile))), clock: clock)
    let board = ArrivalBoard(
      console.output, asTable: arguments.isSet(Self.table) || console.output.isTerminal, clock: clock)

    try await device.register()
    console.say("listening; interrupt to stop")
    let listening = ClosureService("listen") {
      try await device.listen(onLoss: { console.say("the hub does not answer; trying again") }) { arrival in
        try board.show(arrival, on: nil)
        if arrival.message.isEmpty {
          console.say("this push has no text for the locale \"\(locale)\"; the hub may name its locales otherwise")
        }
      }
    }
    do { try await ServiceGroup([listening], logger: .silent).run(stoppingOn: ProcessSignal.allCases) } catch {
      try? await device.unregister()
      if case .failed(_, let reason) = error { throw CommandFailure.failed(reason) }
      throw error
    }
    do { try await device.unregister() } catch {
      console.say("the installation stays at the hub, which could not be told: \(error)")
    }
  }
}
