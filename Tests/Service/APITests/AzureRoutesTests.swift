import API
import JSON
import Push
import Telemetry
import TestKit
import Testing
import Time

@Suite struct InstallationRoutesTests {
  private let handle = "a-handle-of-22-characters-or-more"

  @Test("A device registers, reads what it registered, and is forgotten, in Azure's words")
  func life() async throws {
    try await ServedHub.run { served async throws in
      let put = try await served.register("device-1", handle: handle)
      #expect(put.status == 200)
      #expect(put.body.isEmpty)
      #expect(put.header("Content-Length") == "0")
      #expect(put.headerLines.contains("Server: Kestrel"))
      #expect(put.headerLines.contains("X-Powered-By: Azure Notification Hubs"))
      #expect(put.headerLines.contains("Strict-Transport-Security: max-age=2592000"))
      #expect(put.header("x-ms-correlation-request-id")?.count == 36)
      #expect(put.headerLines.contains { $0.hasPrefix("TrackingId: ") && $0.count == 48 })
      let path = "/news/installations/device-1?api-version=2020-06"
      let get = try await served.ask("GET", path, token: served.listenToken)
      #expect(get.status == 200)
      #expect(get.header("Content-Type") == "application/xml; charset=utf-8")
      let json = try JSONValue(parsing: get.body)
      #expect(
        json.object?.keys == [
          "installationId", "pushChannel", "pushChannelExpired", "platform", "expirationTime", "tags", "templates",
        ])
      #expect(json["templates"]?["news"]?["tags"] == ["news"])
      for _ in 0..<2 {
        let delete = try await served.ask("DELETE", path, token: served.listenToken)
        #expect(delete.status == 204)
        #expect(delete.body.isEmpty)
      }
      let missing = try await served.ask("GET", path, token: served.listenToken, ["TrackingId: abc-1"])
      #expect(missing.status == 404)
      #expect(missing.header("Content-Type") == "application/xml; charset=utf-8")
      #expect(missing.header("TrackingId") == "abc-1")
      #expect(
        try missing.body.wholeMatch(
          of: Regex(
            #"<Error><Code>404</Code><Detail>Installation not found\.TrackingId:abc-1_G\d+,TimeStamp:\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d\d:\d\d [AP]M</Detail></Error>"#
          )) != nil)
    }
  }

  @Test(
    "Paths are found whatever their capitals, escapes, slash at the end or version",
    arguments: [
      "/NEWS/Installations/d?api-version=2013-04", "/news/installations/d/",
      "/news/installations/%64?API-VERSION=2016-07",
      "/%6eews/installations/d",
    ])
  func paths(target: String) async throws {
    try await ServedHub.run { served async throws in
      #expect(try await served.ask("GET", target, token: served.listenToken).body.contains("Installation not found"))
    }
  }

  @Test("A body that is no installation says everything that is wrong")
  func invalid() async throws {
    try await ServedHub.run { served async throws in
      func put(_ body: String) async throws -> RawClient.Answer {
        try await served.ask("PUT", "/news/installations/d", token: served.listenToken, body: body)
      }
      let two = try await put(#"{"installationId":"other","platform":"sse","pushChannel":"short"}"#)
      #expect(two.status == 400)
      #expect(two.body.contains("Installation validation failed with following error(s): "))
      #expect(two.body.contains("the address says 'd'") && two.body.contains("at least 22"))
      let noJSON = try await put(#"{"platform":"#)
      #expect(noJSON.status == 400)
      #expect(noJSON.body.contains("The body is no JSON: 1:13"))
      let template = try await put(
        #"{"platform":"sse","pushChannel":"\#(handle)","templates":{"t":{"body":"{\"a\":\"$5 off\"}"}}}"#)
      #expect(template.status == 400)
      #expect(template.body.contains("templates/t/body"))
      let escaped = try await put(#"{"platform":"<&>"}"#)
      #expect(escaped.body.contains("'&lt;&amp;&gt;'"))
    }
  }

  @Test("A reserved tag wants the right to manage, on the installation and on a template")
  func reserved() async throws {
    try await ServedHub.run { served async throws in
      let body =
        #"{"installationId":"d","platform":"sse","pushChannel":"\#(handle)","tags":["UserName:ann"]}"#
      let listen = try await served.ask("PUT", "/news/installations/d", token: served.listenToken, body: body)
      #expect(listen.status == 403)
      #expect(listen.body.contains("UserName:ann"))
      #expect(try await served.ask("PUT", "/news/installations/d", token: served.fullToken, body: body).status == 200)
      let user = #"{"installationId":"e","platform":"sse","pushChannel":"\#(handle)","userId":"ann"}"#
      #expect(
        try await served.ask("PUT", "/news/installations/e", token: served.listenToken, body: user).status == 403)
    }
  }
}

@Suite struct AccessTests {
  @Test("Each token that opens nothing is refused with the reason, and never with more")
  func tokens() async throws {
    try await ServedHub.run { served async throws in
      let good = served.listenToken
      let past = Timestamp(rfc3339: "2026-01-01T00:00:00Z")!
      let cases: [(String?, String)] = [
        (nil, "MissingToken"),
        ("", "MalformedToken"),
        ("Bearer abc", "MalformedToken"),
        (String(good.dropLast(9)), "MalformedToken"),
        (good.replacing("&sig=", with: "&sig=A"), "MalformedToken"),
        (served.token("Listen", ServedHub.sendKey), "InvalidSignature"),
        (served.token("Nobody", ServedHub.listenKey), "InvalidSignature"),
        (good.replacing("se=", with: "se=9"), "InvalidSignature"),
        (good.replacing("%2fnews", with: "%2f"), "InvalidSignature"),
        (served.token("Listen", ServedHub.listenKey, at: past), "ExpiredToken"),
        (served.token("Listen", ServedHub.listenKey, for: "/other"), "InvalidAudience"),
        (served.token("Listen", ServedHub.listenKey, for: "/news/installations/e"), "InvalidAudience"),
        (
          SharedAccessSignature(
            for: "http://elsewhere.example/news", ruleName: "Listen", key: ServedHub.listenKey, at: SystemClock().now
          ).authorization, "InvalidAudience"
        ),
      ]
      for (token, code) in cases {
        let answer = try await served.ask("GET", "/news/installations/d", token: token)
        #expect(answer.status == 401, "\(code): \(answer.body)")
        #expect(answer.body.hasPrefix("<Error><Code>401</Code><Detail>\(code): "), "\(answer.body)")
        #expect(answer.body.contains("..TrackingId:"))
      }
    }
  }

  @Test("Of a rule's two keys either opens, and a namespace's address opens its hub")
  func keys() async throws {
    try await ServedHub.run { served async throws in
      for key in ["former-send-key", "send-key"] {
        let answer = try await served.ask(
          "POST", "/news/messages", token: served.token("Send", Secret(key), for: "/"),
          ["ServiceBusNotification-Format: template"], body: "{}")
        #expect(answer.status == 201)
      }
    }
  }

  @Test("The wrong right is 403 and nothing else on a send, 401 in words elsewhere")
  func rights() async throws {
    try await ServedHub.run { served async throws in
      let send = try await served.ask(
        "POST", "/news/messages", token: served.listenToken, ["ServiceBusNotification-Format: template"], body: "{}")
      #expect(send.status == 403)
      #expect(send.body.isEmpty)
      #expect(send.header("Server") == "Kestrel")
      #expect(send.header("TrackingId") != nil)
      let get = try await served.ask("GET", "/news/installations/d", token: served.sendToken)
      #expect(get.status == 401)
      #expect(get.body.contains("Listen claim is required for this operation..TrackingId:"))
    }
  }

  @Test("An unknown hub, version, method or path each say what they are")
  func unknown() async throws {
    try await ServedHub.run { served async throws in
      let hub = try await served.ask("GET", "/olds/installations/d", token: served.listenToken)
      #expect(hub.status == 404)
      #expect(hub.body.contains("<Detail>No service is hosted at the specified address..TrackingId:"))
      let version = try await served.ask("GET", "/news/installations/d?api-version=1999-01", token: served.listenToken)
      #expect(version.status == 400)
      #expect(version.body.contains("The api-version '1999-01' in the query string is not supported."))
      let method = try await served.ask("POST", "/news/installations/d", token: served.listenToken, body: "{}")
      #expect(method.status == 405)
      #expect(method.header("Allow") == "PUT, GET, DELETE, HEAD, OPTIONS")
      #expect(method.body.hasPrefix("<Error><Code>405</Code>"))
      let path = try await served.ask("GET", "/news/nothing/here")
      #expect(path.status == 404)
      #expect(path.header("Content-Type") == "application/problem+json")
      #expect(try JSONValue(parsing: path.body)["title"] == "Not Found")
    }
  }
}

@Suite struct MessageRoutesTests {
  @Test("A send is 201 with an empty body, and its Location names the notification")
  func location() async throws {
    try await ServedHub.run { served async throws in
      let answer = try await served.send(#"{"News_French":"Salut"}"#)
      #expect(answer.status == 201)
      #expect(answer.header("Content-Length") == "0")
      #expect(answer.body.isEmpty)
      let location = try #require(answer.header("Location"))
      #expect(
        try location.wholeMatch(
          of: Regex(
            #"http://127\.0\.0\.1:\#(served.port)/news/messages/NH-\d{17}-[0-9a-f]{32}-\d\d\?api-version=2020-06"#))
          != nil)
      #expect(answer.headerLines.contains("Location: \(location)"), "iOS looks it up in exactly this case")
    }
  }

  @Test("Location is what the client asked, behind a proxy that is trusted, and only then")
  func proxied() async throws {
    for isTrusted in [true, false] {
      try await ServedHub.run(proxies: .init { _ in isTrusted }) { served async throws in
        func send(_ token: String) async throws -> RawClient.Answer {
          try await served.ask(
            "POST", "/news/messages/?api-version=2015-04", token: token,
            [
              "ServiceBusNotification-Format: Template", "X-Forwarded-Proto: https", "X-Forwarded-Host: push.example",
            ], body: "{}")
        }
        let signedOutside = SharedAccessSignature(
          for: "https://push.example/news", ruleName: "Send", key: ServedHub.sendKey, at: SystemClock().now)
        #expect(try await send(signedOutside.authorization).status == (isTrusted ? 201 : 401))
        let answer = try await send(served.sendToken)
        let base = isTrusted ? "https://push.example" : served.base
        #expect(answer.header("Location")?.hasPrefix("\(base)/news/messages/NH-") == true)
        #expect(answer.header("Location")?.hasSuffix("?api-version=2015-04") == true)
      }
    }
  }

  @Test(
    "What cannot be sent is 400 with a Detail that says what",
    arguments: [
      ([], "{}", "ServiceBusNotification-Format header is missing"),
      (
        ["ServiceBusNotification-Format: gcm"], "{}",
        "The notification has no target applications. The notification format is gcm. Review the credentials"
      ),
      (["ServiceBusNotification-Format: fcmV1"], "{}", "The format supported by this hub is template"),
      (["ServiceBusNotification-Format: smoke"], "{}", "'smoke' is not known"),
      (["ServiceBusNotification-Format: template", "ServiceBusNotification-DeviceHandle: x"], "{}", "direct"),
      (
        ["ServiceBusNotification-Format: template", "ServiceBusNotification-Tags: "], "{}", "tag expression is invalid"
      ),
      (
        ["ServiceBusNotification-Format: template", "ServiceBusNotification-Tags: a &&"], "{}",
        "tag expression is invalid at character"
      ),
      (
        ["ServiceBusNotification-Format: template", "ServiceBusNotification-Tags: a b"], "{}",
        "tag expression is invalid at character 3"
      ),
      (
        [
          "ServiceBusNotification-Format: template", "ServiceBusNotification-Tags: a", "servicebusnotification-tags: b",
        ], "{}", "occurs twice"
      ),
      (
        ["ServiceBusNotification-Format: template"], #"{"a":1}"#,
        "expected a string as the value of 'a', found a number"
      ),
      (
        ["ServiceBusNotification-Format: template"], #"{"a":{"b":"c"}}"#,
        "The supplied notification payload is invalid."
      ),
      (["ServiceBusNotification-Format: template"], "[]", "flat object"),
      (["ServiceBusNotification-Format: template"], "", "It is no JSON: 1:1"),
    ] as [([String], String, String)])
  func refused(headers: [String], body: String, detail: String) async throws {
    try await ServedHub.run { served async throws in
      let answer = try await served.ask("POST", "/news/messages", token: served.sendToken, headers, body: body)
      #expect(answer.status == 400)
      #expect(answer.body.hasPrefix("<Error><Code>400</Code><Detail>"))
      #expect(answer.body.contains(detail), "\(answer.body)")
    }
  }

  @Test("An expression of 21 alternatives is one too many")
  func tooManyTags() async throws {
    try await ServedHub.run { served async throws in
      let tags = (1...21).map { "t\($0)" }.joined(separator: " || ")
      let answer = try await served.send("{}", tags: tags)
      #expect(answer.status == 400)
      #expect(answer.body.contains("21 different tags are too many"))
    }
  }

  @Test("A request of more than 64 KB is 413 in Azure's form")
  func tooLarge() async throws {
    try await ServedHub.run { served async throws in
      let fits = try await served.send(#"{"a":"\#(String(repeating: "x", count: 65_000))"}"#)
      #expect(fits.status == 201)
      let answer = try await served.send(#"{"a":"\#(String(repeating: "x", count: 65_600))"}"#)
      #expect(answer.status == 413)
      #expect(answer.body.hasPrefix("<Error><Code>413</Code><Detail>The request body is longer than 65536 bytes"))
      #expect(answer.header("TrackingId") != nil)
    }
  }
}
