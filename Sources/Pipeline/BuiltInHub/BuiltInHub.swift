// Brings a notification to every device whose tags match. Never knows an article.
