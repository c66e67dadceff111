/// HTML's elements, as far as text cares.
enum HTMLNames {
  /// Elements that end a line or a cell: words on both sides are two words.
  static let breaking: Set<String> = [
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "dialog", "dir",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "head", "header", "hgroup", "hr", "html", "iframe", "legend", "li", "main", "menu", "nav", "object", "ol",
    "optgroup",
    "option", "p", "pre", "script", "section", "select", "style", "summary", "table", "tbody", "td", "textarea",
    "tfoot",
    "th", "thead", "title", "tr", "ul", "video", "audio",
  ]

  /// Elements whose content nobody sees.
  static let unseen: Set<String> = ["script", "style", "template", "head"]

  /// Every element that HTML knows or knew.
  static let known: Set<String> = breaking.union(unseen).union([
    "a", "abbr", "acronym", "applet", "area", "b", "base", "basefont", "bdi", "bdo", "big", "blink", "button", "canvas",
    "cite", "code", "col", "colgroup", "data", "datalist", "del", "dfn", "em", "embed", "font", "frame", "frameset",
    "i",
    "image", "img", "input", "ins", "kbd", "keygen", "label", "link", "map", "mark", "marquee", "math", "meta", "meter",
    "nobr", "noembed", "noframes", "noscript", "output", "param", "picture", "progress", "q", "rb", "rp", "rt", "rtc",
    "ruby", "s", "samp", "slot", "small", "source", "span", "strike", "strong", "sub", "sup", "svg", "time", "track",
    "tt", "u", "var", "wbr", "xmp",
    // MathML's, which have no attributes mostly.
    "mfrac", "mi", "mn", "mo", "mover", "mrow", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext",
    "mtr", "munder",
  ])
}
