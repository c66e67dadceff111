import Files
import JSON
import Testing

@testable import App

private struct NapBenchmark: Benchmark {
  let name = "nap"
  let summary = "sleeps not at all"

  func run(on files: [String], _ console: Console) async throws -> BenchmarkReport {
    let measurement = Measurement(
      name: "sleep", amounts: [.init(count: 3000, unit: "naps"), .init(count: 1.5, unit: "MB")],
      elapsed: .milliseconds(500), processorTime: .milliseconds(6))
    return BenchmarkReport(input: ["files": .array(files.map { .string($0) })], measurements: [measurement])
  }
}

@Suite struct BenchCommandTests {
  private func run(_ line: String) async -> (ExitCode, MemoryConsole) {
    let memory = MemoryConsole()
    let table = CommandTable([BenchCommand([NapBenchmark()])])
    return (await table.run(line.split(separator: " ").map(String.init), memory.console), memory)
  }

  @Test("A report tells input, amounts, rates and processor time with their units")
  func report() async throws {
    let (status, memory) = await run("bench nap a.xml b.xml")
    #expect(status == .done)
    let report = try JSONValue(parsing: memory.output.text)
    #expect(report["benchmark"] == "nap")
    #expect(report["input"] == ["files": ["a.xml", "b.xml"]])
    let measurement = try #require(report["measurements"]?[0])
    #expect(measurement["name"] == "sleep")
    #expect(measurement["seconds"] == 0.5)
    #expect(measurement["rates"] == [["unit": "naps/s", "value": 6000], ["unit": "MB/s", "value": 3]])
    #expect(measurement["processorRates"]?[1] == ["unit": "MB per second of processor time", "value": 250])
    #expect(measurement["processorTimePerItem"] == ["unit": "µs", "value": 2])
    #expect(report["peakMemory"]?["unit"] == "MiB")
  }

  @Test("A name that is none gets the nearest")
  func unknown() async {
    let (status, memory) = await run("bench nip")
    #expect(status == .usage)
    #expect(memory.errors.text.contains("\"nap\""))
  }

  @Test("The benchmark of parsing reads the documents that are named, and large ones in folders that are")
  func parse() async throws {
    let folder = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(folder) }
    func feed(_ items: Int) -> [UInt8] {
      let item = "<item><title>One &amp; all</title><description>&lt;p&gt;Words of it&lt;/p&gt;</description></item>"
      return Array("<rss><channel>\(String(repeating: item, count: items))</channel></rss>".utf8)
    }
    try FileSystem.makeDirectory(folder + "/deep")
    try FileSystem.write(feed(500), to: folder + "/deep/large.xml")
    try FileSystem.write(feed(1), to: folder + "/deep/small.xml")
    try FileSystem.write([UInt8](repeating: 0x78, count: 30_000), to: folder + "/deep/text")
    try FileSystem.write(feed(2), to: folder + "/named.xml")
    let memory = MemoryConsole()
    let table = CommandTable([BenchCommand([ParseBenchmark()])])
    #expect(await table.run(["bench", "parse", folder + "/deep", folder + "/named.xml"], memory.console) == .done)
    let report = try JSONValue(parsing: memory.output.text)
    #expect(report["input"]?["documents"] == 2)
    #expect(report["input"]?["articles"] == 502)
    #expect(report["measurements"]?[0]?["amounts"]?[0] == ["unit": "articles", "value": 10_040])
    #expect(report["measurements"]?[1]?["amounts"]?[0] == ["unit": "texts", "value": 502])
    #expect(report["measurements"]?[2]?["name"] == "bodies to safe HTML")
  }

  @Test("The benchmark of polling asks every feed once a round, and tells how far apart")
  func poll() async throws {
    let memory = MemoryConsole()
    let table = CommandTable([BenchCommand([PollBenchmark(feedCount: 100, interval: .seconds(1))])])
    #expect(await table.run(["bench", "poll"], memory.console) == .done)
    let report = try JSONValue(parsing: memory.output.text)
    #expect(report["input"]?["feeds"] == 100 && report["input"]?["longestGapMilliseconds"] != nil)
    for round in 0..<3 {
      #expect(report["measurements"]?[round]?["amounts"]?[0] == ["unit": "polls", "value": 100])
    }
  }
}
