// The executable: all it does is hand its arguments to App.

@main
enum Tidings {
  static func main() async {}
}
