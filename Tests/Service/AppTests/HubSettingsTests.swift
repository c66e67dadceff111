import Files
import Publish
import Push
import Telemetry
import TestKit
import Testing
import YAML

@testable import App

@Suite struct HubSettingsTests {
  static let key = "c2VjcmV0"
  static let connection =
    "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=Send;SharedAccessKey=\(key)"

  /// A configuration in a directory with the templates that ship, or with others in `own`.
  private static func load(
    _ text: String, environment: [String: String] = [:], own: [String: String] = [:]
  ) throws -> (loaded: LoadedConfiguration?, problems: [String]) {
    let directory = try FileSystem.makeTemporaryDirectory()
    defer { try? FileSystem.remove(directory) }
    let file = "\(directory)/tidings.yaml"
    try FileSystem.write(Array(text.utf8), to: file)
    for (name, content) in own { try FileSystem.write(Array(content.utf8), to: "\(directory)/\(name)") }
    let share = try Share(environment: [:], executablePath: MemoryConsole.executablePath)
    do throws(Problems) {
      return (try LoadedConfiguration(file: file, environment: environment, share: share), [])
    } catch {
      return (nil, error.all.map { "\($0)".replacing("\(directory)/", with: "") })
    }
  }

  @Test("A hub of Azure's is its connection string, and its name, which the string may bring along")
  func azure() throws {
    for text in [
      "hub: {kind: azure, name: Flash, connectionString: \"${HUB}\"}",
      "hub: {kind: azure, connectionString: \"${HUB};EntityPath=Flash\"}",
    ] {
      let (loaded, problems) = try Self.load(text, environment: ["HUB": Self.connection])
      #expect(problems == [])
      let options = try #require(loaded).options
      #expect(options.hub.name == "Flash")
      #expect(options.hub.connectionString?.key.reveal() == Self.key)
      #expect(options.builtInHub == nil)
      #expect(!options.shown.documentText.contains(Self.key))
      #expect(options.shown.documentText.contains("SharedAccessKey=[redacted]"))
      #expect(loaded?.outletPlans.map(\.name) == ["Flash"])
    }
  }

  @Test("A connection string may stand in a file of its own, beside the certificates to trust")
  func files() throws {
    let (loaded, problems) = try Self.load(
      "hub: {kind: azure, name: news, connectionString: {secretFile: hub.txt}, caFile: ca.pem}",
      own: ["hub.txt": Self.connection + "\n", "ca.pem": LoopbackCertificate.certificate])
    #expect(problems == [])
    #expect(loaded?.options.hub.caFile == "ca.pem")
  }

