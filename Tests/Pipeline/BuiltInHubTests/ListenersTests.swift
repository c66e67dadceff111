import TestKit
import Testing
import Time

@testable import BuiltInHub

@Suite struct ListenersTests {
  private let device = DeviceID(1)

  @Test("Steps of this process wake the devices that they reached, and a look that finds no others wakes nobody")
  func own() {
    let listeners = Listeners(countMax: 10)
    listeners.look(5)
    #expect(listeners.wake([device], after: 6) == 0)
    let listener = listeners.join(device)
    #expect(listeners.wake([DeviceID(2)], after: 7) == 0)
    #expect(listeners.wake([device], after: 8) == 1)
    #expect(listeners.look(8) == 0)
    #expect(listeners.look(8) == 0)
    withExtendedLifetime(listener) {}
  }

  @Test("A step of another process wakes everybody, before or between steps of this one")
  func foreign() {
    let listeners = Listeners(countMax: 10)
    let all = [listeners.join(device), listeners.join(device), listeners.join(DeviceID(2))]
    #expect(listeners.look(5) == 3)
    #expect(listeners.look(6) == 3)
    listeners.wake([], after: 8)
    #expect(listeners.look(8) == 3)
    listeners.wake([], after: 9)
    #expect(listeners.look(9) == 0)
    withExtendedLifetime(all) {}
  }

  @Test("A step that is told only after it was looked at wakes everybody once, and never hides another's")
  func late() {
    let listeners = Listeners(countMax: 10)
    let listener = listeners.join(device)
    listeners.look(5)
    #expect(listeners.look(6) == 1)
    listeners.wake([device], after: 6)
    #expect(listeners.look(7) == 1)
    withExtendedLifetime(listener) {}
  }
}
