import Testing

@testable import App

@Suite struct ReaderDeviceTests {
  @Test(
    "Of a hub's refusal a reader sees the sentence",
    arguments: [
      (
        "<Error><Code>401</Code><Detail>InvalidSignature: The token has an invalid signature..TrackingId:5f_G0,"
          + "TimeStamp:11/30/2026 11:13:17 PM</Detail></Error>",
        "InvalidSignature: The token has an invalid signature"
      ),
      ("<Error><Code>404</Code><Detail>Gone</Detail></Error>", "Gone"), ("</Detail><Detail>", "</Detail><Detail>"),
      ("no hub", "no hub"), ("", ""),
    ])
  func reason(body: String, sentence: String) {
    #expect(ReaderDevice.reason(in: Array(body.utf8)) == sentence)
  }
}
