// Translates HTTP into calls and back. Decides nothing.

public import MicroHTTP
public import Runtime
public import Telemetry

/// One address that serves routes, from its making until its `run` is cancelled.
public struct Listener: Service {
  /// What its metrics and log lines call it: `service`, `operations`.
  public let name: String
  /// The port it listens on, the one that the system chose if it was asked to.
  public var port: UInt16 { server.port }

  private let server: HTTPServer
  private let stopTime: Duration

  /// Starts to listen and to answer.
  ///
  /// - Parameters:
  ///   - port: 0 lets the system choose.
  ///   - stopTime: how long requests under way may take to end once `run` is cancelled; streams end at once.
  public init(
    name: String, address: String, port: UInt16, tls: TLSIdentity? = nil, limits: Limits = Limits(), router: Router,
    stopTime: Duration = .seconds(10), logger: Logger, metrics: MetricRegistry
  ) throws(HTTPServerError) {
    self.name = name
    self.stopTime = stopTime
    let log = AccessLog(listener: name, logger: logger, metrics: metrics)
    server = try HTTPServer(
      address: address, port: port, tls: tls, limits: limits,
      refuse: { refusal, head in
        let answer = router.refuse(refusal, head)
        log.record(head.method, answer, peer: head.peer, time: nil)
        return answer.response
      },
      handler: { request in
        let start = ContinuousClock.now
        let answer = await router.answer(request)
        log.record(request.method, answer, peer: request.peer, time: start.duration(to: .now))
        return answer.response
      })
    logger.info(
      "http.listening", ["listener": LogValue(name), "address": LogValue(address), "port": LogValue(server.port)])
  }

  /// Waits until it is cancelled, then lets requests under way end and closes the socket.
  public func run() async throws {
    let (stop, stopping) = AsyncStream.makeStream(of: Never.self)
    await withTaskCancellationHandler {
      for await _ in stop {}
    } onCancel: {
      stopping.finish()
    }
    await server.stop(within: stopTime)
  }
}
