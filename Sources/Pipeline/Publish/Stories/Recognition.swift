/// How a claim's article may be recognised as one of a story that another source has told.
public struct Recognition: Sendable, Hashable {
  /// What the article is recognised by.
  public var sketch: StorySketch
  /// When two sketches are one story.
  public var matching: StoryMatching
  /// Whether the article may join a story by likeness; one that may not still begins a story that others join. An
  /// editor's word is deliberate: it is not withheld because a feed has said something like it.
  public var mayJoin: Bool

  /// A sketch, with what is done with it.
  public init(_ sketch: StorySketch, matching: StoryMatching, mayJoin: Bool) {
    self.sketch = sketch
    self.matching = matching
    self.mayJoin = mayJoin
  }

  /// Of so many candidates at most a store looks at the sketches, the oldest first: a band that very many share says
  /// little.
  public static let candidatesMax = 64
}
