internal import Topics

extension Evaluation {
  /// A drawing of probability against accuracy, one line a language; a calibrated model's lies on the diagonal.
  public var calibrationPlot: String {
    let size = 360.0
    var svg = SVG(width: 520, height: 440, title: "Probability against accuracy")
    svg.line((60, 400), (60 + size, 400 - size), "#999", dashed: true)
    svg.frame(60, 400 - size, size, size)
    for tick in stride(from: 0.0, through: 1, by: 0.25) {
      svg.text("\(Int(tick * 100)) %", 60 + tick * size, 418, anchor: "middle")
      svg.text("\(Int(tick * 100)) %", 54, 404 - tick * size, anchor: "end")
    }
    svg.text("probability", 60 + size / 2, 436, anchor: "middle")
    svg.text("accuracy", 60, 34, anchor: "middle")
    let languages = byLanguage.sorted { $0.key < $1.key }.filter { $0.value.count >= 100 }
    for (index, (language, figures)) in languages.enumerated() {
      let colour = Self.colours[index % Self.colours.count]
      let points = figures.reliability.filter { $0.count >= 10 }
        .map { (60 + $0.probability * size, 400 - $0.accuracy * size) }
      svg.path(points, colour)
      svg.text(
        "\(language)  \((figures.calibrationError * 1000).rounded() / 1000)", 70 + size, 60 + Double(index) * 20,
        anchor: "start", colour: colour)
    }
    return svg.document
  }

  /// A drawing of the confusion matrix: each label's rows by answer, in per cent.
  public var confusionPlot: String {
    let side = 62.0
    var svg = SVG(width: 520, height: 470, title: "Labels (rows) and answers (columns), per cent of each label")
    for topic in Topic.categories {
      let row = all.confusion[topic.rawValue]
      let total = max(1, row.reduce(0, +))
      let y = 60 + Double(topic.rawValue) * side
      svg.text(topic.name, 112, y + side / 2 + 4, anchor: "end")
      svg.text(topic.name, 120 + (Double(topic.rawValue) + 0.5) * side, 52, anchor: "middle")
      for answer in 0..<6 {
        let share = Double(row[answer]) / Double(total)
        svg.square(120 + Double(answer) * side, y, side, shade: share, text: "\(Int((share * 100).rounded()))")
      }
    }
    return svg.document
  }

  private static let colours = ["#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910", "#34495e", "#16a085"]
}

/// A drawing in the making.
private struct SVG {
  private var body: String
  private let width: Int
  private let height: Int

  init(width: Int, height: Int, title: String) {
    self.width = width
    self.height = height
    body = "<title>\(title)</title>\n<rect width=\"\(width)\" height=\"\(height)\" fill=\"white\"/>\n"
    text(title, Double(width) / 2, 20, anchor: "middle")
  }

  var document: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" font-family="sans-serif" font-size="12">
    \(body)</svg>

    """
  }

  mutating func text(_ text: String, _ x: Double, _ y: Double, anchor: String, colour: String = "black") {
    body += "<text x=\"\(round(x))\" y=\"\(round(y))\" text-anchor=\"\(anchor)\" fill=\"\(colour)\">\(text)</text>\n"
  }

  mutating func line(_ a: (Double, Double), _ b: (Double, Double), _ colour: String, dashed: Bool) {
    let dash = dashed ? " stroke-dasharray=\"4 4\"" : ""
    body += "<path d=\"M\(a.0) \(a.1)L\(b.0) \(b.1)\" stroke=\"\(colour)\"\(dash) fill=\"none\"/>\n"
  }

  mutating func frame(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    body += "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\" stroke=\"black\" fill=\"none\"/>\n"
  }

  mutating func path(_ points: [(Double, Double)], _ colour: String) {
    let steps = points.enumerated().map { "\($0.offset == 0 ? "M" : "L")\(round($0.element.0)) \(round($0.element.1))" }
    body += "<path d=\"\(steps.joined())\" stroke=\"\(colour)\" stroke-width=\"2\" fill=\"none\"/>\n"
  }

  mutating func square(_ x: Double, _ y: Double, _ side: Double, shade: Double, text label: String) {
    let grey = Int(255 - shade * 200)
    body +=
      "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(side)\" height=\"\(side)\" fill=\"rgb(\(grey),\(grey),255)\" stroke=\"#ccc\"/>\n"
    text(label, x + side / 2, y + side / 2 + 4, anchor: "middle", colour: shade > 0.6 ? "white" : "black")
  }

  private func round(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
