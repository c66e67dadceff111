internal import Files

/// Whether a task, done again and again, keeps memory each time.
///
/// One round in which the process has not grown is proof that it does not. Several are tried, since tests that run
/// side by side grow it too.
public func keepsMemory(times: Int, roundsMax: Int = 8, _ task: () throws -> Void) rethrows -> Bool {
  for _ in 0..<roundsMax {
    let before = ResourceUsage.now.residentBytesMax
    for _ in 0..<times { try task() }
    if ResourceUsage.now.residentBytesMax - before < growthBytesMin { return false }
  }
  return true
}

/// A round that leaks must leak more than this; fragments of the heap grow less.
private let growthBytesMin = 4 << 20
