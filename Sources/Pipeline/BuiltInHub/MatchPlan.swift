public import Push

/// How the registrations of an audience are found: a walk through ordered lists, one for each tag, that never sorts and
/// never holds more than a page of each.
///
/// Every part of the expression can say which registration at or after a given one is its next. `||` takes the least
/// of what its parts say; `&&` lets its parts overtake each other until they agree, so that the rarest tag sets the
/// pace whichever it is; `!` passes what its part names.
public struct MatchPlan: Sendable {
  /// A list of registrations in the order of their ids.
  public enum List: Hashable, Sendable {
    /// Those that bear a tag.
    case tag(Tag)
    /// All of the hub.
    case everyone
  }

  /// Reads a page of a list: the first registrations with at least this id, at most that many.
  public typealias Reader = (List, RegistrationID, Int) throws -> [Match]

  private let audience: Audience

  /// The plan for an audience.
  public init(for audience: Audience) {
    self.audience = audience
  }

  /// The first `limit` registrations of the audience after the one named, in the order of their ids. Fewer than that
  /// are the last.
  public func matches(after last: RegistrationID?, limit: Int, reading read: @escaping Reader) throws -> [Match] {
    let walk: any Walk =
      switch audience {
      case .everyone: Listed(.everyone, read)
      case .matching(let expression): walk(expression.root, read)
      }
    var matches: [Match] = []
    matches.reserveCapacity(min(limit, Self.reservedMax))
    var from = last?.next ?? .first
    while matches.count < limit, let match = try walk.next(from) {
      matches.append(match)
      from = match.registration.next
    }
    return matches
  }

  /// Room made in advance, in registrations: a page may be asked for with any limit.
  private static let reservedMax = 4096

  private func walk(_ term: TagExpression.Term, _ read: @escaping Reader) -> any Walk {
    switch term {
    case .tag(let tag): return Listed(.tag(tag), read)
    case .any(let terms): return AnyOf(terms.map { walk($0, read) })
    case .not(let term): return AllOf([Listed(.everyone, read)], except: [walk(term, read)])
    case .all(let terms):
      var wanted: [any Walk] = []
      var unwanted: [any Walk] = []
      for term in terms {
        if case .not(let term) = term { unwanted.append(walk(term, read)) } else { wanted.append(walk(term, read)) }
      }
      if wanted.isEmpty { wanted = [Listed(.everyone, read)] }
      return AllOf(wanted, except: unwanted)
    }
  }
}

/// A part of a plan.
private protocol Walk: AnyObject {
  /// The first match at or after `id`. From call to call `id` never decreases.
  func next(_ id: RegistrationID) throws -> Match?
}

/// A list, read in pages that grow while one follows the other and start small again after a leap.
private final class Listed: Walk {
  private static let pageMin = 32
  private static let pageMax = 1024

  private let list: MatchPlan.List
  private let read: MatchPlan.Reader
  private var page: [Match] = []
  private var position = 0
  private var pageSize = Listed.pageMin
  private var isAtEnd = false

  init(_ list: MatchPlan.List, _ read: @escaping MatchPlan.Reader) {
    self.list = list
    self.read = read
  }

  func next(_ id: RegistrationID) throws -> Match? {
    if position < page.count, page[position].registration >= id { return page[position] }
    if let last = page.last, last.registration >= id {
      leap(to: id)
      return page[position]
    }
    guard !isAtEnd else { return nil }
    pageSize = isNear(id) ? min(pageSize * 2, Self.pageMax) : Self.pageMin
    page = try read(list, id, pageSize)
    position = 0
    isAtEnd = page.count < pageSize
    return page.first
  }

  /// Whether `id` is no further behind the page than the page is long.
  private func isNear(_ id: RegistrationID) -> Bool {
    guard let first = page.first?.registration.rawValue, let last = page.last?.registration.rawValue else {
      return false
    }
    return id.rawValue - last <= last - first + 1
  }

  /// Goes to the first of the page at or after `id`, which is there: in steps that double, since most leaps are short.
  private func leap(to id: RegistrationID) {
    var step = 1
    while position + step < page.count, page[position + step].registration < id {
      position += step
      step *= 2
    }
    var upper = min(position + step, page.count - 1)
    while position < upper {
      let middle = (position + upper) / 2
      if page[middle].registration < id { position = middle + 1 } else { upper = middle }
    }
  }
}

/// What any of its parts matches.
private final class AnyOf: Walk {
  private let parts: [any Walk]
  /// What each part said last; asked again only once it is passed.
  private var heads: [Match?]
  private var isStarted = false

  init(_ parts: [any Walk]) {
    self.parts = parts
    heads = Array(repeating: nil, count: parts.count)
  }

  func next(_ id: RegistrationID) throws -> Match? {
    var least: Match?
    for position in parts.indices {
      if let head = heads[position] {
        if head.registration < id { heads[position] = try parts[position].next(id) }
      } else if !isStarted {
        heads[position] = try parts[position].next(id)
      }
      guard let head = heads[position] else { continue }
      if least.map({ head.registration < $0.registration }) ?? true { least = head }
    }
    isStarted = true
    return least
  }
}

/// What all wanted parts match and no unwanted one.
private final class AllOf: Walk {
  private let wanted: [any Walk]
  private let unwanted: [any Walk]

  init(_ wanted: [any Walk], except unwanted: [any Walk]) {
    self.wanted = wanted
    self.unwanted = unwanted
  }

  func next(_ id: RegistrationID) throws -> Match? {
    var id = id
    search: while true {
      guard let match = try wanted[0].next(id) else { return nil }
      id = match.registration
      for part in wanted.dropFirst() {
        guard let other = try part.next(id) else { return nil }
        if other.registration > id {
          id = other.registration
          continue search
        }
      }
      for part in unwanted where try part.next(id)?.registration == id {
        id = id.next
        continue search
      }
      return match
    }
  }
}
