// The executable: all it does is hand its arguments to App.

import App

@main
enum Tidings {
  static func main() async { await Program.main(Array(CommandLine.arguments.dropFirst())) }
}
