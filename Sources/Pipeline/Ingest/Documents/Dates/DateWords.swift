/// The words in dates: months, weekdays and zones.
enum DateWords {
  /// What a number is, in the scripts that say so.
  enum Unit { case year, month, day, hour, minute, second }

  /// The month, 1…12, that a lower-case word begins to name. Latin names need three letters at least.
  static func month(_ word: String) -> Int? {
    months[word] ?? beginnings[word] ?? nil
  }

  /// Every beginning of three letters or more that only one month has: `sept`, `janv`, `octob`; nil for those that
  /// several have.
  private static let beginnings: [String: Int?] = {
    var table: [String: Int?] = [:]
    for (name, month) in months {
      for length in 3..<max(3, name.count) {
        let beginning = String(name.prefix(length))
        table[beginning] = .some((table[beginning] ?? month) == month ? month : nil)
      }
    }
    return table
  }()

  /// True for PM, false for AM, nil for any other word.
  static func afternoon(_ word: String) -> Bool? {
    switch word {
    case "pm", "p", "下午", "오후", "午後", "мм": true
    case "am", "上午", "오전", "午前", "πμ": false
    default: nil
    }
  }

  /// East of Greenwich, in minutes; nil for a word that is no zone.
  static func offsetMinutes(_ word: String) -> Int? {
    if let offset = zones[word] { return offset }
    // RFC 822, section 5.1: A is one hour west, J is left out, M twelve west; N is one east, Y twelve.
    guard word.utf8.count == 1, let letter = word.utf8.first, letter.isASCIILetter, word != "j" else { return nil }
    let position = Int(letter) - 0x60
    switch position {
    case ..<10: return -60 * position
    case ..<14: return -60 * (position - 1)
    case ..<26: return 60 * (position - 13)
    default: return 0
    }
  }

  /// Whether a word that is no month may be passed over as a weekday's name.
  static func isWeekday(_ word: String) -> Bool { weekdays.contains { word.hasPrefix($0) } }

  /// The unit behind a number: three bytes of UTF-8.
  static func unit(_ rest: ArraySlice<UInt8>) -> Unit? {
    guard let first = rest.first, first >= 0xE0, rest.count >= 3 else { return nil }
    switch String(decoding: rest.prefix(3), as: UTF8.self) {
    case "年", "년": return .year
    case "月", "월": return .month
    case "日", "일", "号": return .day
    case "时", "時", "시", "点": return .hour
    case "分", "분": return .minute
    case "秒", "초": return .second
    default: return nil
    }
  }

  /// English first; then German, French, Spanish, Italian, Portuguese, Dutch, Polish, Czech, Hungarian, Swedish,
  /// Finnish, Turkish, Romanian, Russian, Ukrainian and Greek: where a language's words differ from the ones before.
  private static let months: [String: Int] = {
    let names = [
      "january january januar janvier enero gennaio janeiro januari stycznia leden ledna január tammikuuta ocak ianuarie"
        + " января янв січня ιανουαρίου ιαν jänner sty led",
      "february februar février fevrier febrero febbraio fevereiro februari lutego únor února február helmikuuta şubat"
        + " februarie февраля фев лютого φεβρουαρίου φεβ lut úno",
      "march märz maerz mars marzo março marco maart marca březen března március maaliskuuta mart martie марта мар"
        + " березня μαρτίου μαρ mrz már bře",
      "april avril abril aprile kwietnia duben dubna április huhtikuuta nisan aprilie апреля апр квітня απριλίου απρ"
        + " kwi dub ápr abr avr",
      "may mai mayo maggio maio mei maja květen května május toukokuuta mayıs мая май травня μαΐου μαϊ μάι maj kvě máj",
      "june juni juin junio giugno junho czerwca červen června június kesäkuuta haziran iunie июня июн червня ιουνίου"
        + " ιουν ιούν cze čvn jún giu haz",
      "july juli juillet julio luglio julho lipca červenec července július heinäkuuta temmuz iulie июля июл липня"
        + " ιουλίου ιουλ ιούλ lip čvc júl lug tem",
      "august août aout agosto augustus sierpnia srpen srpna augusztus elokuuta ağustos августа авг серпня αυγούστου"
        + " αυγ αύγ augusti sie srp ago ağu",
      "september septembre septiembre settembre setembro września září szeptember syyskuuta eylül septembrie сентября"
        + " сен вересня σεπτεμβρίου σεπ wrz zář szept set eyl",
      "october oktober octobre octubre ottobre outubro października říjen října október lokakuuta ekim octombrie"
        + " октября окт жовтня οκτωβρίου οκτ paź říj ott out eki",
      "november novembre noviembre novembro listopada listopad listopadu marraskuuta kasım noiembrie ноября ноя"
        + " листопада νοεμβρίου νοε νοέ lis kas",
      "december dezember décembre decembre diciembre dicembre dezembro grudnia prosinec prosince joulukuuta aralık"
        + " decembrie декабря дек грудня δεκεμβρίου δεκ gru pro dic dez ara",
    ]
    var table: [String: Int] = [:]
    for (index, words) in names.enumerated() {
      for word in words.split(separator: " ") { table[String(word)] = index + 1 }
    }
    for (index, word) in "jan feb mar apr may jun jul aug sep oct nov dec".split(separator: " ").enumerated() {
      table[String(word)] = index + 1
    }
    return table
  }()

  /// How weekdays begin in the languages of `months`.
  private static let weekdays = [
    "mon", "tue", "wed", "thu", "fri", "sat", "sun", "mo", "di", "mi", "do", "fr", "sa", "so", "lun", "mar", "mer",
    "jeu",
    "ven", "sam", "dim", "mié", "jue", "vie", "sáb", "dom", "gio", "seg", "ter", "qua", "qui", "sex", "пн", "вт", "ср",
    "чт", "пт", "сб", "вс", "δευ", "τρι", "τετ", "πεμ", "παρ", "σαβ", "κυρ",
  ]

  /// RFC 822's, then the abbreviations that feeds print. Where several countries share one, the one with most feeds.
  private static let zones: [String: Int] = [
    "ut": 0, "utc": 0, "gmt": 0, "z": 0, "wet": 0, "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420,
    "mdt": -360, "pst": -480, "pdt": -420, "akst": -540, "akdt": -480, "hst": -600, "ast": -240, "adt": -180,
    "nst": -210,
    "ndt": -150, "brt": -180, "brst": -120, "art": -180, "clt": -240, "clst": -180, "bst": 60, "west": 60, "cet": 60,
    "met": 60, "mez": 60, "cest": 120, "mest": 120, "mesz": 120, "eet": 120, "sast": 120, "cat": 120, "wat": 60,
    "eest": 180, "msk": 180, "eat": 180, "trt": 180, "msd": 240, "gst": 240, "pkt": 300, "ist": 330, "npt": 345,
    "ict": 420, "wib": 420, "hkt": 480, "sgt": 480, "pht": 480, "awst": 480, "myt": 480, "jst": 540, "kst": 540,
    "acst": 570, "acdt": 630, "aest": 600, "aedt": 660, "nzst": 720, "nzdt": 780,
  ]
}
