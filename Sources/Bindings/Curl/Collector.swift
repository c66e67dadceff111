/// Waits for a whole answer.
///
/// Sendable because the continuation is set before the transfer is handed over, and taken once: by the poll thread, or,
/// where the poll thread did not take the transfer, by the task that set it.
final class Collector: @unchecked Sendable {
  typealias Answer = Result<HTTPResponse, HTTPClientError>

  var continuation: CheckedContinuation<Answer, Never>?

  func finish(_ answer: Answer) {
    continuation?.resume(returning: answer)
    continuation = nil
  }
}
