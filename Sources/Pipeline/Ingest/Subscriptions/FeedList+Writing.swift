extension FeedList {
  /// The list as an OPML 2.0 document: every feed in the outlines of its first folder, further folders as its
  /// categories. Folders stand in the order in which they first occur.
  public var opml: String {
    var root = Folder()
    for entry in entries { root.insert(entry, in: entry.folders.first ?? []) }
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <opml version="2.0">
        <head><title>Feeds</title></head>
        <body>

      """
    root.write(to: &text, indent: "    ")
    return text + "  </body>\n</opml>\n"
  }
}

/// The feeds and folders of an outline.
private struct Folder {
  private var entries: [FeedList.Entry] = []
  private var names: [String] = []
  private var folders: [String: Folder] = [:]

  mutating func insert(_ entry: FeedList.Entry, in way: some Collection<String>) {
    guard let name = way.first else {
      entries.append(entry)
      return
    }
    if folders[name] == nil { names.append(name) }
    folders[name, default: Folder()].insert(entry, in: way.dropFirst())
  }

  func write(to text: inout String, indent: String) {
    for entry in entries { text += "\(indent)<outline\(entry.attributes)/>\n" }
    for name in names {
      text += "\(indent)<outline text=\"\(name.escapedForXML)\">\n"
      folders[name]?.write(to: &text, indent: indent + "  ")
      text += "\(indent)</outline>\n"
    }
  }
}

extension FeedList.Entry {
  fileprivate var attributes: String {
    let categories = folders.dropFirst().map { "/" + $0.joined(separator: "/") }.joined(separator: ",")
    let attributes: [(String, String?)] = [
      ("type", "rss"), ("text", title ?? url), ("xmlUrl", url), ("htmlUrl", page), ("language", language),
      ("category", categories.isEmpty ? nil : categories),
    ]
    return attributes.compactMap { name, value in value.map { " \(name)=\"\($0.escapedForXML)\"" } }.joined()
  }
}

extension String {
  /// As the value of an attribute; what XML 1.0 cannot carry is left out.
  fileprivate var escapedForXML: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      // A parser would make blanks of them.
      case "\t", "\n", "\r": text += "&#\(scalar.value);"
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": continue
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
