/// What is known of one part of a publication: of what goes to one outlet.
public struct PublicationPart: Sendable, Hashable {
  /// The outlet's name.
  public var outlet: String
  /// How often the part has left without an answer that says it was not taken. One that is being sent counts.
  public var departures: Int
  /// What became of it; nil where nobody has noted that, because it is on its way or a crash came between.
  public var outcome: PublicationOutcome?

  /// A part of a publication.
  public init(outlet: String, departures: Int, outcome: PublicationOutcome? = nil) {
    self.outlet = outlet
    self.departures = departures
    self.outcome = outcome
  }
}

/// Whether a part may leave.
public enum Departure: Sendable, Hashable {
  /// It may, and is noted as having left.
  case granted
  /// It may not: another has it in hand, or has settled it.
  case inHand
  /// It may not: the whole publication was settled meanwhile. It was withdrawn, say.
  case settled(PublicationOutcome)
}
