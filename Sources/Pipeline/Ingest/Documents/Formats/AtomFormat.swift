/// Atom 1.0 (RFC 4287), 0.3 and the drafts between them.
enum AtomFormat: FeedGrammar {
  static func meaning(of name: FeedName, in scope: FeedScope) -> FeedMeaning {
    guard name.space == .atom || name.space == .core else { return Modules.meaning(of: name, in: scope) }
    return switch scope {
    case .document: structure(name.word)
    case .channel: channel(name.word)
    case .item: item(name.word)
    case .person: person(name.word)
    case .source: name.word == .author ? .scope(.person) : .nothing
    case .image: .nothing
    }
  }

  private static func structure(_ word: FeedWord) -> FeedMeaning {
    switch word {
    case .feed: .scope(.channel)
    // RFC 4287, section 2: an entry can be a document of its own.
    case .entry: .scope(.item)
    default: .nothing
    }
  }

  private static func channel(_ word: FeedWord) -> FeedMeaning {
    switch word {
    // Some write RSS inside the root of Atom.
    case .entry, .item: .scope(.item)
    case .title: .markup(.title(.own))
    case .subtitle, .tagline: .markup(.summary(.own))
    case .link: .text(.relation)
    case .updated, .modified: .text(.updated(.own))
    case .author: .scope(.person)
    case .category: .text(.category)
    case .logo: .text(.image(.own))
    case .icon: .text(.image(.minor))
    default: .nothing
    }
  }

  private static func item(_ word: FeedWord) -> FeedMeaning {
    switch word {
    case .title: .markup(.title(.own))
    case .summary: .markup(.summary(.own))
    case .content: .markup(.content(.own))
    case .link: .text(.relation)
    case .id: .text(.identity(.own))
    case .published, .issued: .text(.published(.own))
    case .created: .text(.published(.module))
    case .updated, .modified: .text(.updated(.own))
    case .author: .scope(.person)
    case .category: .text(.category)
    case .source: .scope(.source)
    default: .nothing
    }
  }

  static func person(_ word: FeedWord) -> FeedMeaning {
    switch word {
    case .name: .text(.personName)
    case .email: .text(.personEmail)
    // Drafts of Atom had `homepage` and `url`.
    case .uri, .url, .homepage: .text(.personURI)
    default: .nothing
    }
  }
}
