import Testing

@testable import App

@Suite struct QuantitiesTests {
  @Test(
    "Durations are numbers with units, from long to short",
    arguments: [
      ("30s", 30_000), ("15m", 900_000), ("1h30m", 5_400_000), ("2d", 172_800_000), ("1d2h3m4s5ms", 93_784_005),
      ("0s", 0), ("90s", 90_000), ("1500ms", 1500),
    ])
  func durations(text: String, milliseconds: Int) throws {
    #expect(DurationText.parse(text) == .milliseconds(milliseconds))
    let again = DurationText.text(.milliseconds(milliseconds))
    #expect(DurationText.parse(again) == .milliseconds(milliseconds))
  }

  @Test(
    "What is no duration is refused",
    arguments: [
      "", "5", "m", "5 m", "30m1h", "1h1h", "1.5h", "-1s", "+1s", "1w", "99999999999999999999s", "1e3s", "１s",
      "106751991168d",
    ])
  func noDurations(text: String) {
    #expect(DurationText.parse(text) == nil)
  }

  @Test("The shortest text of a duration", arguments: [(5_400_000, "1h30m"), (90_000, "1m30s"), (0, "0s"), (1, "1ms")])
  func shortest(milliseconds: Int, text: String) {
    #expect(DurationText.text(.milliseconds(milliseconds)) == text)
  }

  @Test(
    "Sizes are numbers with units",
    arguments: [
      ("5MiB", 5 << 20, "5MiB"), ("512KiB", 512 << 10, "512KiB"), ("1024KiB", 1 << 20, "1MiB"),
      ("10MB", 10_000_000, "10000000B"), ("7B", 7, "7B"), ("2GiB", 2 << 30, "2GiB"), ("0B", 0, "0B"),
    ])
  func sizes(text: String, bytes: Int, shown: String) {
    #expect(ByteSize.parse(text) == bytes)
    #expect(ByteSize.text(bytes) == shown)
  }

  @Test(
    "What is no size is refused", arguments: ["", "5", "MiB", "5 MiB", "5mib", "-5MiB", "1.5MiB", "99999999999GiB"])
  func noSizes(text: String) {
    #expect(ByteSize.parse(text) == nil)
  }
}
