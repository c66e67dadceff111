// swift-tools-version: 6.2
import PackageDescription

// Reads as the dependency diagram, bottom to top. Tidings uses no outside Swift package: C libraries come from
// Debian, each held by one module of Bindings.

// Every target is compiled alike: warnings stop the build, imports are internal unless they say otherwise.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]
// Outside Bindings a raw pointer does not compile unless it is marked `unsafe`.
let safe: [SwiftSetting] = strict + [.strictMemorySafety()]

func system(_ name: String, pkgConfig: String, apt: String) -> Target {
  .systemLibrary(name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}
func binding(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: "Sources/Bindings/\(name)", swiftSettings: strict)
}
// Double's rounding calls libm, which only Foundation or Glibc would link by itself.
func library(_ group: String, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(group)/\(name)", swiftSettings: safe,
    linkerSettings: [.linkedLibrary("m")])
}
func tests(_ group: String, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.init(stringLiteral: name)] + dependencies,
    path: "Tests/\(group)/\(name)Tests", swiftSettings: strict)
}

let package = Package(
  name: "tidings",
  targets: [
    system("CLibXML2", pkgConfig: "libxml-2.0", apt: "libxml2-dev"),
    system("CGumbo", pkgConfig: "gumbo", apt: "libgumbo-dev"),
    system("CICU", pkgConfig: "icu-uc icu-i18n", apt: "libicu-dev"),
    system("CUchardet", pkgConfig: "uchardet", apt: "libuchardet-dev"),
    system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
    system("CBrotli", pkgConfig: "libbrotlidec libbrotlienc", apt: "libbrotli-dev"),
    system("CLibcurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    system("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
    system("CRdKafka", pkgConfig: "rdkafka", apt: "librdkafka-dev"),
    system("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev"),
    system("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),

    .target(name: "CAllocator", path: "Sources/CLibraries/CAllocator"),

    library("Base", "Time"),
    library("Base", "JSON"),
    library("Base", "Telemetry", ["Time", "JSON"]),
    library("Base", "Runtime", ["Telemetry", "Time"]),

    binding("XML", ["CLibXML2"]),
    binding("HTML", ["CGumbo"]),
    binding("ICU", ["CICU"]),
    binding("Uchardet", ["CUchardet"]),
    binding("Zlib", ["CZlib"]),
    binding("Brotli", ["CBrotli"]),
    binding("Curl", ["CLibcurl", "Brotli", "Zlib"]),
    binding("SQLite", ["CSQLite"]),
    binding("MicroHTTP", ["CMicroHTTPD"]),
    binding("OpenSSL", ["COpenSSL"]),
    binding("Kafka", ["CRdKafka", "Runtime", "Telemetry", "Time"]),
    binding("YAML", ["CYAML"]),
    binding("Files", []),

    library("Domain", "News", ["Time", "JSON"]),
    library("Domain", "Push", ["Time", "JSON", "OpenSSL", "Telemetry"]),

    library("Learning", "Topics", ["News", "ICU", "Files"]),
    library("Learning", "Training", ["Topics", "News", "Files", "Zlib", "JSON"]),

    library(
      "Pipeline", "Ingest",
      ["News", "XML", "HTML", "ICU", "Uchardet", "Curl", "Kafka", "OpenSSL", "JSON", "Time", "Runtime", "Telemetry"]),
    library("Pipeline", "Classify", ["News", "ICU", "Topics", "Telemetry"]),
    library(
      "Pipeline", "Publish", ["News", "Push", "Curl", "OpenSSL", "JSON", "Time", "Runtime", "Telemetry"]),
    library("Pipeline", "BuiltInHub", ["Push", "OpenSSL", "JSON", "Time", "Runtime", "Telemetry"]),

    library(
      "Stores", "SQLiteStore",
      ["SQLite", "News", "Push", "Ingest", "Publish", "BuiltInHub", "JSON", "Time", "Telemetry"]),

    library(
      "Service", "API",
      ["MicroHTTP", "OpenSSL", "Ingest", "BuiltInHub", "Push", "JSON", "Time", "Runtime", "Telemetry"]),
    library(
      "Service", "App",
      [
        "API", "Ingest", "Classify", "Topics", "Training", "Publish", "BuiltInHub", "SQLiteStore", "News", "Push",
        "YAML", "Files",
        "Curl", "Kafka", "MicroHTTP", "OpenSSL", "Zlib", "JSON", "Time", "Runtime", "Telemetry",
      ]),
    // Its allocator takes the place of the C library's: an article makes hundreds of small values, which pass from
    // thread to thread.
    .executableTarget(
      name: "tidings", dependencies: ["App", "CAllocator"], path: "Sources/tidings", swiftSettings: safe,
      linkerSettings: [.linkedLibrary("jemalloc")]),

    .target(
      name: "TestKit",
      dependencies: [
        "News", "Push", "Ingest", "Publish", "BuiltInHub", "MicroHTTP", "Files", "JSON", "Time", "Runtime",
        "Telemetry",
      ],
      path: "Tests/TestKit", swiftSettings: strict),
    .executableTarget(
      name: "FeedFuzzer", dependencies: ["TestKit", "Ingest", "Files"], path: "Tests/FeedFuzzer", swiftSettings: strict),
    tests("Base", "Time", ["TestKit"]),
    tests("Base", "JSON"),
    tests("Base", "Telemetry", ["TestKit", "Time", "JSON"]),
    tests("Base", "Runtime", ["TestKit", "Time", "Telemetry"]),
    tests("Bindings", "XML", ["TestKit"]),
    tests("Bindings", "HTML"),
    tests("Bindings", "ICU"),
    tests("Bindings", "Uchardet"),
    tests("Bindings", "Zlib"),
    tests("Bindings", "Brotli"),
    tests("Bindings", "Curl", ["Brotli", "Zlib", "Files", "TestKit"]),
    tests("Bindings", "SQLite", ["Files"]),
    tests("Bindings", "MicroHTTP", ["TestKit", "Curl", "Files"]),
    tests("Bindings", "OpenSSL"),
    tests("Bindings", "Kafka", ["TestKit", "Telemetry", "Time"]),
    tests("Bindings", "YAML"),
    tests("Bindings", "Files"),
    tests("Domain", "News", ["TestKit", "Files", "JSON", "Time"]),
    tests("Domain", "Push", ["TestKit", "JSON", "Time", "Telemetry"]),
    tests(
      "Pipeline", "Ingest",
      [
        "TestKit", "FeedFuzzer", "Files", "HTML", "News", "Curl", "Kafka", "Zlib", "MicroHTTP", "OpenSSL", "JSON",
        "Time",
        "Runtime", "Telemetry",
      ]),
    tests("Learning", "Topics", ["News", "Files"]),
    tests("Learning", "Training", ["TestKit", "Topics", "News", "Files", "JSON"]),
    tests("Pipeline", "Classify", ["News", "Topics", "Files", "Telemetry"]),
    tests(
      "Pipeline", "Publish",
      ["TestKit", "News", "Push", "Curl", "MicroHTTP", "Files", "JSON", "Time", "Runtime", "Telemetry"]),
    tests("Pipeline", "BuiltInHub", ["TestKit", "Push", "JSON", "Time", "Runtime", "Telemetry"]),
    tests(
      "Stores", "SQLiteStore",
      ["TestKit", "Files", "SQLite", "News", "Push", "Ingest", "Publish", "BuiltInHub", "JSON", "Time", "Telemetry"]),
    tests(
      "Service", "API",
      [
        "TestKit", "MicroHTTP", "Files", "Ingest", "Curl", "News", "BuiltInHub", "Push", "OpenSSL", "JSON", "Time",
        "Runtime", "Telemetry",
      ]),
    tests(
      "Service", "App",
      [
        "TestKit", "API", "Ingest", "Classify", "Publish", "BuiltInHub", "SQLiteStore", "News", "Push", "YAML",
        "Files", "Kafka", "Zlib", "JSON", "Time", "Runtime", "Telemetry",
      ]),
    .testTarget(
      name: "EndToEnd",
      dependencies: [
        "tidings", "TestKit", "MicroHTTP", "Curl", "Files", "Kafka", "News", "OpenSSL", "Push", "JSON", "SQLite",
        "Telemetry", "Time",
      ],
      // Compiled by the test that loads it into the program.
      path: "Tests/EndToEnd", exclude: ["Soak/stepping_clock.c"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
