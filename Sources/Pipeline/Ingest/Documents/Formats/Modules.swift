/// The vocabularies that publishers add to any format.
enum Modules {
  /// The meaning of an element that is not the format's own.
  static func meaning(of name: FeedName, in scope: FeedScope) -> FeedMeaning {
    guard scope == .channel || scope == .item else {
      return scope == .person && name.space == .atom ? AtomFormat.person(name.word) : .nothing
    }
    return switch name.space {
    case .atom: atom(name.word)
    case .dublinCore: dublinCore(name.word)
    case .terms: terms(name.word)
    case .content: name.word == .encoded ? .markup(.content(.own)) : .nothing
    case .xhtml: name.word == .body || name.word == .div ? .markup(.content(.own)) : .nothing
    case .media: media(name.word)
    case .iTunes: iTunes(name.word)
    case .syndication: syndication(name.word)
    case .prism: prism(name.word)
    default: .nothing
    }
  }

  /// Atom's elements in RSS: links above all, for RSS has but one.
  private static func atom(_ word: FeedWord) -> FeedMeaning {
    switch word {
    case .link: .text(.relation)
    case .title: .markup(.title(.module))
    case .summary: .markup(.summary(.module))
    case .content: .markup(.content(.module))
    case .published, .issued: .text(.published(.module))
    case .updated, .modified: .text(.updated(.module))
    case .id: .text(.identity(.module))
    case .author: .scope(.person)
    case .category: .text(.category)
    default: .nothing
    }
  }

  private static func dublinCore(_ word: FeedWord) -> FeedMeaning {
    switch word {
    case .title: .markup(.title(.module))
    case .description: .markup(.summary(.module))
    case .creator, .author: .text(.author(.module))
    case .date: .text(.date)
    case .subject: .text(.category)
    case .language: .text(.language)
    default: .nothing
    }
  }

  private static func terms(_ word: FeedWord) -> FeedMeaning {
    switch word {
    case .issued: .text(.published(.module))
    case .created: .text(.published(.minor))
    case .modified: .text(.updated(.module))
    case .available: .text(.embargoed)
    case .valid: .text(.expires)
    case .abstract: .markup(.summary(.minor))
    case .creator: .text(.author(.module))
    case .subject: .text(.category)
    case .language: .text(.language)
    default: .nothing
    }
  }

  private static func media(_ word: FeedWord) -> FeedMeaning {
    switch word {
    case .group: .wrapper
    case .content: .attributed(.mediaContent)
    case .thumbnail: .text(.image(.module))
    case .title: .markup(.title(.minor))
    case .description: .markup(.summary(.minor))
    case .category: .text(.category)
    case .keywords: .text(.keywords)
    default: .nothing
    }
  }

  private static func iTunes(_ word: FeedWord) -> FeedMeaning {
    switch word {
    case .title: .markup(.title(.minor))
    case .summary: .markup(.summary(.minor))
    case .subtitle: .markup(.summary(.last))
    case .author: .text(.author(.minor))
    case .category: .text(.category)
    case .keywords: .text(.keywords)
    case .image: .text(.image(.minor))
    default: .nothing
    }
  }

  private static func syndication(_ word: FeedWord) -> FeedMeaning {
    switch word {
    case .updateperiod: .text(.updatePeriod)
    case .updatefrequency: .text(.updateFrequency)
    case .updatebase: .text(.updateBase)
    default: .nothing
    }
  }

  private static func prism(_ word: FeedWord) -> FeedMeaning {
    switch word {
    case .publicationdate: .text(.published(.module))
    case .expirationdate: .text(.expires)
    default: .nothing
    }
  }
}
