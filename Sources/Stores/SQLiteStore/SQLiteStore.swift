// Keeps all state of one machine in one SQLite file.
