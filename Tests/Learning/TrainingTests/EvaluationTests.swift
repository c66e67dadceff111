import JSON
import Testing
import Topics

@testable import Training

@Suite struct EvaluationTests {
  private func figures(_ answers: [(Float, Bool)], others: [Float] = []) -> Evaluation.Figures {
    var figures = Evaluation.Figures()
    figures.answers = answers.map { .init(probability: $0.0, confidence: $0.0, isRight: $0.1) }
    figures.others = others
    return figures
  }

  @Test("Precision, recall and F1 come of the confusion matrix, absent categories left out")
  func confusion() {
    var figures = Evaluation.Figures()
    figures.confusion[0] = [8, 2, 0, 0, 0, 0]
    figures.confusion[1] = [0, 5, 0, 0, 0, 5]
    let scores = figures.perTopic
    #expect(scores[0]?.precision == 1 && scores[0]?.recall == 0.8)
    #expect(scores[1]?.f1 == 10.0 / 17)
    #expect(scores[2] == nil && scores[5] == nil)
    #expect(abs(figures.macroF1 - (16.0 / 18 + 10.0 / 17) / 2) < 1e-12)
  }

  @Test("A model that is as sure as it is right has no calibration error")
  func calibration() {
    let fair = figures((0..<100).map { (0.75, $0 < 75) })
    #expect(fair.calibrationError < 1e-6)
    let vain = figures((0..<100).map { (0.95, $0 < 75) })
    #expect(abs(vain.calibrationError - 0.2) < 1e-5)
  }

  @Test("The most confident are judged apart, and what is none of the six by the same confidence")
  func confidence() {
    let figures = figures(
      (0..<10).map { (Float($0) / 10 + 0.05, $0 >= 3) }, others: [0.01, 0.1, 0.16, 0.5])
    #expect(figures.accuracy == 0.7)
    #expect(figures.accuracy(ofMostConfident: 0.7) == 1)
    #expect(figures.othersAccepted(atCoverage: 0.9) == 0.5)
    #expect(figures.othersAccepted(atCoverage: 0.5) == 0)
    #expect(Evaluation.Figures().accuracy == 0 && Evaluation.Figures().othersAccepted(atCoverage: 0.9) == 0)
  }
}
