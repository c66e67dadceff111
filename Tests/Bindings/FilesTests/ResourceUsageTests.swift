import Files
import Testing

@Suite struct ResourceUsageTests {
  @Test("Work shows in the processor time, and memory that was held in the peak")
  func grows() {
    let before = ResourceUsage.now
    var bytes = [UInt8](repeating: 1, count: before.residentBytesMax + (64 << 20))
    // Until the kernel's clock ticks: it counts in steps of milliseconds.
    while ResourceUsage.now.processorTime == before.processorTime {
      for place in stride(from: 0, to: bytes.count, by: 4096) { bytes[place] &+= 1 }
    }
    #expect(ResourceUsage.now.processorTime > before.processorTime)
    #expect(ResourceUsage.now.residentBytesMax >= bytes.count)
  }
}
