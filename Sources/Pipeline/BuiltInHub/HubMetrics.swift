import Push
import Telemetry

/// What a hub counts.
struct HubMetrics: Sendable {
  let accepted: Counter
  let matched: Counter
  let outcomes: Counter
  let fanOutSeconds: Histogram
  let registrations: Gauge
  let mailboxRows: Gauge
  let listeners: Gauge

  init(_ registry: MetricRegistry) {
    accepted = registry.counter(
      "tidings_hub_notifications_total", help: "Notifications handed to the hub, by whether they were new.",
      labels: ["result"])
    matched = registry.counter(
      "tidings_hub_matches_total", help: "Registrations that belonged to a notification's audience.")
    outcomes = registry.counter(
      "tidings_hub_outcomes_total", help: "What became of notifications on devices, by platform.",
      labels: ["platform", "outcome"])
    fanOutSeconds = registry.histogram(
      "tidings_hub_fanout_seconds", help: "From taking a notification to its last device.")
    registrations = registry.gauge("tidings_hub_registrations", help: "Registrations, native ones included.")
    mailboxRows = registry.gauge("tidings_hub_mailbox_rows", help: "Pushes that wait in mailboxes.")
    listeners = registry.gauge("tidings_hub_listeners", help: "Devices that listen now.")
  }

  func count(_ tally: Tally) {
    matched.increment(by: Double(tally.matched))
    tally.forEach { outcome, platform, count in
      outcomes.increment(by: Double(count), [platform.rawValue, outcome.rawValue])
    }
  }
}
