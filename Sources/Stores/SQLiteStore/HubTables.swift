import SQLite

extension Migration {
  /// What BuiltInHub remembers. Moments are milliseconds since 1970, UTC.
  ///
  /// Numbers that a fan-out in flight or a reader may still hold are never used again: AUTOINCREMENT. References are
  /// declared where an index answers them and rows are few; a fan-out adds millions, and asks itself whether the
  /// registration still stands.
  static let hubTables: SQL = """
    -- sequence: the number of the last step that added to mailboxes.
    CREATE TABLE hub (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      sequence INTEGER NOT NULL
    ) STRICT;

    -- A handle on a platform. The handle itself is in the document of its installation only.
    CREATE TABLE hub_device (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      hub INTEGER NOT NULL REFERENCES hub (id),
      platform TEXT NOT NULL,
      handle_digest BLOB NOT NULL,
      UNIQUE (hub, platform, handle_digest)
    ) STRICT;

    CREATE TABLE hub_installation (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      hub INTEGER NOT NULL REFERENCES hub (id),
      name TEXT NOT NULL,
      document TEXT NOT NULL,
      expires INTEGER,
      UNIQUE (hub, name)
    ) STRICT;
    CREATE INDEX hub_installation_expires ON hub_installation (hub, expires) WHERE expires IS NOT NULL;

    -- Each different template once, with how many registrations have it.
    CREATE TABLE hub_template (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      digest BLOB NOT NULL UNIQUE,
      platform TEXT NOT NULL,
      name TEXT NOT NULL,
      format TEXT NOT NULL,
      body TEXT NOT NULL,
      is_personal INTEGER NOT NULL,
      uses INTEGER NOT NULL
    ) STRICT;

    -- template is null for a native registration; ordinal is its place among the templates of its address. tags are a
    -- JSON array of folded tags.
    CREATE TABLE hub_registration (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      installation INTEGER NOT NULL REFERENCES hub_installation (id),
      device INTEGER NOT NULL REFERENCES hub_device (id),
      template INTEGER,
      ordinal INTEGER NOT NULL,
      tags TEXT NOT NULL
    ) STRICT;
    CREATE INDEX hub_registration_installation ON hub_registration (installation);
    CREATE INDEX hub_registration_device ON hub_registration (device);

    -- The template registrations that bear a tag, in the order of their ids; under the empty tag, all of them. Each row
    -- has what a fan-out needs, so that it reads this table from front to back and no other.
    CREATE TABLE hub_tag (
      hub INTEGER NOT NULL,
      tag TEXT NOT NULL,
      registration INTEGER NOT NULL,
      device INTEGER NOT NULL,
      template INTEGER NOT NULL,
      expires INTEGER,
      PRIMARY KEY (hub, tag, registration)
    ) STRICT, WITHOUT ROWID;

    -- audience is null for everyone. registration is the last one that is done; finished is null until all are.
    CREATE TABLE hub_notification (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      hub INTEGER NOT NULL REFERENCES hub (id),
      id TEXT NOT NULL,
      audience TEXT,
      properties TEXT NOT NULL,
      expires INTEGER,
      taken INTEGER NOT NULL,
      state TEXT NOT NULL,
      registration INTEGER,
      tally TEXT NOT NULL,
      started INTEGER,
      finished INTEGER,
      fence INTEGER NOT NULL,
      lease_end INTEGER NOT NULL,
      UNIQUE (hub, id)
    ) STRICT;
    CREATE INDEX hub_notification_open ON hub_notification (hub, key) WHERE finished IS NULL;
    CREATE INDEX hub_notification_taken ON hub_notification (hub, taken);

    -- What templates gave for a notification, each different text once.
    CREATE TABLE hub_text (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      notification INTEGER NOT NULL,
      digest BLOB NOT NULL,
      body TEXT NOT NULL,
      expires INTEGER NOT NULL,
      UNIQUE (notification, digest)
    ) STRICT;
    CREATE INDEX hub_text_expires ON hub_text (expires);

    -- A device's mailbox is a short range of this table, which is put in order when it is read.
    CREATE TABLE hub_mailbox (
      device INTEGER NOT NULL,
      notification INTEGER NOT NULL,
      template_name TEXT NOT NULL,
      ordinal INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      text INTEGER NOT NULL,
      PRIMARY KEY (device, notification, template_name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX hub_mailbox_text ON hub_mailbox (text);
    """
}
