import Testing
import TestKit

@Suite("The hub's store in memory") struct HubStoreTests {
  @Test("It keeps every promise of a hub's store", arguments: HubStoreContract.all)
  func keeps(_ promise: HubStoreContract) async throws {
    let store = MemoryHubStore()
    try await promise.check { store }
  }
}
