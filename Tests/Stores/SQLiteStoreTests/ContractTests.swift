import BuiltInHub
import Ingest
import Publish
import Testing
import TestKit

@testable import SQLiteStore

/// The stores that keep the contracts.
enum StoreKind: CaseIterable {
  case memory, sqlite
}

@Suite("Every store keeps the contracts of the stages") struct ContractTests {
  let scratch = try! Scratch()

  @Test("A feed store keeps its promises", arguments: StoreKind.allCases, FeedStoreContract.all)
  func feeds(_ kind: StoreKind, _ promise: FeedStoreContract) async throws {
    switch kind {
    case .memory:
      let store = MemoryFeedStore()
      try await promise.check { store }
    case .sqlite: try await promise.check { [scratch] in try await scratch.open() }
    }
    expectNoScan()
  }

  @Test(
    "A store of hub subscriptions keeps its promises", arguments: StoreKind.allCases, HubSubscriptionStoreContract.all)
  func hubSubscriptions(_ kind: StoreKind, _ promise: HubSubscriptionStoreContract) async throws {
    switch kind {
    case .memory:
      let store = MemoryFeedStore()
      try await promise.check { store }
    case .sqlite: try await promise.check { [scratch] in try await scratch.open() }
    }
    expectNoScan()
  }

  @Test("A ledger keeps its promises", arguments: StoreKind.allCases, LedgerContract.all)
  func ledger(_ kind: StoreKind, _ promise: LedgerContract) async throws {
    switch kind {
    case .memory:
      let ledger = MemoryLedger()
      try await promise.check { ledger }
    case .sqlite: try await promise.check { [scratch] in try await scratch.open() }
    }
    expectNoScan()
  }

  @Test("A hub's store keeps its promises", arguments: StoreKind.allCases, HubStoreContract.all)
  func hub(_ kind: StoreKind, _ promise: HubStoreContract) async throws {
    switch kind {
    case .memory:
      let store = MemoryHubStore()
      try await promise.check { store }
    case .sqlite: try await promise.check { [scratch] in try await scratch.open().hub(named: "news") }
    }
    expectNoScan()
  }

  /// No statement of a store passes through a table without an index, but for those that are asked for all of it.
  private func expectNoScan() {
    let scanned = scratch.logged("store.scanned", "sql").filter {
      !$0.contains("FROM feed ORDER BY url") && !$0.contains("FROM hub_subscription ORDER BY feed")
    }
    #expect(scanned == [])
  }
}
