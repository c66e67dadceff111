// Says what an article is about. Never knows who reads it.
