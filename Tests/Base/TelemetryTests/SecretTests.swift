import Telemetry
import Testing

@Suite("Secret")
struct SecretTests {
  struct Settings {
    let key = Secret("hunter2")
    let keys = [Secret("hunter2")]
  }

  @Test("A secret never prints, whichever way it is printed")
  func neverPrints() {
    var dumped = ""
    dump(Settings(), to: &dumped)
    for text in ["\(Settings())", String(reflecting: Settings()), String(describing: Settings().key), dumped] {
      #expect(!text.contains("hunter2"))
    }
    #expect(Settings().key.reveal() == "hunter2")
  }
}
