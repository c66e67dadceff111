/// A value that was parsed from a text and is shown as that text again.
struct Written<Value: Sendable & Hashable>: Sendable, Hashable {
  let text: String
  let value: Value

  init(text: String, value: Value) {
    self.text = text
    self.value = value
  }

  /// A value that the program itself writes, so that the text is known to be right.
  init(text: String, parse: (String) throws -> Value) {
    do { value = try parse(text) } catch { preconditionFailure("\(text): \(error)") }
    self.text = text
  }
}
