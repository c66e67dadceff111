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
    #expect(measurement["processorTimePerItem"] == ["unit": "µs", "value": 2])
    #expect(report["peakMemory"]?["unit"] == "MiB")
  }

  @Test("A name that is none gets the nearest")
  func unknown() async {
    let (status, memory) = await run("bench nip")
    #expect(status == .usage)
    #expect(memory.errors.text.contains("\"nap\""))
  }
}
