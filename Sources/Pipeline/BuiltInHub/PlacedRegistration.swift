public import Push

/// A registration of an installation, as a store keeps it.
public struct PlacedRegistration: Hashable, Sendable {
  /// The registration.
  public let registration: Registration
  /// The digest of its handle.
  public let handle: HandleDigest
  /// Its template; nil for a native one.
  public let template: RegisteredTemplate?
  /// The template's place among those of its address, from 0.
  public let ordinal: Int

  /// What finds it again among the registrations of its installation after the installation has changed.
  public struct Key: Hashable, Sendable {
    /// The digest of its handle.
    public let handle: HandleDigest
    /// Its template's name; nil for a native one.
    public let templateName: String?

    /// The key of the registration with this template for this handle.
    public init(handle: HandleDigest, templateName: String?) {
      self.handle = handle
      self.templateName = templateName
    }
  }

  /// What finds it again.
  public var key: Key { Key(handle: handle, templateName: template?.name) }
}

extension Installation {
  /// What the installation amounts to, as a store keeps it.
  public var placedRegistrations: [PlacedRegistration] {
    var counts: [HandleDigest: Int] = [:]
    return registrations.map { registration in
      let handle = HandleDigest(of: registration.pushChannel.handle)
      let template = RegisteredTemplate(of: registration)
      let ordinal = counts[handle, default: 0]
      if template != nil { counts[handle] = ordinal + 1 }
      return PlacedRegistration(registration: registration, handle: handle, template: template, ordinal: ordinal)
    }
  }
}
