internal import Telemetry

/// What the poller counts.
struct PollMetrics: Sendable {
  let polls: Counter
  let newItems: Counter
  let fetchSeconds: Histogram
  let followed: Gauge
  let failing: Gauge
  let disabled: Gauge

  init(_ registry: MetricRegistry) {
    polls = registry.counter(
      "tidings_feeds_polls_total", help: "Polls of feeds, by what came of them.", labels: ["result"])
    newItems = registry.counter(
      "tidings_feeds_items_new_total", help: "Items that were not known before, without baselines.")
    fetchSeconds = registry.histogram("tidings_feeds_fetch_seconds", help: "Time to fetch a feed, redirects included.")
    followed = registry.gauge("tidings_feeds_followed", help: "Feeds that are polled.")
    failing = registry.gauge("tidings_feeds_failing", help: "Feeds whose last poll failed.")
    disabled = registry.gauge(
      "tidings_feeds_disabled", help: "Feeds that are polled no more, because their publishers have given them up.")
  }
}
