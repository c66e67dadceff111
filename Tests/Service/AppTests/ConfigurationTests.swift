import BuiltInHub
import Files
import Ingest
import News
import Publish
import Push
import Telemetry
import Testing
import YAML

@testable import App

/// Reads a configuration that stands in a directory of its own, and tells what is wrong with it.
private struct Attempt {
  let loaded: LoadedConfiguration?
  /// Without the file's name.
  let problems: [String]

  init(_ text: String, files: [String: String] = [:], environment: [String: String] = [:]) throws {
    let directory = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(directory) }
    for (name, content) in files { try FileSystem.write(Array(content.utf8), to: "\(directory)/\(name)") }
    let file = "\(directory)/tidings.yaml"
    try FileSystem.write(Array(text.utf8), to: file)
    let share = try Share(environment: [:], executablePath: MemoryConsole.executablePath)
    do throws(Problems) {
      loaded = try LoadedConfiguration(file: file, environment: environment, share: share)
      problems = []
    } catch {
      loaded = nil
      problems = error.all.map { problem in
        let text = "\(problem)"
        return text.hasPrefix("\(file):") ? String(text.dropFirst(file.count + 1)) : text
      }
    }
  }
}

@Suite struct ConfigurationTests {
  @Test("An empty file is the defaults", arguments: ["", "{}", "feeds:\nserver:\n"])
  func empty(text: String) throws {
    let attempt = try Attempt(text)
    #expect(attempt.problems == [])
    #expect(attempt.loaded?.options.shown == Configuration().shown)
    #expect(attempt.loaded?.locales.map(\.name) == ["English", "French", "Mandarin"])
  }

