// Tests of SQLiteStore.