  @Test("Without templates there is an outlet for each platform and locale, for its readers only")
  func native() throws {
    let (loaded, problems) = try Self.load(
      """
      publisher: {onUnknown: resend}
      hubs:
        - {kind: azure, name: news, connectionString: "\(Self.connection)", formats: [apple, windows],
           locales: [French, Mandarin], routing: "{category} && brand:echo"}
        - {kind: azure, name: NEWS, connectionString: "\(Self.connection.replacing("contoso", with: "fabrikam"))"}
        - {kind: builtin, name: local}
      """)
    #expect(problems == [])
    let plans = try #require(loaded).outletPlans
    #expect(
      plans.map(\.name) == [
        "news@contoso.servicebus.windows.net/apple/French", "news@contoso.servicebus.windows.net/apple/Mandarin",
        "news@contoso.servicebus.windows.net/windows/French", "news@contoso.servicebus.windows.net/windows/Mandarin",
        "NEWS@fabrikam.servicebus.windows.net", "local",
      ])
    #expect(
      plans.map { $0.composer.locales.map(\.language) } == [
        ["fr"], ["zh"], ["fr"], ["zh"], ["en", "fr", "zh"], ["en", "fr", "zh"],
      ])
    #expect(loaded?.options.builtInHub?.name == "local")
    #expect(loaded?.options.publisher.onUnknown == .resend)
  }

  @Test("Each platform has a template that ships and that its service would take", arguments: AzureFormat.allCases)
  func shipped(format: AzureFormat) throws {
    let share = try Share(environment: [:], executablePath: MemoryConsole.executablePath)
    #expect(throws: Never.self) { try HouseTemplate(format, in: share.path("templates")) }
  }

  @Test(
    "What is wrong is told with its place and what would be right",
    arguments: [
      (
        "hub: {kind: azure}",
        "tidings.yaml:1:6: \"connectionString\" is missing; Azure's portal shows it under the hub's access policies"
      ),
      (
        "hub: {kind: azure, connectionString: \"${HUB}\"}",
        "tidings.yaml:1:6: the hub's \"name\" is missing; write it, or EntityPath=… in the connection string"
      ),
      (
        "hub: {kind: azure, name: a, connectionString: \"${HUB};EntityPath=b\"}",
        "tidings.yaml:1:26: the connection string is for the hub \"b\"; leave the name out, or EntityPath"
      ),
      (
        "hub: {kind: azure, name: a, connectionString: \"Endpoint=http://example.org;SharedAccessKeyName=a;SharedAccessKey=b\"}",
        "tidings.yaml:1:47: Connection string: the endpoint would send keys in clear text; http:// is for this machine "
          + "only, use sb://"
      ),
      (
        "hub: {kind: azure, name: a, connectionString: \"${HUB}\", accessRules: [{name: a, key: b, rights: [Send]}]}",
        "tidings.yaml:1:70: \"accessRules\" belongs to a hub of the kind builtin; remove it, or write kind: builtin"
      ),
      (
        "hub: {connectionString: \"${HUB}\"}",
        "tidings.yaml:1:25: \"connectionString\" belongs to a hub of the kind azure; remove it, or write kind: azure"
      ),
      (
        "hub: {kind: azure, name: a, connectionString: \"${HUB}\", formats: [template, apple]}",
        "tidings.yaml:1:66: who has a template would hear everything twice; write [template], or platforms without it"
      ),
      (
        "hub: {kind: azure, name: a, connectionString: \"${HUB}\", formats: []}",
        "tidings.yaml:1:66: nothing would be sent to the hub; write [template]"
      ),
      (
        "hub: {kind: azure, name: a, connectionString: \"${HUB}\", formats: [apple, aple]}",
        "tidings.yaml:1:74: \"aple\" is not known here; did you mean \"apple\"?"
      ),
      (
        "hub: {kind: azure, name: a, connectionString: \"${HUB}\", locales: [Frensh]}",
        "tidings.yaml:1:67: there is no locale \"Frensh\"; did you mean \"French\"?"
      ),
      (
        "hub: {kind: azure, name: a, connectionString: \"${HUB}\", caFile: tidings.yaml}",
        "tidings.yaml:1:65: tidings.yaml holds no certificate in PEM form; write the path of a PEM file with "
          + "certificates"
      ),
      (
        "hub: {name: x}\nhubs: [{kind: builtin}]",
        "tidings.yaml:1:6: \"hub\" and \"hubs\" are both written; put all hubs into \"hubs\""
      ),
      (
        "hubs: [{kind: builtin}, {kind: builtin, name: other}]",
        "tidings.yaml:1:25: there is one built-in hub only; remove it, or put its formats and locales into the first"
      ),
      (
        "server: {page: true}\nhub: {kind: azure, name: a, connectionString: \"${HUB}\"}",
        "tidings.yaml:1:16: the page needs the built-in hub; write page: false"
      ),
      (
        "publisher: {onUnknown: guess}",
        "tidings.yaml:1:24: \"guess\" is not known here; known are hold, resend"
      ),
    ])
  func problems(text: String, problem: String) throws {
    let (loaded, problems) = try Self.load(text, environment: ["HUB": Self.connection])
    #expect(loaded == nil)
    #expect(problems == [problem])
    #expect(!problems.joined().contains(Self.key))
  }

  @Test("A house template of one's own is used, and what is wrong with it is told with its file")
  func ownTemplates() throws {
    let text = "hub: {kind: azure, name: a, connectionString: \"\(Self.connection)\", formats: [gcm], templates: .}"
    let own = try Self.load(text, own: ["gcm.yaml": #"body: '{"data": {"m": "$(messageParam)"}}'"#])
    #expect(own.problems == [])
    let broken = try Self.load(text, own: ["gcm.yaml": #"body: '{"data": {"m": "$(mesageParam)"}}'"#])
    #expect(broken.problems.count == 1)
    #expect(
      broken.problems[0].hasPrefix("./gcm.yaml:1:1: there is no property \"mesageparam\": known are "),
      "\(broken.problems)")
    let unknown = try Self.load(text, own: ["gcm.yaml": "boddy: x"])
    #expect(unknown.problems.first == "./gcm.yaml:1:1: there is no option \"boddy\" here; did you mean \"body\"?")
    let absent = try Self.load(text)
    #expect(absent.problems.count == 1)
    #expect(absent.problems[0].hasPrefix("tidings.yaml:1:"), "\(absent.problems)")
  }
}