  @Test("Every option takes its value")
  func values() throws {
    let attempt = try Attempt(
      """
      roles: [hub, ingest]
      feeds:
        list:
        - {url: "https://Example.org/a b", name: A, category: World, language: en-GB, interval: 1h30m,
           headers: {Authorization: "Bearer ${TOKEN}"}}
        - url: http://example.com
        interval: 2m
        userAgent: me/1 (+https://example.org)
        proxy: http://u:p@proxy:3128
        allowAddresses: [10.0.0.0/8, "::1"]
        limits: {body: 1MiB, time: 5s, redirects: 0, concurrent: 2}
      locales:
      - {name: Deutsch, language: de, phrase: "{category}: {headline}", categories: {World: Welt, Politics: Politik,
         Business: Wirtschaft, Technology: Technik, Science: Wissen, Sports: Sport}}
      - {name: Quebec, language: fr-CA, categories: {World: International}}
      - {name: Italiano, language: it, untranslated: skip}
      publisher: {routing: "{category} && edition:uk", maxAge: 90s, lifetime: 1h}
      hub:
        name: my.hub
        accessRules: [{name: L, key: "k${TOKEN}", secondaryKey: {secretFile: key}, rights: [Listen, Send]},
                      {name: P, key: p, rights: [Listen]}]
        reservedTags: []
        mailbox: {keep: 1h, listeners: 5}
      store: {sqlite: /var/lib/tidings.db}
      server: {address: "::", port: 0, operationsPort: 0, page: true, trustedProxies: [192.168.0.0/16]}
      logging: {level: debug, format: json}
      """, files: ["key": "second\n"], environment: ["TOKEN": "t0k: {n"])
    #expect(attempt.problems == [])
    let options = try #require(attempt.loaded?.options)
    #expect(options.roles == [.hub, .ingest])
    #expect(
      attempt.loaded?.feeds.map(\.subscription) == [
        Subscription(
          url: "https://example.org/a%20b", name: "A", category: .world, language: "en-GB", interval: .seconds(5400)),
        Subscription(url: "http://example.com/", name: "example.com"),
      ])
    #expect(options.feeds.list[0].headers["Authorization"]?.reveal() == "Bearer t0k: {n")
    #expect(options.feeds.interval == .seconds(120))
    #expect(options.feeds.proxy.map { "\($0)" } == "http://proxy:3128")
    #expect(options.feeds.allowAddresses.map { "\($0)" } == ["10.0.0.0/8", "::1/128"])
    #expect(options.feeds.limits.body == 1 << 20 && options.feeds.limits.redirects == 0)
    #expect(attempt.loaded?.locales.map(\.language) == ["de", "fr-CA", "it"])
    #expect(attempt.loaded?.locales[1].name(of: .world) == "International")
    #expect(attempt.loaded?.locales[1].name(of: .business) == "Économie")
    #expect(
      attempt.loaded?.locales[1].phrase.filled(category: "Sports", headline: "H") == "Flash Sports : H")
    #expect(attempt.loaded?.locales[2].untranslated == .skip)
    #expect(options.publisher.routing.text == "{category} && edition:uk")
    #expect(options.hub.accessRules[0].rule.keys.map { $0.reveal() } == ["kt0k: {n", "second"])
    #expect(options.hub.localOptions.rendition.retention == .seconds(3600))
    #expect(options.hub.localOptions.listenersMax == 5 && options.hub.localOptions.reservedTags == [])
    #expect(options.server.address == "::" && options.server.page)
    #expect(options.logging.level == .debug && options.logging.format == .json)
    #expect(options.path("feeds.opml").hasSuffix("/feeds.opml") && options.path("/x") == "/x")
  }

  @Test("What is shown reads back as the same, and shows no secret")
  func shown() throws {
    let attempt = try Attempt(
      """
      feeds: {proxy: "http://user:hunter2@proxy:1", list: [{url: "http://u:hunter2@a.example/", headers: {X-Key: hunter2}}]}
      hub: {accessRules: [{name: L, key: hunter2, secondaryKey: hunter2, rights: [Listen]}]}
      """)
    let text = try #require(attempt.loaded?.options.shown.documentText)
    #expect(!text.contains("hunter2"))
    #expect(text.contains("key: '[redacted]'"))
    let again = try Attempt(text)
    #expect(again.problems == [])
    #expect(again.loaded?.options.shown == attempt.loaded?.options.shown)
  }

  @Test("The login in a URL that cannot be read is not told")
  func loginInBrokenURL() throws {
    let attempt = try Attempt("feeds: {proxy: 'http://u:hunter2@:::/', list: [{url: 'http://u:hunter2@a b/'}]}")
    #expect(attempt.problems.count == 2)
    #expect(!"\(attempt.problems)".contains("hunter2"))
  }

  @Test(
    "What is wrong is told with its place and what would be right",
    arguments: [
      ("rolse: [hub]", "1:1: there is no option \"rolse\" here; did you mean \"roles\"?"),
      (
        "feeds: {list: [{url: http://a, intervall: 5m}]}",
        "1:32: there is no option \"intervall\" here; did you mean \"interval\"?"
      ),
      (
        "x: 1",
        "1:1: there is no option \"x\" here; known are roles, feeds, kafka, categories, classifier, locales, publisher, hub, hubs, "
          + "store, server, logging"
      ),
      ("newsroom: {}", "1:1: \"newsroom\" is not supported by this version; remove it"),
      (
        "classifier: {threshold: 2}", "1:25: \"2\" cannot stand here; write model, or a number from 0 to 1"
      ),
      (
        "classifier: {homeCountry: France}",
        "1:27: \"France\" cannot stand here; write a country's two letters such as GB"
      ),
      (
        "kafka: {bootstrapServers: \"http://x\"}",
        "1:27: \"http://x\" cannot stand here; write addresses such as "
          + "kafka-1.example.org:9092,kafka-2.example.org:9092"
      ),
      (
        "kafka: {properties: {enable.auto.commit: true}}",
        "1:22: the worker commits an offset when the record's effect is committed, and at no other time"
      ),
      (
        "kafka: {properties: {sesion.timeout.ms: 1}}",
        "1:22: librdkafka has no property sesion.timeout.ms; did you mean \"session.timeout.ms\"?"
      ),
      (
        "kafka: {properties: {session.timeout.ms: soon}}",
        "1:22: librdkafka takes no such value for session.timeout.ms"
      ),
      (
        "kafka: {deadLetters: articles}",
        "1:8: what is written would be read again: \"articles\" is the topic of dead letters; give one of them "
          + "another name"
      ),
      ("kafka: {sources: []}", "1:18: there is no topic; leave \"sources\" out for the topic articles"),
      ("store: {postgres: x}", "1:9: \"postgres\" is not supported by this version; remove it"),
      ("roles: [hubb]", "1:9: \"hubb\" is not known here; did you mean \"hub\"?"),
      ("roles: hub", "1:8: a list should stand here; each item is one of ingest, publish, hub"),
      ("roles: []", "1:8: there is no role; write some of ingest, publish, hub"),
      ("roles: [hub, hub]", "1:14: the role \"hub\" stands here for the second time, first on line 1"),
      (
        "server: [1]",
        "1:9: a mapping should stand here; its keys are address, port, operationsPort, page, publicUrl, "
          + "tls, trustedProxies"
      ),
      (
        "server: {port: {a: 1}}",
        "1:16: a list or a mapping stands here; write a whole number from 0 to 65535"
      ),
      ("server: {port: }", "1:16: there is no value; write a whole number from 0 to 65535"),
      (
        "server: {port: 70000}",
        "1:16: \"70000\" cannot stand here; write a whole number from 0 to 65535"
      ),
      ("server: {port: 9090}", "1:9: both listeners would take port 9090; give one of them another"),
      ("server: {page: yes}", "1:16: \"yes\" cannot stand here; write true or false"),
      (
        "server: {page: true}",
        "1:16: the page's visitors could not register; add a rule with the right Listen "
          + "and no other to hub.accessRules"
      ),
      (
        "server: {address: 0.0.0.0}",
        "1:19: keys and tokens would cross the network in clear text at 0.0.0.0; set "
          + "server.tls, or name in server.trustedProxies who ends TLS before it"
      ),
      (
        "server: {address: example.org}",
        "1:19: \"example.org\" cannot stand here; write a numeric address such "
          + "as 127.0.0.1, 0.0.0.0 or ::"
      ),
      (
        "server: {tls: {certificate: c, key: \"-----BEGIN PRIVATE KEY-----\"}}",
        "1:29: cannot read DIRECTORY/c: No such file or directory; "
          + "write the path of a PEM file, its text, or {secretFile: path}"
      ),
      (
        "server: {trustedProxies: [10.0.0.1/8]}",
        "1:27: \"10.0.0.1/8\" cannot stand here: “10.0.0.1/8” has bits "
          + "beyond its prefix: was 10.0.0.0/8 meant?; write a range such as 10.0.0.0/8, or one address"
      ),
      (
        "feeds: {interval: 5}",
        "1:19: \"5\" cannot stand here; write a duration such as 30s, 15m or 1h30m, from "
          + "1s to 7d"
      ),
      (
        "feeds: {limits: {body: 5M}}",
        "1:24: \"5M\" cannot stand here; write a size such as 512KiB or 5MiB, from "
          + "64KiB to 1GiB"
      ),
      ("feeds: {list: [{name: A}]}", "1:16: \"url\" is missing"),
      (
        "feeds: {list: [{url: http://a}, {url: HTTP://A/}]}",
        "1:33: the feed \"http://a/\" stands here for the second time, first on line 1"
      ),
      (
        "feeds: {list: [{url: http://a, category: Wrold}]}",
        "1:42: \"Wrold\" is not known here; did you mean "
          + "\"World\"?"
      ),
      (
        "feeds: {list: [{url: http://a, headers: {Host: b}}]}",
        "1:42: \"Host\" cannot stand here; write the name "
          + "of a header that the worker does not set itself"
      ),
      (
        "feeds: {userAgent: \"${NOPE}\"}",
        "1:20: the environment variable NOPE is not set; set it, or write the value here"
      ),
      (
        "feeds: {userAgent: \"${NOPE\"}",
        "1:20: \"${\" has no \"}\"; write ${NAME}, or $${ for the characters "
          + "themselves"
      ),
      (
        "feeds: {userAgent: \"${A-B}\"}",
        "1:20: \"${A-B}\" names no environment variable; a name has letters, digits "
          + "and _; write $${ for the characters themselves"
      ),
      (
        "hub: {name: API}",
        "1:13: \"API\" cannot stand here: api, devices and names that begin with $ are reserved; "
          + "write a name of letters, digits, - . _"
      ),
      (
        "hub: {name: a/b}",
        "1:13: \"a/b\" cannot stand here: it has other characters, or does not begin and end with a "
          + "letter or digit; write a name of letters, digits, - . _"
      ),
      ("hub: {accessRules: [{name: a, key: \"\", rights: [Listen]}]}", "1:36: the secret is empty"),
      (
        "hub: {accessRules: [{name: a, key: {file: x}, rights: [Listen]}]}",
        "1:36: this is no secret; write a text, ${NAME}, or {secretFile: path}"
      ),
      (
        "hub: {accessRules: [{name: a, key: k, rights: []}]}",
        "1:47: the rule gives no right; write some of Listen, Send, Manage"
      ),
      (
        "publisher: {routing: \"{category} &&\"}",
        "1:22: \"{category} &&\" cannot stand here: 14: expected a tag, ! or (, found the end; write a tag "
          + "expression such as {category} && edition:uk"
      ),
      ("locales: []", "1:10: there is no locale; leave \"locales\" out for the three that are known"),
      (
        "locales: [{name: A, language: en}, {name: a, language: fr}]",
        "1:36: the locale \"a\" stands here for the second time, first on line 1"
      ),
      (
        "locales: [{name: A B, language: en}]",
        "1:18: \"A B\" cannot stand here: The tag 'A B' holds ' '; only letters, "
          + "digits and _ @ # . : - are allowed.; write a name such as English, which is a tag and part of a "
          + "property's name"
      ),
      (
        "locales: [{name: A, language: english news}]",
        "1:31: \"english news\" cannot stand here; write a "
          + "language tag such as en, fr or zh-Hans"
      ),
      (
        "locales: [{name: A, language: en, phrase: News}]",
        "1:43: \"News\" cannot stand here: column 1: {headline} is "
          + "missing: a reader would not learn what happened; write a phrase with {headline}, perhaps {category}"
      ),
      (
        "locales: [{name: A, language: en, categories: {Wrold: X}}]",
        "1:48: there is no category \"Wrold\"; did you mean \"World\"?"
      ),
      (
        "locales: [{name: A, language: it, phrase: \"{headline}\", categories: {World: Mondo, Sports: Sport}}]",
        "1:11: the names of Politics, Business, Technology, Science are missing; write them under \"categories\", in "
          + "this language"
      ),
      (
        "categories: {file: nope.yaml}",
        "1:20: cannot read DIRECTORY/nope.yaml: No such file or directory; categories.file "
          + "names the table of categories"
      ),
      (
        "feeds: {userAgent: ${A}}",
        "1:21: did not find expected ',' or '}', while parsing a flow mapping; inside {} and [] quote it: \"${NAME}\""
      ),
      ("a: [1", "2:1: did not find expected ',' or ']', while parsing a flow sequence, which begins on line 1"),
    ])
  func problems(text: String, problem: String) throws {
    let problems = try Attempt(text + "\n").problems.map { text in
      // The directory has another name each time.
      text.split(separator: " ").map { word in
        word.hasPrefix("/") ? "DIRECTORY/" + (word.split(separator: "/").last ?? "") : String(word)
      }.joined(separator: " ")
    }
    #expect(problems == [problem])
  }

  @Test("Kafka's secrets reach the client and are not shown")
  func kafkaSecrets() throws {
    let attempt = try Attempt(
      """
      kafka:
        bootstrapServers: kafka-1:9092,kafka-2:9092
        sources: [{topic: agency, category: Politics, language: fr, trust: feed}]
        properties:
          security.protocol: SASL_SSL
          sasl.username: tidings
          sasl.password: "${PASSWORD}"
          ssl.key.password: {secretFile: key}
          client.id: {secretFile: key}
      """, files: ["key": "hidden-in-a-file\n"], environment: ["PASSWORD": "hidden-in-a-variable"])
    #expect(attempt.problems == [])
    let kafka = try #require(attempt.loaded).options.kafka
    #expect(kafka.properties["sasl.password"]?.value.reveal() == "hidden-in-a-variable")
    #expect(kafka.properties["ssl.key.password"]?.value.reveal() == "hidden-in-a-file")
    #expect(kafka.sourceOptions.topics == [.init(topic: "agency", category: .politics, language: "fr", trust: .feed)])
    let shown = kafka.shown.documentText
    #expect(shown.contains("sasl.username: tidings"))
    #expect(shown.contains("security.protocol: SASL_SSL"))
    #expect(!shown.contains("hidden"))
    #expect(!"\(kafka)".contains("hidden"))
  }

  @Test("All problems are told at once, from top to bottom, what follows from one is not")
  func allProblems() throws {
    let attempt = try Attempt(
      """
      server: {page: true, port: x}
      hub:
        accessRules:
        - {name: a, key: k, rights: [Lisen]}
      feeds: {list: [{url: x}]}
      locales:
      - {name: A, language: en, phrase: "{who}"}
      rols: 1
      """)
    #expect(
      attempt.problems.map { $0.split(separator: " ").first.map(String.init) } == [
        "1:28:", "4:32:", "5:22:", "7:35:", "8:1:",
      ])
  }

  @Test("Of very many problems the first are told, and how many more there are")
  func manyProblems() throws {
    let locales = (1...5000).map { "- {name: L\($0), language: xy, phrase: \"{x}\"}" }
    let attempt = try Attempt("locales:\n" + locales.joined(separator: "\n"))
    #expect(attempt.problems.count == ConfigurationReader.problemsMax + 1)
    #expect(attempt.problems.last?.hasSuffix("more problems") == true)
  }

  @Test("A problem quotes what was written, never what a variable holds")
  func interpolatedSecrets() throws {
    let attempt = try Attempt("server: {port: \"${PORT}\"}", environment: ["PORT": "hunter2"])
    #expect(
      attempt.problems == ["1:16: \"${PORT}\" cannot stand here; write a whole number from 0 to 65535"])
  }

  @Test("A variable's value is text, and $${ is no variable")
  func interpolation() throws {
    let attempt = try Attempt(
      "feeds: {userAgent: \"a ${A}${B} $${A} $A $\"}\nserver: {port: \"${PORT}\"}",
      environment: ["A": "${B}", "B": "", "PORT": "81"])
    #expect(attempt.problems == [])
    #expect(attempt.loaded?.options.feeds.userAgent == "a ${B} ${A} $A $")
    #expect(attempt.loaded?.options.server.port == 81)
  }

  @Test(
    "Loopback is 127.0.0.0/8 and ::1",
    arguments: [
      ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("localhost", true), ("10.0.0.1", false), ("::", false),
    ])
  func loopback(address: String, isLoopback: Bool) throws {
    #expect(try Attempt("server: {address: \"\(address)\"}").problems.isEmpty == isLoopback)
  }

  @Test("A certificate and its key are a file's path, a text, or a secret file")
  func tls() throws {
    let certificate = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
    let key = "-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----\n"
    let files = ["c.pem": certificate, "k.pem": key]
    for text in [
      "{certificate: c.pem, key: k.pem}", "{certificate: {secretFile: c.pem}, key: {secretFile: k.pem}}",
      "{certificate: \"${C}\", key: \"${K}\"}",
    ] {
      let attempt = try Attempt(
        "server: {address: 0.0.0.0, tls: \(text)}", files: files, environment: ["C": certificate, "K": key])
      #expect(attempt.problems == [])
      #expect(attempt.loaded?.options.server.tls?.key.reveal().hasPrefix("-----BEGIN EC") == true)
    }
    let swapped = try Attempt("server: {tls: {certificate: k.pem, key: c.pem}}", files: files)
    #expect(swapped.problems.count == 2)
  }
}
