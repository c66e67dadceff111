// Holds SQLite: statements in, rows out. Never knows a table.
