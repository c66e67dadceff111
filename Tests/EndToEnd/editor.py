"""An editor who knows nothing of Tidings but its article format: writes articles and poison to Kafka with kafka-python
and kcat, in all compressions, and reads what becomes of them.

editor.py publish BROKERS SECONDS   writes, with a pause between records; prints what was written as JSON
editor.py copy BROKERS TOPIC        writes all articles once more, to another topic, where they have other offsets
editor.py rewind BROKERS GROUP      sets a group back to the start of the articles
editor.py read BROKERS TOPIC        reads all committed records of a topic, such as the dead letters; prints them as JSON
"""
import json
import subprocess
import sys
import time

from kafka import KafkaConsumer, KafkaProducer, OffsetAndMetadata, TopicPartition

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
    producer = KafkaProducer(bootstrap_servers=brokers)
    for name, value, headers in foreign_formats():
        producer.send("articles", key=name.encode(), value=json.dumps(value).encode(), headers=headers).get(30)
        written["articles"].append(name)
    producer.close()
    return written


def foreign_formats():
    """Articles as other newsroom systems write them: IPTC's ninjs, and CloudEvents in both modes."""
    article = {"headline": "Headline", "language": "en", "categories": ["World"]}
    yield "ninjs", {
        "uri": "ninjs", "versioncreated": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "language": "en",
        "headlines": [{"role": "main", "value": "Headline ninjs"}],
        "subjects": [{"name": "sport", "scheme": "http://cv.iptc.org/newscodes/mediatopic/", "code": "15000000"}],
    }, []
    yield "binary-event", {"id": "binary-event", **article}, [
        ("ce_specversion", b"1.0"), ("ce_type", b"article.published"), ("ce_source", b"/newsroom"), ("ce_id", b"1"),
        ("content-type", b"application/json"),
    ]
    yield "structured-event", {
        "specversion": "1.0", "type": "article.published", "source": "/newsroom", "id": "2",
        "datacontenttype": "application/json", "data": {"id": "structured-event", **article},
    }, [("content-type", b"application/cloudevents+json; charset=UTF-8")]


def read(brokers, topic):
    consumer = KafkaConsumer(
        bootstrap_servers=brokers, group_id=None, auto_offset_reset="earliest", isolation_level="read_committed")
    partitions = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)]
    if not partitions:
        return []
    consumer.assign(partitions)
    consumer.seek_to_beginning()
    ends = consumer.end_offsets(partitions)
    found = []
    deadline = time.monotonic() + 30
    while any(consumer.position(each) < ends[each] for each in partitions) and time.monotonic() < deadline:
        for records in consumer.poll(500).values():
            for record in records:
                headers = {name: value.decode() for name, value in record.headers}
                found.append({
                    "key": record.key and record.key.decode(), "desk": headers.get("desk"), "headers": headers,
                    "value": None if record.value is None else record.value.decode(errors="replace"),
                })
    return found


def copy(brokers, topic):
    producer = KafkaProducer(bootstrap_servers=brokers)
    for record in read(brokers, "articles"):
        if record["key"] is None and record["value"] is None:
            continue
        producer.send(topic, key=b"filler", value=b"no article").get(30)
        producer.send(
            topic, key=record["key"] and record["key"].encode(), value=record["value"] and record["value"].encode()
        ).get(30)
    producer.close()


def rewind(brokers, group):
    consumer = KafkaConsumer(bootstrap_servers=brokers, group_id=group, enable_auto_commit=False)
    partitions = [TopicPartition("articles", number) for number in consumer.partitions_for_topic("articles")]
    consumer.assign(partitions)
    consumer.commit({each: OffsetAndMetadata(0, "", -1) for each in partitions})
    consumer.close()


command, brokers, argument = sys.argv[1:]
if command == "publish":
    print(json.dumps(publish(brokers, float(argument))))
else:
    print(json.dumps({"read": read, "copy": copy, "rewind": rewind}[command](brokers, argument)))
