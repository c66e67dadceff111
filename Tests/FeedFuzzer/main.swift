// Reads broken documents until the time is over, or until one crashes, leaks, takes more than a second or grows without
// bound. For a long run, with AddressSanitizer and the optimiser:
//
//     swift build -c release --sanitize address --product FeedFuzzer --scratch-path .build/asan
//     .build/asan/release/FeedFuzzer SECONDS SEED FOLDER-OR-FILE…
//
// The document that is being read stands in the file `fuzzed` in the working directory. A seed, a number and the same
// folders make a document again: `FeedFuzzer @NUMBER SEED FOLDER-OR-FILE…`.
internal import Files

let arguments = Array(CommandLine.arguments.dropFirst())
let number = arguments.first.flatMap { $0.hasPrefix("@") ? UInt64($0.dropFirst()) : nil }
let seconds = arguments.first.flatMap { Int($0) }
guard arguments.count >= 3, let seed = UInt64(arguments[1]), number != nil || seconds != nil else {
  print("usage: FeedFuzzer SECONDS|@NUMBER SEED FOLDER-OR-FILE…")
  ProcessEnvironment.exit(2)
}
let campaign = Campaign(over: arguments[2...], seed: seed)
guard !campaign.isEmpty else {
  print("no documents in \(arguments[2...].joined(separator: ", "))")
  ProcessEnvironment.exit(2)
}
let isSound = number.map(campaign.attempt) ?? campaign.run(for: .seconds(seconds ?? 0))
ProcessEnvironment.exit(isSound ? 0 : 1)
