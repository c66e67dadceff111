import BuiltInHub
import Push
import Testing

private typealias Tag = Push.Tag

/// Lists that count what is read of them.
private final class CountedLists {
  let lists: [MatchPlan.List: [Int64]]
  private(set) var pages = 0
  private(set) var rows = 0

  init(_ lists: [String: [Int64]], everyone: [Int64] = []) throws {
    var all: [MatchPlan.List: [Int64]] = [.everyone: everyone]
    for (name, ids) in lists { all[.tag(try Tag(name))] = ids }
    self.lists = all
  }

  func matches(_ expression: String, after last: Int64? = nil, limit: Int = 1000) throws -> [Int64] {
    let plan = MatchPlan(for: .matching(try TagExpression(parsing: expression)))
    return try plan.matches(after: last.map { RegistrationID($0) }, limit: limit) { list, from, limit in
      let ids = self.lists[list, default: []].filter { $0 >= from.rawValue }.prefix(limit)
      self.pages += 1
      self.rows += ids.count
      return ids.map { Match(registration: RegistrationID($0), device: DeviceID($0), template: TemplateID(1)) }
    }.map(\.registration.rawValue)
  }
}

@Suite struct MatchPlanTests {
  @Test(
    "Lists are merged in the order of ids",
    arguments: [
      ("a || b", [1, 2, 3, 4, 6, 9]), ("a && b", [3, 6]), ("a && !b", [1, 9]), ("b && !a", [2, 4]),
      ("!a", [2, 4, 5, 7, 8]), ("!a && !b", [5, 7, 8]), ("!(a || b)", [5, 7, 8]), ("a || !b", [1, 3, 5, 6, 7, 8, 9]),
      ("!!a", [1, 3, 6, 9]), ("(a || b) && !(a && b)", [1, 2, 4, 9]), ("a && nobody", []), ("a && a", [1, 3, 6, 9]),
    ] as [(String, [Int64])])
  func merges(_ expression: String, _ expected: [Int64]) throws {
    let lists = try CountedLists(["a": [1, 3, 6, 9], "b": [2, 3, 4, 6]], everyone: Array(1...9))
    #expect(try lists.matches(expression) == expected)
    for last in 0..<10 as Range<Int64> {
      #expect(try lists.matches(expression, after: last) == expected.filter { $0 > last })
      #expect(try lists.matches(expression, limit: Int(last)) == Array(expected.prefix(Int(last))))
    }
  }

  @Test("The rarest tag sets the pace, on whichever side it stands", arguments: ["common && rare", "rare && common"])
  func rare(_ expression: String) throws {
    let lists = try CountedLists(["common": Array(1...50_000), "rare": [777, 25_000, 49_999, 60_000]])
    #expect(try lists.matches(expression) == [777, 25_000, 49_999])
    #expect(lists.rows < 500)
  }

  @Test("A page of a large audience reads little more than itself")
  func page() throws {
    let lists = try CountedLists(["a": Array(1...50_000), "b": Array(20_000...70_000)])
    #expect(try lists.matches("a || b", limit: 100) == Array(1...100))
    #expect(lists.rows < 400)
    let alone = try CountedLists(["a": Array(1...50_000)])
    #expect(try alone.matches("a", after: 10, limit: 1000).count == 1000)
    #expect(alone.rows < 2100)
    #expect(alone.pages < 10)
  }
}
