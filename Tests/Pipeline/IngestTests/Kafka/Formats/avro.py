"""Writes data in Avro's binary encoding with fastavro: for each line of a file, {"schema": …, "datum": …}, a line in hex.

avro.py FILE
"""
import io
import json
import sys

import fastavro

for line in open(sys.argv[1], encoding="utf-8"):
    case = json.loads(line)
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(case["schema"]), case["datum"])
    print(out.getvalue().hex())
