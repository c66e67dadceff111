internal import Time

/// A sample feed with places for dates and blocks that appear later, as `samples/README.md` describes.
struct SampleDocument: Sendable {
  /// After so many requests the document begins anew, with other identities: who looks later sees news as well.
  private static let roundRequests = 30

  /// What the marks of a document are filled with.
  private struct Filling {
    let base: String
    let now: Timestamp
    let round: Int
  }

  private let lines: [(text: String, fromRequest: Int)]

  /// Reads a sample; a mark that is not known is a fault of the files that ship.
  init(parsing source: String) throws(Problem) {
    var lines: [(text: String, fromRequest: Int)] = []
    var fromRequest = 1
    for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("@from ") {
        guard let request = Int(line.dropFirst(6)) else {
          throw Problem("line \(index + 1) of a sample: \"\(line)\"", remedy: "a number follows @from")
        }
        fromRequest = request
      } else if line == "@end" {
        fromRequest = 1
      } else {
        lines.append((String(line), fromRequest))
      }
    }
    self.lines = lines
    // A mark that cannot be filled is found now, not when a poll asks for it.
    _ = try text(request: Self.roundRequests - 1, base: "", now: Timestamp(secondsSince1970: 0))
  }

  /// The document as the feed's nth request gets it.
  func text(request: Int, base: String, now: Timestamp) throws(Problem) -> String {
    let filling = Filling(base: base, now: now, round: request / Self.roundRequests)
    let requestOfRound = request % Self.roundRequests
    var text = ""
    for line in lines where line.fromRequest <= requestOfRound || line.fromRequest == 1 {
      var rest = line.text[...]
      while let mark = rest.firstRange(of: "@{"), let end = rest[mark.upperBound...].firstIndex(of: "}") {
        text += rest[..<mark.lowerBound]
        text += try Self.fill(rest[mark.upperBound..<end], filling)
        rest = rest[rest.index(after: end)...]
      }
      text += rest + "\n"
    }
    return text
  }

  private static func fill(_ mark: Substring, _ filling: Filling) throws(Problem) -> String {
    if mark == "base" { return filling.base }
    if mark == "round" { return String(filling.round) }
    let words = mark.split(separator: " ")
    guard words.count == 2, let amount = Int(words[1].dropLast()), let unit = words[1].last,
      let seconds = ["m": 60, "h": 3600][unit]
    else {
      throw Problem(
        "a sample asks for @{\(mark)}", remedy: "@{base}, @{round}, @{rfc822 5m} and @{rfc3339 2h} are known")
    }
    let moment = filling.now - .seconds(amount * seconds)
    // Whole seconds, as feeds write them.
    let whole = Timestamp(secondsSince1970: moment.millisecondsSince1970 / 1000)
    return words[0] == "rfc822" ? whole.rfc822 : whole.rfc3339
  }
}

extension Timestamp {
  /// The moment as RSS writes it (RFC 822, with four digits of the year): `Mon, 30 Nov 2026 19:22:00 GMT`.
  var rfc822: String {
    let time = civil
    let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][time.weekday]
    let month = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ][time.month - 1]
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return
      "\(weekday), \(two(time.day)) \(month) \(time.year) \(two(time.hour)):\(two(time.minute)):\(two(time.second)) GMT"
  }
}
