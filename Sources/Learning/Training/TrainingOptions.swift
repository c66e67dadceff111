/// The numbers of a training. The defaults are those of the model that ships; the model card says what each gave.
public struct TrainingOptions: Sendable {
  /// Of all that looks random.
  public var seed: UInt64 = 20_261_130
  /// A language's rows of `other` are drawn down to this many.
  public var othersMax = 8000
  /// How much a row of `other` counts beyond its topic's weight.
  public var othersFactor = 1.5
  /// How much an aggregator's row counts against a publisher's.
  public var aggregatorWeight = 0.3
  /// A German outlet with this many rows of Politics and less than this share of World mixes the two.
  public var mixedPoliticsMin = 5
  /// See `mixedPoliticsMin`.
  public var mixedWorldShare = 0.15
  /// Of an outlet's rows of a topic this many count wholly, further ones by the power.
  public var outletRows = 50.0
  /// See `outletRows`.
  public var outletPower = 0.3
  /// How far small languages and rare topics are lifted.
  public var languagePower = 0.2
  /// See `languagePower`; of topics.
  public var topicPower = 0.6
  /// No topic is lifted more than this.
  public var topicFactorMax = 8.0
  /// How many features are kept.
  public var featureCount = 1 << 18
  /// How often a row does not say where home is.
  public var homeBlankedShare = 0.35
  /// What is spread over all topics, of a row's certainty.
  public var smoothing: Float = 0.2
  /// How often all rows are seen.
  public var epochs = 5
  /// How large steps are at first.
  public var stepFirst: Float = 0.15
  /// How large steps are at last.
  public var stepLast: Float = 0.12
  /// How strongly weights are drawn to zero.
  public var decay: Float = 1.5e-3
  /// Bounds of the scale by which a feature that is clear from the start learns faster.
  public var clarityRange = 0.1...5.0
  /// What each topic is taken to have of each feature before counting.
  public var clarityCount = 0.03
  /// How probable a second category must be to be named, too.
  public var second: Float = 0.4

  /// The defaults.
  public init() {}
}
