// Holds Gumbo: HTML text in, an HTML5 tree out. Never knows a feed.
