"""Says of each line of a file whether it is valid by a JSON Schema: 1 or 0.

schema.py SCHEMA FILE
"""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for line in open(sys.argv[2], encoding="utf-8"):
    print(int(validator.is_valid(json.loads(line))))
