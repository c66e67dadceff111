// Turns the feeds of the web into articles, each once. Never knows what becomes of them.
