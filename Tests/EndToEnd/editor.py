"""An editor who knows nothing of Tidings but its article format: writes articles and poison to Kafka with kafka-python
and kcat, in all compressions, and reads the dead letters.

editor.py publish BROKERS SECONDS   writes, with a pause between records; prints what was written as JSON
editor.py letters BROKERS COUNT     reads the dead letters until COUNT different ones are there; prints them as JSON
"""
import json
import subprocess
import sys
import time

from kafka import KafkaConsumer, KafkaProducer

CATEGORIES = ["World", "Politics", "Business", "Technology", "Science", "Sports"]
LANGUAGES = ["en", "fr", "zh"]
COMPRESSIONS = ["gzip", "snappy", "lz4", "zstd"]
POISON = [
    ("bytes", b"\xff\x00", "parse"),
    ("shape", b'{"id": 7}', "decode"),
    ("category", b'{"id": "w", "headline": "h", "categories": ["Weather"]}', "decode"),
    ("translation", '{"id": "t", "headline": "h", "translations": {"fr": {"headline": ""}}}'.encode(), "decode"),
    (None, None, "record"),
]


def publish(brokers, pause):
    written = {"articles": [], "poison": []}
    for compression in COMPRESSIONS:
        producer = KafkaProducer(bootstrap_servers=brokers, compression_type=compression)
        poison = iter(POISON)
        for category in CATEGORIES:
            for language in LANGUAGES:
                name = f"{compression}-{category}-{language}"
                article = {
                    "id": name, "version": 1, "headline": f"Headline {name}", "language": language,
                    "categories": [category], "source": "newsroom", "summary": "x" * 900, "house": {"kept": True},
                }
                producer.send(
                    "articles", key=name.encode(), value=json.dumps(article).encode(), headers=[("desk", b"night")]
                ).get(30)
                written["articles"].append(name)
                time.sleep(pause)
            bad = next(poison, None)
            if bad:
                kind, value, stage = bad
                key = None if kind is None else f"{compression}-{kind}".encode()
                if key is None:
                    # kafka-python refuses to send nothing at all; kcat does: with -Z what is empty is null.
                    subprocess.run(
                        ["kcat", "-P", "-Z", "-K:", "-b", brokers, "-t", "articles", "-H", f"desk={compression}"],
                        input=":\n", text=True, check=True)
                else:
                    producer.send("articles", key=key, value=value, headers=[("desk", compression.encode())]).get(30)
                written["poison"].append({"key": key and key.decode(), "stage": stage, "desk": compression})
        producer.close()
    for compression in COMPRESSIONS:
        name = f"kcat-{compression}"
        article = {"id": name, "headline": f"Headline {name}", "language": "en", "categories": ["World"]}
        subprocess.run(
            ["kcat", "-P", "-b", brokers, "-t", "articles", "-z", compression, "-k", name, "-H", "desk=day"],
            input=json.dumps(article), text=True, check=True)
        written["articles"].append(name)
    return written


def letters(brokers, count):
    consumer = KafkaConsumer(
        "articles.dlq", bootstrap_servers=brokers, group_id=None, auto_offset_reset="earliest",
        consumer_timeout_ms=30_000)
    found = {}
    for record in consumer:
        headers = {name: value.decode() for name, value in record.headers}
        letter = {
            "key": record.key and record.key.decode(), "desk": headers.get("desk"),
            "value": None if record.value is None else record.value.hex(), "headers": headers,
        }
        found[(letter["key"], letter["desk"])] = letter
        if len(found) >= count:
            break
    return list(found.values())


command, brokers, number = sys.argv[1:]
print(json.dumps(publish(brokers, float(number)) if command == "publish" else letters(brokers, int(number))))
