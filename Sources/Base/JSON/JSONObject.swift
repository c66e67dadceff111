/// The members of a JSON object in the order they were written, each key once.
///
/// Keys are equal as Swift strings are (canonical equivalence). Setting a key that exists keeps its place, as in
/// JavaScript.
public struct JSONObject: Sendable {
  /// A key with its value.
  public typealias Member = (key: String, value: JSONValue)

  /// Up to this many members a walk over the array beats hashing the key.
  private static let walkedMembersMax = 16

  private var members: [Member] = []
  /// Positions by key; nil while the object is small.
  private var positions: [String: Int]?

  /// An object without members.
  public init() {}

  /// An object with `members` in this order; of two equal keys the last value wins.
  public init(_ members: some Sequence<Member>) {
    for member in members { self[member.key] = member.value }
  }

  /// The value of `key`. Setting nil removes the member, which takes time in proportion to the object's size.
  public subscript(key: String) -> JSONValue? {
    get { position(of: key).map { members[$0].value } }
    set {
      switch (position(of: key), newValue) {
      case (let position?, let value?): members[position].value = value
      case (nil, let value?): append(key, value)
      case (let position?, nil): remove(at: position)
      case (nil, nil): break
      }
    }
  }

  /// The keys in order.
  public var keys: [String] { members.map(\.key) }

  private func position(of key: String) -> Int? {
    if let positions { return positions[key] }
    return members.firstIndex { $0.key == key }
  }

  private mutating func append(_ key: String, _ value: JSONValue) {
    members.append((key, value))
    if positions != nil {
      positions?[key] = members.count - 1
    } else if members.count > Self.walkedMembersMax {
      index()
    }
  }

  private mutating func remove(at position: Int) {
    members.remove(at: position)
    positions = nil
    if members.count > Self.walkedMembersMax { index() }
  }

  private mutating func index() {
    positions = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($1.key, $0) })
  }
}

extension JSONObject: RandomAccessCollection {
  /// The place of the first member.
  public var startIndex: Int { 0 }
  /// The place after the last member.
  public var endIndex: Int { members.count }
  /// The member at `position`.
  public subscript(position: Int) -> Member { members[position] }
}

extension JSONObject: Hashable {
  /// Objects are equal when they have the same members, in whatever order (RFC 8259: an object is unordered).
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
  }

  /// Feeds the members into `hasher`, independent of their order.
  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for member in members {
      var each = Hasher()
      each.combine(member.key)
      each.combine(member.value)
      sum &+= each.finalize()
    }
    hasher.combine(sum)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object with these members in this order; of two equal keys the last wins.
  public init(dictionaryLiteral members: (String, JSONValue)...) {
    self.init(members.lazy.map { (key: $0.0, value: $0.1) })
  }
}
