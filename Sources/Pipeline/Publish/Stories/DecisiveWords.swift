/// Words that, like figures, turn one headline into another story's: days, months, numbers, denials, in the languages of
/// the feeds that are read most.
enum DecisiveWords {
  /// Whether a word counts as a figure.
  static func contain(_ word: UInt32) -> Bool { hashes.contains(word) }

  private static let hashes = Set(
    words.split(whereSeparator: \.isWhitespace).flatMap { HeadlineWords(String($0), wordsMax: 1).all.map(\.hash) })

  private static let words = """
    monday tuesday wednesday thursday friday saturday sunday today tonight tomorrow yesterday
    january february march april june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    first second third fourth fifth sixth seventh eighth ninth tenth
    one two three four five six seven eight nine ten eleven twelve
    morning afternoon evening weekend not never deny denies denied
    lundi mardi mercredi jeudi vendredi samedi dimanche aujourdhui demain hier soir matin pas nie
    janvier février mars avril mai juin juillet août septembre octobre novembre décembre
    premier première deuxième troisième quatrième cinquième deux trois quatre cinq sept huit neuf dix
    montag dienstag mittwoch donnerstag freitag samstag sonntag heute morgen gestern nicht kein keine
    januar februar märz juni juli oktober dezember zwei drei vier fünf sechs sieben acht neun zehn
    lunedì martedì mercoledì giovedì venerdì sabato domenica oggi domani ieri non nega
    gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre dicembre
    due tre quattro cinque sette otto nove dieci
    lunes martes miércoles jueves viernes sábado domingo hoy mañana ayer niega
    enero febrero abril mayo junio julio septiembre octubre noviembre diciembre dos cuatro cinco siete ocho nueve diez
    maandag dinsdag woensdag donderdag vrijdag zaterdag zondag vandaag morgen gisteren niet geen
    januari februari maart juni juli augustus oktober twee drie vier vijf zes zeven negen tien
    """
}
