/// RSS 0.91, 0.92, 0.93, 0.94 and 2.0 (www.rssboard.org/rss-specification), and what publishers write under that name.
enum RSSFormat: FeedGrammar {
  static func meaning(of name: FeedName, in scope: FeedScope) -> FeedMeaning {
    guard name.space == .core else { return Modules.meaning(of: name, in: scope) }
    return switch scope {
    case .document: structure(name.word)
    case .channel: channel(name.word)
    case .item: item(name.word)
    case .image: name.word == .url ? .text(.imageURL) : .nothing
    case .person, .source: .nothing
    }
  }

  private static func structure(_ word: FeedWord) -> FeedMeaning {
    switch word {
    case .rss: .wrapper
    case .channel: .scope(.channel)
    // Beside the channel instead of inside it: wrong, and common.
    case .item: .scope(.item)
    case .image: .scope(.image)
    default: .nothing
    }
  }

  private static func channel(_ word: FeedWord) -> FeedMeaning {
    switch word {
    case .item: .scope(.item)
    case .items, .skiphours, .skipdays: .wrapper
    case .title: .markup(.title(.own))
    case .link: .text(.link(.own))
    case .description: .markup(.summary(.own))
    case .language: .text(.language)
    case .pubdate: .text(.published(.own))
    case .lastbuilddate: .text(.updated(.own))
    case .managingeditor, .author: .text(.author(.own))
    case .category: .text(.category)
    case .image: .scope(.image)
    case .ttl: .text(.timeToLive)
    case .hour: .text(.skipHour)
    case .day: .text(.skipDay)
    default: .nothing
    }
  }

  private static func item(_ word: FeedWord) -> FeedMeaning {
    switch word {
    case .title: .markup(.title(.own))
    case .link: .text(.link(.own))
    case .description: .markup(.summary(.own))
    case .summary: .markup(.summary(.module))
    case .content, .body, .fullitem: .markup(.content(.module))
    case .id: .text(.identity(.module))
    case .guid: .text(.identity(.own))
    case .pubdate: .text(.published(.own))
    case .published, .issued, .created: .text(.published(.module))
    case .updated, .modified, .lastbuilddate: .text(.updated(.module))
    case .date: .text(.date)
    case .expirationdate: .text(.expires)
    case .author: .text(.author(.own))
    case .category: .text(.category)
    case .enclosure: .attributed(.enclosure)
    case .image: .scope(.image)
    case .language: .text(.language)
    default: .nothing
    }
  }
}
