import Testing
import Time

@Suite("Timestamp")
struct TimestampTests {
  @Test(
    "RFC 3339 is read and written",
    arguments: [
      ("2026-11-30T19:22:00Z", 1_796_066_520_000, "2026-11-30T19:22:00Z"),
      ("2026-11-30t19:22:00z", 1_796_066_520_000, "2026-11-30T19:22:00Z"),
      ("2026-11-30 20:22:00.5+01:00", 1_796_066_520_500, "2026-11-30T19:22:00.500Z"),
      ("2026-11-30T14:22:00.123456-05:00", 1_796_066_520_123, "2026-11-30T19:22:00.123Z"),
      ("1969-12-31T23:59:59.999Z", -1, "1969-12-31T23:59:59.999Z"),
      ("2016-12-31T23:59:60Z", 1_483_228_800_000, "2017-01-01T00:00:00Z"),
      ("2000-02-29T00:00:00Z", 951_782_400_000, "2000-02-29T00:00:00Z"),
      ("0001-01-01T00:00:00Z", -62_135_596_800_000, "0001-01-01T00:00:00Z"),
    ] as [(String, Int64, String)])
  func readsAndWrites(text: String, milliseconds: Int64, canonical: String) {
    let moment = Timestamp(rfc3339: text)
    #expect(moment?.millisecondsSince1970 == milliseconds)
    #expect(moment?.rfc3339 == canonical)
  }

  @Test(
    "What is no date-time is refused",
    arguments: [
      "", "2026-11-30", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-30T24:00:00Z",
      "2026-11-30T19:22:00", "2026-11-30T19:22:00+1:00", "2026-11-30T19:22:00Zx", "2026-11-30T19:22:00.Z",
      "２026-11-30T19:22:00Z",
    ])
  func refuses(text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }

  @Test("The ends of the range are kept instead of overflowing")
  func saturates() {
    let now = Timestamp(secondsSince1970: 1)
    #expect(now + .seconds(Int64.max) == Timestamp(millisecondsSince1970: .max))
    #expect((now + .milliseconds(1500)).distance(to: now) == .milliseconds(-1500))
  }

  @Test("A date knows its weekday", arguments: [("2026-11-30", 1), ("1970-01-01", 4), ("1969-12-28", 0)])
  func weekday(date: String, weekday: Int) {
    #expect(Timestamp(rfc3339: date + "T00:00:00Z")?.civil.weekday == weekday)
  }

  @Test(
    "A duration in seconds is the nearest number to it",
    arguments: [(Duration.milliseconds(54), 0.054), (.microseconds(6194), 0.006194), (.milliseconds(-1054), -1.054)])
  func seconds(duration: Duration, seconds: Double) {
    #expect(duration.inSeconds == seconds)
  }
}
