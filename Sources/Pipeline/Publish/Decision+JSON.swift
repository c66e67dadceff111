public import JSON
internal import News
internal import Time

extension Decision {
  /// The decision as others read it: a JSON object whose moments are RFC 3339 texts and whose scores are probabilities.
  /// What is unknown is left out.
  public var json: JSONValue {
    var object: JSONObject = [
      "articleId": .string(articleID), "version": .number(JSONNumber(Int(version))),
      "action": .string(action.rawValue), "reason": .string(reason), "time": .string(time.rfc3339),
      "headline": .string(headline),
    ]
    object["source"] = source.map { .string($0) }
    object["categories"] = .array(classification.categories.map { .string($0.rawValue) })
    if !classification.scores.isEmpty {
      object["scores"] = .object(
        JSONObject(
          classification.scores.compactMap { score in
            JSONNumber(score.probability).map { (key: score.category.rawValue, value: .number($0)) }
          }))
    }
    object["evidence"] = .array(
      classification.evidence.map { ["origin": .string($0.origin), "detail": .string($0.detail)] })
    object["storyId"] = storyID.map { .string($0) }
    object["notificationId"] = notificationID.map { .string($0) }
    return .object(object)
  }
}
