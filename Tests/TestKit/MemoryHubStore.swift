public import BuiltInHub
public import Push
import Synchronization
public import Time

/// A hub's store that forgets with the process.
public final class MemoryHubStore: RegistrationStore, Outbox, Mailbox {
  struct Device: Hashable {
    let platform: Platform
    let handle: HandleDigest
  }

  struct Row {
    let installationID: String
    let device: DeviceID
    let placed: PlacedRegistration
    let template: TemplateID?
  }

  struct Entry {
    let notification: NotificationID
    let templateName: String
    let event: MailboxEvent
    let expires: Timestamp
  }

  struct Work {
    let notification: Notification
    let taken: Timestamp
    var state = NotificationState.enqueued
    var cursor: RegistrationID?
    var tally = Tally()
    var started: Timestamp?
    var finished: Timestamp?
    var fence: Int64 = 0
    var leaseEnd: Timestamp?
  }

  struct State {
    var installations: [String: Installation] = [:]
    var devices: [Device: DeviceID] = [:]
    var templates: [RegisteredTemplate: TemplateID] = [:]
    var registrations: [RegistrationID: Row] = [:]
    var mailboxes: [DeviceID: [Entry]] = [:]
    /// The key of a notification is its place here, from 1; a forgotten one leaves a nil.
    var outbox: [Work?] = []
    var sequence: Int64 = 0
    var lastID: Int64 = 0
  }

  let state = Mutex(State())

  /// An empty store.
  public init() {}
}

// MARK: - Registrations

extension MemoryHubStore {
  /// Keeps an installation.
  public func put(_ installation: Installation, at now: Timestamp) async throws {
    state.withLock { state in
      let before = state.rows(of: installation.id)
      var kept: Set<RegistrationID> = []
      var devices: Set<DeviceID> = []
      for placed in installation.placedRegistrations {
        let device = state.device(Device(platform: installation.platform, handle: placed.handle))
        devices.insert(device)
        let id =
          before.first { $0.value.placed.key == placed.key && $0.value.device == device }?.key
          ?? RegistrationID(state.nextID())
        state.registrations[id] = Row(
          installationID: installation.id, device: device, placed: placed,
          template: placed.template.map { state.template($0) })
        kept.insert(id)
      }
      state.installations[installation.id] = installation
      state.removeRegistrations { id, row in
        row.installationID == installation.id ? !kept.contains(id) : devices.contains(row.device)
      }
    }
  }

  /// The installation as it was put.
  public func installation(_ id: String, at now: Timestamp) async throws -> Installation? {
    state.withLock { state in
      guard let installation = state.installations[id], !installation.isExpired(at: now) else { return nil }
      return installation
    }
  }

  /// Forgets an installation.
  public func deleteInstallation(_ id: String) async throws -> Bool {
    state.withLock { $0.delete(id) }
  }

  /// The template registrations of an audience.
  public func matches(
    _ audience: Audience, after last: RegistrationID?, limit: Int, at now: Timestamp
  ) async throws -> MatchPage {
    let state = state.withLock { $0 }
    let live = state.registrations.filter {
      $0.value.template != nil && !($0.value.placed.registration.expirationTime.map { $0 <= now } ?? false)
    }
    let matches = try MatchPlan(for: audience).matches(after: last, limit: limit) { list, from, limit in
      let ids = live.filter { id, row in
        guard id >= from else { return false }
        return switch list {
        case .everyone: true
        case .tag(let tag): row.placed.registration.tags.contains(tag)
        }
      }
      return ids.keys.sorted().prefix(limit).map { state.match($0) }
    }
    var page = MatchPage(matches: matches, templates: [:])
    for match in matches {
      let row = state.registrations[match.registration]!
      page.templates[match.template] = row.placed.template
      if row.placed.template?.isPersonal == true {
        page.pushVariables[match.registration] = row.placed.registration.pushVariables
      }
    }
    return page
  }

  /// How many registrations there are.
  public func registrationCount() async throws -> Int { state.withLock { $0.registrations.count } }

  /// Forgets installations whose time has passed.
  public func purgeInstallations(expiredAt now: Timestamp, limit: Int) async throws -> Int {
    state.withLock { state in
      let expired = state.installations.values.filter { $0.isExpired(at: now) }.prefix(limit)
      for installation in expired { _ = state.delete(installation.id) }
      return expired.count
    }
  }
}

extension MemoryHubStore.State {
  mutating func nextID() -> Int64 {
    lastID += 1
    return lastID
  }

  mutating func device(_ device: MemoryHubStore.Device) -> DeviceID {
    if let id = devices[device] { return id }
    let id = DeviceID(nextID())
    devices[device] = id
    return id
  }

  mutating func template(_ template: RegisteredTemplate) -> TemplateID {
    if let id = templates[template] { return id }
    let id = TemplateID(nextID())
    templates[template] = id
    return id
  }

  func rows(of installation: String) -> [RegistrationID: MemoryHubStore.Row] {
    registrations.filter { $0.value.installationID == installation }
  }

  func match(_ id: RegistrationID) -> Match {
    let row = registrations[id]!
    return Match(
      registration: id, device: row.device, template: row.template!)
  }

  mutating func delete(_ installation: String) -> Bool {
    guard installations.removeValue(forKey: installation) != nil else { return false }
    removeRegistrations { $1.installationID == installation }
    return true
  }

  /// Removes registrations, and the devices that none is left of.
  mutating func removeRegistrations(where isGone: (RegistrationID, MemoryHubStore.Row) -> Bool) {
    registrations = registrations.filter { !isGone($0.key, $0.value) }
    let left = Set(registrations.values.map(\.device))
    devices = devices.filter { left.contains($0.value) }
    mailboxes = mailboxes.filter { left.contains($0.key) }
  }
}

extension Installation {
  func isExpired(at now: Timestamp) -> Bool { expirationTime.map { $0 <= now } ?? false }
}
