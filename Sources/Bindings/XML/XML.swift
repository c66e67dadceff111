// Holds libxml2: XML bytes in, parse events out. Never knows a feed.
