public import BuiltInHub
import JSON
import Push
public import Testing
import Time

/// A promise of every hub's store, with its proof.
public struct HubStoreContract: Sendable, CustomTestStringConvertible {
  /// Opens the store under test; each call is a handle as another process would have it, on the same state.
  public typealias Opening = @Sendable () async throws -> any HubStore

  /// The promise.
  public let testDescription: String
  /// Proves it on a fresh store.
  public let check: @Sendable (_ open: Opening) async throws -> Void

  init(_ promise: String, _ check: @escaping @Sendable (_ open: Opening) async throws -> Void) {
    testDescription = promise
    self.check = check
  }

  /// All of them.
  public static let all = registrations + matching + outbox + mailbox + crashes
}

private let noon = HubFixtures.noon

extension HubStoreContract {
  private static let registrations = [
    HubStoreContract("An installation is read back as it was put, by whichever process") { open in
      let store = try await open()
      let full = HubFixtures.installation(
        "full", tags: ["World", "équipe:u21"],
        templates: [("en", #"{"a": "$(x)"}"#), ("fr", "{\"b\": \"é \u{1F30D}\"}")],
        user: "reader-42", expires: noon + .seconds(60), pushVariables: [("name", "Zoë")])
      let bare = HubFixtures.installation("bare", platform: .fcmV1, templates: [])
      try await store.put(full, at: noon)
      try await store.put(bare, at: noon)
      #expect(try await open().installation("full", at: noon) == full)
      #expect(try await open().installation("bare", at: noon) == bare)
      #expect(try await store.installation("other", at: noon) == nil)
    },
    HubStoreContract("An installation is one native registration and one for each template") { open in
      let store = try await open()
      try await store.put(HubFixtures.installation("a", templates: [("en", "{}"), ("fr", "{}")]), at: noon)
      #expect(try await store.registrationCount() == 3)
      try await store.put(HubFixtures.installation("b", templates: []), at: noon)
      #expect(try await store.registrationCount() == 4)
    },
    HubStoreContract("A put replaces everything, and what stays keeps its id") { open in
      let store = try await open()
      let before = HubFixtures.installation(
        "a", tags: ["World"], templates: [("en", HubFixtures.body("x")), ("fr", HubFixtures.body("y"))])
      try await store.put(before, at: noon)
      let first = try await store.matches("World")
      #expect(first.count == 2)
      try await store.put(before, at: noon)
      #expect(try await store.matches("World") == first)
      let after = HubFixtures.installation(
        "a", tags: ["Sports"], templates: [("zh", HubFixtures.body("z")), ("fr", HubFixtures.body("w"))])
      try await store.put(after, at: noon)
      #expect(try await store.installation("a", at: noon) == after)
      #expect(try await store.matches("World") == [])
      let second = try await store.matches("Sports")
      #expect(second.count == 2)
      #expect(Set(second.map(\.registration)).intersection(first.map(\.registration)) == [first[1].registration])
      #expect(try await store.registrationCount() == 3)
    },
    HubStoreContract("A deleted installation is gone, with its registrations") { open in
      let store = try await open()
      try await store.put(HubFixtures.installation("a", tags: ["World"]), at: noon)
      #expect(try await store.deleteInstallation("a"))
      #expect(try await store.deleteInstallation("a") == false)
      #expect(try await store.installation("a", at: noon) == nil)
      #expect(try await store.matches("World") == [])
      #expect(try await store.registrationCount() == 0)
    },
    HubStoreContract("A device that comes back under a new id is one device, and wants what it said last") { open in
      let store = try await open()
      let handle = HubFixtures.handle(1)
      try await store.put(HubFixtures.installation("old", handle: handle, tags: ["World", "Sports"]), at: noon)
      try await store.put(HubFixtures.installation("new", handle: handle, tags: ["World"]), at: noon)
      #expect(try await store.matches("World").count == 1)
      #expect(try await store.matches("Sports") == [])
      #expect(try await store.installation("old", at: noon) != nil)
      try await store.put(HubFixtures.installation("old", handle: handle, tags: ["Sports"]), at: noon)
      #expect(try await store.matches("World") == [])
      #expect(try await store.matches("Sports").count == 1)
    },
    HubStoreContract("The same handle on two platforms is two devices") { open in
      let store = try await open()
      let handle = HubFixtures.handle(1)
      try await store.put(HubFixtures.installation("a", handle: handle, platform: .sse), at: noon)
      try await store.put(HubFixtures.installation("b", handle: handle, platform: .gcm), at: noon)
      #expect(Set(try await store.matches(nil).map(\.device)).count == 2)
    },
    HubStoreContract("An installation whose time has passed is not matched and not read, and is purged") { open in
      let store = try await open()
      for number in 0..<5 {
        let expires = number == 0 ? nil : noon + .seconds(number)
        try await store.put(
          HubFixtures.installation("i\(number)", tags: ["World"], expires: expires), at: noon)
      }
      let later = noon + .seconds(3)
      #expect(try await store.matches("World", at: noon).count == 5)
      #expect(try await store.matches("World", at: later).count == 2)
      #expect(try await store.matches("!Sports", at: later).count == 2)
      #expect(try await store.installation("i3", at: later) == nil)
      #expect(try await store.installation("i4", at: later) != nil)
      #expect(try await store.purgeInstallations(expiredAt: later, limit: 2) == 2)
      #expect(try await store.purgeInstallations(expiredAt: later, limit: 2) == 1)
      #expect(try await store.purgeInstallations(expiredAt: later, limit: 2) == 0)
      #expect(try await store.registrationCount() == 4)
    },
    HubStoreContract("A later expiry keeps a device") { open in
      let store = try await open()
      for seconds in [1, 60] {
        let device = HubFixtures.installation("a", tags: ["World"], expires: noon + .seconds(seconds))
        try await store.put(device, at: noon)
      }
      #expect(try await store.matches("World", at: noon + .seconds(30)).count == 1)
      #expect(try await store.purgeInstallations(expiredAt: noon + .seconds(30), limit: 9) == 0)
    },
  ]

  private static let matching = [
    HubStoreContract("Native registrations get no template notification") { open in
      let store = try await open()
      try await store.put(HubFixtures.installation("a", tags: ["World"], templates: []), at: noon)
      #expect(try await store.matches("World") == [])
      #expect(try await store.matches(nil) == [])
    },
    HubStoreContract("A tag matches in whatever case, and the hub's own tags match too") { open in
      let store = try await open()
      try await store.put(HubFixtures.installation("Inst-1", tags: ["World"], user: "Reader-1"), at: noon)
      try await store.put(HubFixtures.installation("Inst-2", tags: ["Sports"]), at: noon)
      for expression in ["wORLD", "$InstallationId:{inst-1}", "$UserId:{reader-1}", "news && world", "world || World"] {
        #expect(try await store.matches(expression).count == 1, "\(expression)")
      }
    },
    HubStoreContract("Any expression finds, in the order of their ids, exactly the devices that it means") { open in
      let store = try await open()
      var generator = SeededGenerator(7)
      var tags: [RegistrationID: Set<Push.Tag>] = [:]
      let words = ["a", "b", "c", "rare", "never"]
      for number in 0..<300 {
        let own = words.dropLast().filter { word in
          Int.random(in: 0..<100, using: &generator) < (word == "rare" ? 3 : 40)
        }
        let device = HubFixtures.installation("d\(number)", tags: own)
        try await store.put(device, at: noon)
        let id = try #require(try await store.matches("$InstallationId:{d\(number)}").first).registration
        tags[id] = Set(device.registrations[1].tags)
      }
      for _ in 0..<150 {
        let expression = try TagExpression(randomTerm(of: words, depth: 3, using: &generator))
        let expected = tags.filter { expression.matches($0.value) }.keys.sorted()
        let found = try await store.matches(
          .matching(expression), after: nil, limit: 1000, at: noon
        ).matches.map(\.registration)
        #expect(found == expected, "\(expression)")
      }
      #expect(try await store.matches(nil).map(\.registration) == tags.keys.sorted())
    },
    HubStoreContract("Pages of any size make the whole") { open in
      let store = try await open()
      for number in 0..<100 {
        let tags = [number % 2 == 0 ? "even" : "odd", number % 3 == 0 ? "third" : "other"]
        try await store.put(HubFixtures.installation("d\(number)", tags: tags), at: noon)
      }
      for expression in ["even", "even || third", "even && !third", "!third", nil] {
        let whole = try await store.matches(expression)
        #expect(!whole.isEmpty)
        for limit in [1, 7, 33, whole.count] {
          var pages: [Match] = []
          while true {
            let page = try await store.matches(expression, after: pages.last?.registration, limit: limit)
            pages += page
            guard page.count == limit else { break }
          }
          #expect(pages == whole, "\(expression ?? "everyone") by \(limit)")
        }
      }
    },
    HubStoreContract("Equal templates are one; another name, platform or body is another") { open in
      let store = try await open()
      let body = HubFixtures.body("News_French")
      try await store.put(HubFixtures.installation("a", templates: [("fr", body)]), at: noon)
      try await store.put(HubFixtures.installation("b", templates: [("fr", body)]), at: noon)
      try await store.put(HubFixtures.installation("c", templates: [("fr2", body)]), at: noon)
      try await store.put(HubFixtures.installation("d", platform: .gcm, templates: [("fr", body)]), at: noon)
      try await store.put(HubFixtures.installation("e", templates: [("fr", body + " ")]), at: noon)
      let page = try await store.matches(.everyone, after: nil, limit: 10, at: noon)
      #expect(page.matches.count == 5)
      #expect(page.templates.count == 4)
      #expect(page.matches[0].template == page.matches[1].template)
      let last = try #require(page.templates[page.matches[4].template])
      #expect(last == RegisteredTemplate(platform: .sse, name: "fr", format: .json, body: body + " "))
    },
    HubStoreContract("A template that nobody has any more may come back") { open in
      let store = try await open()
      for _ in 0..<2 {
        try await store.put(HubFixtures.installation("a", tags: ["World"]), at: noon)
        let page = try await store.matches(.everyone, after: nil, limit: 10, at: noon)
        #expect(page.templates[page.matches[0].template]?.body == HubFixtures.body("News_English"))
        try await store.put(HubFixtures.installation("a", templates: [("other", "{}")]), at: noon)
        #expect(try await store.deleteInstallation("a"))
      }
    },
    HubStoreContract("A device's own texts come with its matches") { open in
      let store = try await open()
      try await store.put(HubFixtures.installation("a", pushVariables: [("name", "Zoë"), ("x", "y")]), at: noon)
      try await store.put(HubFixtures.installation("b"), at: noon)
      let page = try await store.matches(.everyone, after: nil, limit: 10, at: noon)
      #expect(page.matches.map { page.templates[$0.template]?.isPersonal } == [true, false])
      #expect(page.pushVariables == [page.matches[0].registration: ["name": "Zoë", "x": "y"]])
    },
  ]
}

/// A term of these tags, within Azure's limits.
private func randomTerm(
  of words: [String], depth: Int, using generator: inout SeededGenerator
) throws -> TagExpression.Term {
  let kind = depth == 0 ? 0 : Int.random(in: 0..<5, using: &generator)
  func terms() throws -> [TagExpression.Term] {
    try (0..<Int.random(in: 2...3, using: &generator)).map { _ in
      try randomTerm(of: words, depth: depth - 1, using: &generator)
    }
  }
  switch kind {
  case 1: return .not(try randomTerm(of: words, depth: depth - 1, using: &generator))
  case 2: return .all(try terms())
  case 3, 4: return .any(try terms())
  default: return .tag(try Push.Tag(words.randomElement(using: &generator)!))
  }
}

extension RegistrationStore {
  /// The matches of an expression, or of everyone.
  func matches(
    _ expression: String?, after last: RegistrationID? = nil, limit: Int = 1000, at now: Timestamp = HubFixtures.noon
  ) async throws -> [Match] {
    let audience: Audience = try expression.map { .matching(try TagExpression(parsing: $0)) } ?? .everyone
    return try await matches(audience, after: last, limit: limit, at: now).matches
  }
}
