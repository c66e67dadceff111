import Telemetry
import Testing

@Suite("MetricRegistry")
struct MetricRegistryTests {
  @Test("Counters, gauges and histograms are written in the text format, sorted")
  func writesExposition() {
    let registry = MetricRegistry()
    let seconds = registry.histogram("b_seconds", help: "How long.", bounds: [0.5, 1], labels: ["stage"])
    seconds.observe(0.5, ["x"])
    seconds.observe(0.75, ["x"])
    seconds.observe(9, ["x"])
    registry.counter("a_total", help: "How often\\ever.", labels: ["why"]).increment(["a \"b\"\\\n"])
    registry.gauge("c", help: "How many.").set(1.25)
    #expect(
      registry.exposition() == """
        # HELP a_total How often\\\\ever.
        # TYPE a_total counter
        a_total{why="a \\"b\\"\\\\\\n"} 1
        # HELP b_seconds How long.
        # TYPE b_seconds histogram
        b_seconds_bucket{stage="x",le="0.5"} 1
        b_seconds_bucket{stage="x",le="1"} 2
        b_seconds_bucket{stage="x",le="+Inf"} 3
        b_seconds_sum{stage="x"} 10.25
        b_seconds_count{stage="x"} 3
        # HELP c How many.
        # TYPE c gauge
        c 1.25

        """)
  }

  @Test("The same name is the same metric, and one without labels starts at zero")
  func sharesFamilies() {
    let registry = MetricRegistry()
    let first = registry.counter("n_total", help: "N.")
    #expect(registry.exposition().contains("\nn_total 0\n"))
    registry.counter("n_total", help: "N.").increment(by: 2)
    first.increment()
    #expect(first.value() == 3)
  }

  @Test("A label with too many values cannot fill the memory")
  func boundsSeries() {
    let registry = MetricRegistry()
    let counter = registry.counter("n_total", help: "N.", labels: ["host"])
    for index in 0..<3000 { counter.increment(["host\(index)"]) }
    #expect(counter.value(["host0"]) == 1)
    #expect(counter.value(["host2999"]) == 0)
    #expect(counter.value(["other"]) == 2000)
  }
}
