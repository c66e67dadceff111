internal import BuiltInHub
internal import Curl
internal import Publish
internal import Push
internal import Telemetry
internal import Time

/// A way to readers as the configuration has it: everything but the connections.
struct OutletPlan: Sendable {
  /// What is sent, and so to whom.
  enum Form: Sendable {
    /// Once to all, who bring templates.
    case template
    /// To one platform's readers in one language.
    case native(HouseTemplate, Locale)
  }

  /// Its name in the ledger, in log lines and in metrics: `news`, `news/apple/French`.
  let name: String
  /// Which of the configuration's hubs it leads to.
  let hubIndex: Int
  let composer: Composer
  let form: Form
}

extension LoadedConfiguration {
  /// Every way to readers, hub by hub.
  var outletPlans: [OutletPlan] {
    options.everyHub.indices.flatMap { plans(of: options.everyHub[$0], at: $0) }
  }

  private func plans(of hub: HubSettings, at index: Int) -> [OutletPlan] {
    let label = label(of: hub)
    let locales = hub.locales.isEmpty ? locales : locales.filter { hub.locales.contains($0.name) }
    let routing = (hub.routing ?? options.publisher.routing).value
    let lifetime = options.publisher.lifetime
    let natives = hub.formats.compactMap { format in format.native.flatMap { houseTemplates[index]?[$0] } }
    guard !natives.isEmpty else {
      let composer = Composer(locales: locales, routing: routing, lifetime: lifetime)
      return [OutletPlan(name: label, hubIndex: index, composer: composer, form: .template)]
    }
    return natives.flatMap { template in
      locales.map { locale in
        OutletPlan(
          name: "\(label)/\(template.format.rawValue)/\(locale.name)", hubIndex: index,
          composer: Composer(locales: [locale], routing: routing, lifetime: lifetime, readers: .ofItsLocales),
          form: .native(template, locale))
      }
    }
  }

  /// The hub's name; with its host where others have the same name.
  private func label(of hub: HubSettings) -> String {
    let isAlone = options.everyHub.count { $0.name.lowercased() == hub.name.lowercased() } == 1
    guard !isAlone, let connection = hub.connectionString else { return hub.name }
    return "\(hub.name)@\(connection.host)" + (connection.port.map { ":\($0)" } ?? "")
  }

  /// The outlets, with a gate and connections for each hub.
  func outlets(
    builtIn: LocalHub?, clock: any WallClock, logger: Logger, metrics: MetricRegistry
  ) throws -> [Outlet] {
    let plans = outletPlans
    return try options.everyHub.enumerated().flatMap { index, hub -> [Outlet] in
      let gate = HubGate(
        hub: label(of: hub), sendsMax: hub.connectionString.map { _ in AzureConnection.sendsMax }, clock: clock,
        logger: logger, metrics: metrics)
      let connection = try hub.connectionString.map { text in
        try AzureConnection(
          text, hub: hub.name, client: AzureConnection.client(caFile: hub.caFile.map(options.path)),
          clock: clock, logger: logger)
      }
      return plans.filter { $0.hubIndex == index }.compactMap { plan -> Outlet? in
        let hub: (any Hub)? =
          switch plan.form {
          case .template: connection.map { AzureHub($0, form: .template, clock: clock) } ?? builtIn
          case .native(let template, let locale):
            connection.map { AzureHub($0, form: .native(template, locale), clock: clock) }
          }
        return hub.map { Outlet(name: plan.name, composer: plan.composer, hub: $0, gate: gate) }
      }
    }
  }
}
