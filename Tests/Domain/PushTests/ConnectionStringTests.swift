import Push
import Telemetry
import Testing

@Suite("Connection strings")
struct ConnectionStringTests {
  @Test(
    "Every spelling that Azure's SDKs take names the same place",
    arguments: [
      "Endpoint=sb://News.servicebus.windows.net/;SharedAccessKeyName=Full;SharedAccessKey=a2V5=;EntityPath=hub",
      "endpoint=https://news.servicebus.windows.net;SHAREDACCESSKEYNAME=Full;sharedaccesskey=a2V5=;entitypath=hub;",
      " SharedAccessKey=a2V5= ; EntityPath=hub; TransportType=Amqp;SharedAccessKeyName=Full;Endpoint=sb://news.servicebus.windows.net//\n",
    ])
  func spellings(text: String) throws {
    let connection = try ConnectionString(parsing: text)
    #expect(connection.endpoint == "https://news.servicebus.windows.net")
    #expect(connection.ruleName == "Full")
    #expect(connection.key.reveal() == "a2V5=")
    #expect(connection.hub == "hub")
  }

  @Test(
    "The endpoint's scheme, host and port are kept",
    arguments: [
      ("sb://127.0.0.1:18444/", "https://127.0.0.1:18444"), ("http://127.0.0.1:18080/", "http://127.0.0.1:18080"),
      ("http://localhost:8080", "http://localhost:8080"), ("http://[::1]:8080/", "http://[::1]:8080"),
      ("sb://[2001:db8::1]/", "https://[2001:db8::1]"), ("http://127.9.9.9", "http://127.9.9.9"),
    ])
  func endpoints(endpoint: String, url: String) throws {
    let connection = try ConnectionString(parsing: "Endpoint=\(endpoint);SharedAccessKeyName=n;SharedAccessKey=k")
    #expect(connection.endpoint == url)
    #expect(connection.hub == nil)
  }

  @Test("A semicolon that no known part follows belongs to the value before it")
  func semicolons() throws {
    let connection = try ConnectionString(parsing: "Endpoint=sb://h/;SharedAccessKeyName=a;b=c;SharedAccessKey=k;=;y;")
    #expect(connection.ruleName == "a;b=c")
    #expect(connection.key.reveal() == "k;=;y")
  }

  @Test(
    "What is missing or wrong is named, and the key never is",
    arguments: [
      ("", "Endpoint is missing"), ("SharedAccessKeyName=n;SharedAccessKey=SECRET", "Endpoint is missing"),
      ("Endpoint=sb://h/;SharedAccessKey=SECRET", "SharedAccessKeyName is missing"),
      ("Endpoint=sb://h/;SharedAccessKeyName=n", "SharedAccessKey is missing"),
      ("Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=", "SharedAccessKey is missing"),
      ("Endpoint=sb://h/;Endpoint=sb://h/;SharedAccessKey=SECRET", "Endpoint is there twice"),
      ("Endpoint=h;SharedAccessKeyName=n;SharedAccessKey=SECRET", "none of sb://"),
      ("Endpoint=amqps://h;SharedAccessKeyName=n;SharedAccessKey=SECRET", "none of sb://"),
      ("Endpoint=http://h/;SharedAccessKeyName=n;SharedAccessKey=SECRET", "clear text"),
      ("Endpoint=http://127.0.0.1.evil.example/;SharedAccessKeyName=n;SharedAccessKey=SECRET", "clear text"),
      ("Endpoint=sb://h/hub;SharedAccessKeyName=n;SharedAccessKey=SECRET", "has a path"),
      ("Endpoint=sb://h:0/;SharedAccessKeyName=n;SharedAccessKey=SECRET", "a port that is none"),
      ("Endpoint=sb://h:70000/;SharedAccessKeyName=n;SharedAccessKey=SECRET", "a port that is none"),
      ("Endpoint=sb:///;SharedAccessKeyName=n;SharedAccessKey=SECRET", "names no host"),
      ("Endpoint=sb://h/,SharedAccessKey=SECRET;SharedAccessKeyName=n;SharedAccessKey=SECRET", "has a path"),
      ("key=SECRET;Endpoint=sb://h/", "does not begin with a part"),
    ])
  func errors(text: String, message: String) {
    let error = #expect(throws: ConnectionStringError.self) { try ConnectionString(parsing: text) }
    #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    #expect(error?.description.contains("SECRET") == false)
  }

  @Test("Printed whole, it hides its key")
  func printing() throws {
    let connection = try ConnectionString(parsing: "Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=SECRET")
    #expect(!"\(connection)".contains("SECRET"))
    #expect(!String(reflecting: connection).contains("SECRET"))
  }
}
