public import News

/// Reads texts with a model, one after the other with the same buffers, and says what each is about or that it cannot.
public struct TopicJudge {
  /// The model.
  public let model: TopicModel
  /// The least confidence at which it answers.
  public let threshold: Float
  private var reader: FeatureReader

  /// A judge with a model; `threshold` replaces the model's own.
  public init(model: TopicModel, threshold: Float? = nil) {
    self.model = model
    self.threshold = threshold ?? model.policy.threshold
    reader = FeatureReader(places: model.places)
  }

  /// What a text is about.
  ///
  /// - Parameters:
  ///   - title: The headline; only its beginning is looked at, should it be no headline.
  ///   - summary: What follows it; may be empty.
  ///   - language: The text's language, a BCP 47 tag; nil where nobody said.
  ///   - home: Where its readers are at home; nil where that is unknown.
  public mutating func judge(
    title: String, summary: String = "", language: String? = nil, home: CountryCode? = nil
  ) -> TopicOpinion {
    reader.read(title: title, summary: summary, language: language, home: home)
    var known = 0
    let scores = model.scores(of: reader, knownCount: &known)
    return TopicOpinion(
      model.policy.probabilities(scores, language: reader.language), second: model.policy.second, threshold: threshold,
      knownFeatures: known)
  }

  /// Why the text that was judged last is about a topic: the words and places that spoke for it most, the strongest
  /// first.
  public func reasons(for topic: Topic, home: CountryCode?, max: Int) -> [TopicReason] {
    var reasons: [TopicReason] = []
    let placeWeight = model.placeScores(of: reader).advantage(of: topic)
    let places = reader.placeNames
    if !places.isEmpty, placeWeight > 0 {
      var named: [String] = []
      for place in places {
        let where_ = home.map { $0 == place.country ? "at home" : "abroad" }
        let text = "\(place.name) (\(place.country)\(where_.map { ", \($0)" } ?? ""))"
        if !named.contains(text) { named.append(text) }
      }
      reasons.append(TopicReason(text: named.prefix(4).joined(separator: ", "), isPlace: true, weight: placeWeight))
    }
    for feature in reader.features {
      let weight = model.weights(of: feature.hash).advantage(of: topic) * feature.value
      guard weight > 0 else { continue }
      reasons.append(TopicReason(text: reader.text(of: feature), isPlace: false, weight: weight))
    }
    reasons.sort { $0.weight != $1.weight ? $0.weight > $1.weight : $0.text < $1.text }
    // A part of a word that is named already says nothing more.
    var told: [TopicReason] = []
    for reason in reasons where told.count < max {
      let bare = reason.text.filter { $0 != "…" }
      if !told.contains(where: { $0.text.contains(bare) || bare.contains($0.text.filter { $0 != "…" }) }) {
        told.append(reason)
      }
    }
    return told
  }
}

/// One thing in a text that spoke for a topic.
public struct TopicReason: Sendable, Hashable {
  /// The words, or the places with their countries.
  public let text: String
  /// Whether it is about places.
  public let isPlace: Bool
  /// How strongly it spoke against the mean of the other topics.
  public let weight: Float
}

/// What a model makes of a text.
public struct TopicOpinion: Sendable, Hashable {
  /// The probabilities of the six categories, by their topics' numbers; they sum to 1.
  public let probabilities: [Float]
  /// The probability that it is none of the six.
  public let otherProbability: Float
  /// How much more probable its best category is than that the text is none of the six.
  public let confidence: Float
  /// What it is about, the clearest first, at most two; empty where it abstains.
  public let categories: [Category]
  /// How many of the text's features the model knows; none is no ground to answer.
  public let knownFeatures: Int

  /// With less to go by than this the model answers nothing, whatever the prior says.
  private static let knownFeaturesMin = 3

  init(_ worth: TopicProbabilities, second: Float, threshold: Float, knownFeatures: Int) {
    let six = worth.six
    probabilities = (0..<6).map { six[$0] }
    otherProbability = worth.seven[Topic.other.rawValue]
    let order = (0..<6).sorted { six[$0] != six[$1] ? six[$0] > six[$1] : $0 < $1 }
    confidence = worth.confidence
    self.knownFeatures = knownFeatures
    guard confidence >= threshold, knownFeatures >= Self.knownFeaturesMin else {
      categories = []
      return
    }
    let clear = order.prefix(2).enumerated().filter { $0.offset == 0 || six[$0.element] >= second }
    categories = clear.compactMap { Topic(rawValue: $0.element)?.category }
  }

  /// The category that is the most probable, whether or not that is enough to answer.
  public var best: Topic {
    Topic.categories.max { probabilities[$0.rawValue] < probabilities[$1.rawValue] } ?? .world
  }

  /// A category's probability among the six.
  public func probability(of category: Category) -> Float { probabilities[Topic(category).rawValue] }
}

extension SIMD8<Float> {
  /// How much more it says for one topic than for the mean of all seven.
  fileprivate func advantage(of topic: Topic) -> Float {
    var sum: Float = 0
    for index in 0..<7 { sum += self[index] }
    return self[topic.rawValue] - sum / 7
  }
}
