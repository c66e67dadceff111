/// RSS 0.90, 1.0 and 1.1: items beside the channel, or inside its `items`, each a resource of RDF.
enum RDFFormat: FeedGrammar {
  static func meaning(of name: FeedName, in scope: FeedScope) -> FeedMeaning {
    if name.word == .rdf, scope == .document { return .wrapper }
    if name.space == .rdf { return .nothing }
    guard name.space == .core else { return Modules.meaning(of: name, in: scope) }
    // RSS 1.0 has a table of contents in `items`, RSS 1.1 the items themselves.
    if name.word == .items { return .wrapper }
    return RSSFormat.meaning(of: name, in: scope)
  }
}
