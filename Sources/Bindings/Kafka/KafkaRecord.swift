public import Time

/// A named value that travels beside a record.
public struct KafkaHeader: Sendable, Hashable {
  /// Its name; several may share one.
  public let name: String
  /// Its value; nil where it has none.
  public let value: [UInt8]?

  /// A header.
  public init(_ name: String, _ value: [UInt8]?) {
    self.name = name
    self.value = value
  }

  /// A header whose value is text.
  public init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }
}

/// A record to be written to a topic.
public struct KafkaRecord: Sendable, Hashable {
  /// The topic.
  public var topic: String
  /// What says which records belong together: they stay in order, in one partition. Nil spreads them.
  public var key: [UInt8]?
  /// What it says; nil is a tombstone, by which a compacted topic forgets the key.
  public var value: [UInt8]?
  /// What travels beside it.
  public var headers: [KafkaHeader]

  /// A record to be written to a topic.
  public init(topic: String, key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader] = []) {
    self.topic = topic
    self.key = key
    self.value = value
    self.headers = headers
  }

}

/// Where a record stands.
public struct KafkaPlace: Sendable, Hashable, CustomStringConvertible {
  /// The topic.
  public let topic: String
  /// The topic's partition, from 0.
  public let partition: Int32
  /// The place in the partition, from 0; offsets grow, and may leave out numbers.
  public let offset: Int64

  /// Where a record stands.
  public init(topic: String, partition: Int32, offset: Int64) {
    self.topic = topic
    self.partition = partition
    self.offset = offset
  }

  /// `articles/3@42`: topic, partition, offset.
  public var description: String { "\(topic)/\(partition)@\(offset)" }
}

/// A record that was read from a topic.
public struct KafkaMessage: Sendable, Hashable {
  /// What a consumer has to be told when the record's effect is committed.
  public struct Token: Sendable, Hashable, CustomStringConvertible {
    /// Where the record stands.
    public let place: KafkaPlace
    /// Which time its partition was assigned to the consumer: after a rebalance the record may be another's.
    let assignment: Int

    /// The place, such as `articles/3@42`.
    public var description: String { place.description }
  }

  /// What the consumer is to be told when the record's effect is committed.
  public let token: Token
  /// When it was written, by the broker's clock or its producer's as the topic says; nil where nobody said.
  public let timestamp: Timestamp?
  /// What says which records belong together.
  public let key: [UInt8]?
  /// What it says; nil for a tombstone.
  public let value: [UInt8]?
  /// What travels beside it, in order.
  public let headers: [KafkaHeader]

  /// Where it stands.
  public var place: KafkaPlace { token.place }

  init(
    token: Token, timestamp: Timestamp?, key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader]
  ) {
    self.token = token
    self.timestamp = timestamp
    self.key = key
    self.value = value
    self.headers = headers
  }

  /// A record that no consumer has read, to try out what reads records.
  public init(
    place: KafkaPlace, timestamp: Timestamp? = nil, key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader] = []
  ) {
    self.init(
      token: Token(place: place, assignment: 0), timestamp: timestamp, key: key, value: value, headers: headers)
  }

  /// How much memory it takes, roughly.
  var bytes: Int { Self.overheadBytes + (key?.count ?? 0) + (value?.count ?? 0) }

  /// The arrays' and this value's own share.
  private static let overheadBytes = 200
}
