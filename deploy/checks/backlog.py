#!/usr/bin/env python3
"""How much memory a worker takes while a million articles of 1 KiB wait on its topics: its peak within the first minute.

    python3 -m venv .venv && .venv/bin/pip install confluent-kafka==2.16.1
    swift build --configuration release --product tidings
    .venv/bin/python deploy/checks/backlog.py [ARTICLES]

The broker is librdkafka's mock, in this process. It keeps some 5 MB a partition, so the articles are spread over many
topics of four partitions each. Unlike other brokers for tests it sends no more than a consumer asks for. `TIDINGS_BINARY`
names another build.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import urllib.request

from confluent_kafka import Producer

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIDINGS = os.environ.get("TIDINGS_BINARY", ROOT / ".build/release/tidings")
ARTICLES_PER_TOPIC = 15_000
SECONDS = 60


def article(number):
    category = ["World", "Politics", "Business", "Technology", "Science", "Sports"][number % 6]
    text = {"id": f"urn:backlog:{number}", "version": 1, "headline": f"Strong quake off Hokkaido, report {number}",
            "language": "en", "categories": [category], "source": "newsroom", "summary": ""}
    text["summary"] = random.randbytes(512).hex()[: 1024 - len(json.dumps(text))]
    return json.dumps(text).encode()


def metric(text, name):
    return int(sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name + "{")))


def main(count):
    producer = Producer({"test.mock.num.brokers": 1, "bootstrap.servers": "unused", "linger.ms": 20})
    topics = [f"articles-{number}" for number in range(-(-count // ARTICLES_PER_TOPIC))]
    for number in range(count):
        while True:
            try:
                producer.produce(topics[number % len(topics)], article(number), key=f"urn:backlog:{number}")
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)
    producer.flush()
    broker = next(iter(producer.list_topics().brokers.values()))
    with tempfile.TemporaryDirectory() as folder:
        configuration = pathlib.Path(folder) / "tidings.yaml"
        port = random.randint(20_000, 32_000)
        sources = ", ".join(f"{{topic: {topic}}}" for topic in topics)
        configuration.write_text(f"""
kafka: {{bootstrapServers: "{broker.host}:{broker.port}", sources: [{sources}]}}
hub:
  accessRules: [{{name: DefaultFullSharedAccessSignature, key: only-this-check, rights: [Listen, Send, Manage]}}]
store: {{sqlite: "{folder}/tidings.db"}}
server: {{port: 0, operationsPort: {port}}}
logging: {{level: error}}
""")
        worker = subprocess.Popen([TIDINGS, "run", "--config", configuration])
        try:
            time.sleep(SECONDS)
            status = pathlib.Path(f"/proc/{worker.pid}/status").read_text()
            peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
            metrics = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
        finally:
            worker.kill()
            worker.wait()
    print(json.dumps({
        "articles": count, "partitions": 4 * len(topics), "seconds": SECONDS, "peakMiB": round(peak / 1024, 1),
        "read": metric(metrics, "tidings_kafka_records_total"), "waiting": metric(metrics, "tidings_kafka_lag_records"),
    }))


main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
