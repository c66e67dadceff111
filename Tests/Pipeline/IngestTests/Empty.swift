// Tests of Ingest.
