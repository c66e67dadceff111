/// The Channel Definition Format (W3C note of 1997): what Internet Explorer 4 subscribed to.
enum CDFFormat: FeedGrammar {
  static func meaning(of name: FeedName, in scope: FeedScope) -> FeedMeaning {
    switch (scope, name.word) {
    case (.document, .channel): .scope(.channel)
    // Channels inside channels are chapters.
    case (.channel, .channel): .wrapper
    case (.channel, .item): .scope(.item)
    case (_, .title): .markup(.title(.own))
    case (_, .abstract): .markup(.summary(.own))
    default: .nothing
    }
  }
}
