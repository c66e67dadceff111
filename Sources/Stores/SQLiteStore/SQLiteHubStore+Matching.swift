public import BuiltInHub
import JSON
public import Push
import SQLite
public import Time

extension SQLiteHubStore {
  /// The template registrations of an audience, in the order of their ids.
  public func matches(
    _ audience: Audience, after last: RegistrationID?, limit: Int, at now: Timestamp
  ) async throws -> MatchPage {
    try await database.read { [hub] db in
      let matches = try MatchPlan(for: audience).matches(after: last, limit: limit) { list, from, limit in
        try db.registrations(list, from: from, limit: limit, at: now, hub: hub)
      }
      var page = MatchPage(matches: matches, templates: [:])
      var known: Set<TemplateID> = []
      var personal: Set<TemplateID> = []
      for match in matches {
        if known.insert(match.template).inserted, let template = try db.template(match.template) {
          page.templates[match.template] = template
          if template.isPersonal { personal.insert(match.template) }
        }
        if personal.contains(match.template) {
          page.pushVariables[match.registration] = try db.pushVariables(of: match.registration)
        }
      }
      return page
    }
  }
}

extension Connection {
  fileprivate func registrations(
    _ list: MatchPlan.List, from first: RegistrationID, limit: Int, at now: Timestamp, hub: Int64
  ) throws -> [Match] {
    let tag =
      switch list {
      case .tag(let tag): tag.folded
      case .everyone: ""
      }
    var matches: [Match] = []
    matches.reserveCapacity(limit)
    // Not `rows`, which is generic: making the element's type known for every row cost as much as reading it.
    try scan(
      """
      SELECT registration, device, template FROM hub_tag
      WHERE hub = ?1 AND tag = ?2 AND registration >= ?3 AND (expires IS NULL OR expires > ?4)
      ORDER BY registration LIMIT ?5
      """, hub, tag, first.rawValue, now, limit
    ) { row in
      matches.append(
        Match(registration: RegistrationID(try row[0]), device: DeviceID(try row[1]), template: TemplateID(try row[2])))
      return true
    }
    return matches
  }

  fileprivate func template(_ id: TemplateID) throws -> RegisteredTemplate? {
    try first("SELECT platform, name, format, body, is_personal FROM hub_template WHERE id = ?1", id.rawValue) { row in
      RegisteredTemplate(
        platform: try row[0], name: try row[1], format: try row[2], body: try row[3], isPersonal: try row[4])
    }
  }

  fileprivate func pushVariables(of id: RegistrationID) throws -> Properties {
    try first(
      """
      SELECT json_extract(i.document, '$.pushVariables')
      FROM hub_registration r JOIN hub_installation i ON i.id = r.installation WHERE r.id = ?1
      """, id.rawValue
    ) { row in try Properties(json: row[0]) } ?? [:]
  }
}

extension Row {
  subscript(_ column: Int) -> Platform {
    get throws {
      let name: String = try self[column]
      guard let platform = Platform(rawValue: name) else { throw ColumnError(description: "no platform: \(name)") }
      return platform
    }
  }

  subscript(_ column: Int) -> Template.Format {
    get throws {
      let name: String = try self[column]
      guard let format = Template.Format(name: name) else { throw ColumnError(description: "no format: \(name)") }
      return format
    }
  }
}

extension Template.Format {
  /// How a column spells it.
  var name: String {
    switch self {
    case .json: "json"
    case .xml: "xml"
    case .text: "text"
    }
  }

  fileprivate init?(name: String) {
    guard let format = [Template.Format.json, .xml, .text].first(where: { $0.name == name }) else { return nil }
    self = format
  }
}
