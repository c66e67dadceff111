extension Duration {
  /// For people, the two largest units: `45 s`, `2 min`, `1 h 30 min`, `2 d`. Less than half a second is `0 s`.
  public var inWords: String {
    let seconds = max(0, (milliseconds + 500) / 1000)
    let parts = [
      (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
    ]
    let words = parts.filter { $0.0 > 0 }.prefix(2).map { "\($0.0) \($0.1)" }
    return words.isEmpty ? "0 s" : words.joined(separator: " ")
  }
}
