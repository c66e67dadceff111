import Curl
import HTML

/// Makes a stranger's HTML safe to show: what is not known to be harmless goes, and every link becomes absolute.
///
/// The markup is understood first, by HTML5's rules, and written anew from the tree: so there is no malformed markup
/// that a browser reads otherwise than this does.
enum Sanitiser {
  /// Safe HTML of a body. Where the body is no honest one (`HTMLError`), its words alone.
  static func html(from content: FeedContent) -> String {
    guard content.markup == .html else { return paragraph(String(decoding: content.bytes, as: UTF8.self)) }
    do {
      var writer = SafeWriter(base: content.base)
      try HTMLFragment(content.bytes).walk(&writer)
      return writer.html
    } catch {
      return paragraph(content.plainText())
    }
  }

  private static func paragraph(_ text: String) -> String {
    var html = "<p>"
    SafeWriter.append(text, to: &html)
    return html + "</p>"
  }

  /// Elements that stay, with the attributes that stay with them beside the common ones.
  static let elements: [String: Set<String>] = [
    "a": ["href"], "abbr": [], "article": [], "aside": [], "audio": ["src", "controls"], "b": [], "bdi": [], "bdo": [],
    "blockquote": ["cite"], "br": [], "caption": [], "cite": [], "code": [], "col": ["span"], "colgroup": ["span"],
    "dd": [], "del": ["cite", "datetime"], "details": ["open"], "dfn": [], "div": [], "dl": [], "dt": [], "em": [],
    "figcaption": [], "figure": [], "footer": [], "h1": [], "h2": [], "h3": [], "h4": [], "h5": [], "h6": [],
    "header": [], "hr": [], "i": [], "img": ["src", "alt", "width", "height"], "ins": ["cite", "datetime"], "kbd": [],
    "li": ["value"], "main": [], "mark": [], "nav": [], "ol": ["start", "reversed", "type"], "p": [], "picture": [],
    "pre": [], "q": ["cite"], "rp": [], "rt": [], "ruby": [], "s": [], "samp": [], "section": [], "small": [],
    "source": ["src", "type"], "span": [], "strike": [], "strong": [], "sub": [], "summary": [], "sup": [],
    "table": [], "tbody": [], "td": ["colspan", "rowspan"], "tfoot": [], "th": ["colspan", "rowspan", "scope"],
    "thead": [], "time": ["datetime"], "tr": [], "tt": [], "u": [], "ul": [], "var": [],
    "video": ["src", "controls", "poster", "width", "height"], "wbr": [],
  ]

  /// Attributes that every element may keep.
  static let commonAttributes: Set<String> = ["title", "lang", "dir"]

  /// Attributes that are links.
  static let links: Set<String> = ["href", "src", "cite", "poster"]

  /// Elements that go with all that is in them; of every other unknown element only the tags go.
  static let removed: Set<String> = [
    "script", "style", "template", "iframe", "object", "embed", "applet", "frame", "frameset", "noframes", "head",
    "title", "select", "textarea", "svg", "math", "xmp", "plaintext", "noembed", "audio-player",
  ]

  /// Elements without content or end tag.
  static let void: Set<String> = ["br", "hr", "img", "col", "source", "wbr"]
}

/// Writes what is safe of the tree it is led through.
private struct SafeWriter: HTMLVisitor {
  private(set) var html = ""
  /// The base for links, and for the elements that bring one of their own (`xml:base`, in XHTML) what it was before.
  private var base: String?
  private var outerBases: [(depth: Int, base: String?)] = []
  private var depth = 0
  /// Whether a `<pre>` has just begun.
  private var isBehindPre = false

  init(base: String?) { self.base = base }

  mutating func start(_ element: borrowing HTMLElement) -> Bool {
    let name = element.name
    guard element.isHTML, !Sanitiser.removed.contains(name) else { return false }
    depth += 1
    var attributes: [(name: String, value: String)] = []
    element.forEachAttribute { attributes.append(($0, $1)) }
    if let own = attributes.first(where: { $0.name == "xml:base" })?.value {
      outerBases.append((depth, base))
      base = LinkDraft.base(own, under: base) ?? base
    }
    guard let allowed = Sanitiser.elements[name] else { return true }
    html += "<" + name
    for (attribute, value) in attributes
    where allowed.contains(attribute) || Sanitiser.commonAttributes.contains(attribute) {
      guard let value = Sanitiser.links.contains(attribute) ? link(value, isText: attribute == "href") : value else {
        continue
      }
      html += " \(attribute)=\""
      Self.append(value, to: &html)
      html += "\""
    }
    html += ">"
    isBehindPre = name == "pre"
    return true
  }

  mutating func end(_ element: borrowing HTMLElement) {
    let name = element.name
    if Sanitiser.elements[name] != nil, !Sanitiser.void.contains(name) { html += "</\(name)>" }
    if let outer = outerBases.last, outer.depth == depth {
      base = outer.base
      outerBases.removeLast()
    }
    depth -= 1
  }

  mutating func text(_ text: String) {
    // A line break right behind <pre> would be taken for the source's layout and lost.
    if text.utf8.first == 0x0A, isBehindPre { html += "\n" }
    isBehindPre = false
    Self.append(text, to: &html)
  }

  /// The absolute link, or nil if its scheme may do harm or it cannot be made absolute.
  private func link(_ value: String, isText: Bool) -> String? {
    guard let value = LinkDraft.bounded(value), let link = URLReference.resolve(value, against: base) else {
      return nil
    }
    let scheme = link.prefix { $0 != ":" }
    return scheme == "https" || scheme == "http" || (isText && (scheme == "mailto" || scheme == "tel")) ? link : nil
  }

  static func append(_ text: String, to html: inout String) {
    guard text.utf8.contains(where: { $0 == 0x26 || $0 == 0x3C || $0 == 0x3E || $0 == 0x22 }) else {
      html += text
      return
    }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "\"": html += "&quot;"
      default: html.unicodeScalars.append(scalar)
      }
    }
  }
}
