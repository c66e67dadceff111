#!/usr/bin/env python3
"""How fast feed documents are read, beside PyPI's fastfeedparser and feedparser: CPU time over the same real documents.

    python3 -m venv .venv && .venv/bin/pip install fastfeedparser==0.6.5 feedparser==6.0.14
    swift build --configuration release --product tidings
    taskset --cpu-list 1 .venv/bin/python deploy/checks/parsers.py ../shared/feeds

Reads the documents of a folder that are larger than 20,000 bytes and in which all three find items; the smaller ones
measure how a parser begins. Neither parser is a dependency of Tidings. `TIDINGS_BINARY` names another build.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

import fastfeedparser
import feedparser

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIDINGS = os.environ.get("TIDINGS_BINARY", ROOT / ".build/release/tidings")
DOCUMENT_BYTES_MIN = 20_000
DOCUMENT_BYTES_MAX = 32 << 20
# feedparser needs seconds for what the others do in hundredths.
PARSERS = {"fastfeedparser": (fastfeedparser.parse, 20), "feedparser": (feedparser.parse, 1)}


def items(parse, document):
    try:
        return len(parse(document).entries)
    except Exception:  # whatever they raise, they have not read it
        return 0


def items_of_tidings(path):
    ran = subprocess.run([TIDINGS, "parse", path], capture_output=True)
    return len(ran.stdout.splitlines()) if ran.returncode == 0 else 0


def documents(folder):
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if not path.is_file() or path.suffix == ".jsonl":
            continue
        if not DOCUMENT_BYTES_MIN < path.stat().st_size < DOCUMENT_BYTES_MAX:
            continue
        document = path.read_bytes()
        counts = [items_of_tidings(path)] + [items(parse, document) for parse, _ in PARSERS.values()]
        if all(counts):
            yield path, document, counts


def megabytes_a_second(parse, rounds, read):
    start = time.process_time()
    for _ in range(rounds):
        for document in read:
            parse(document)
    return rounds * sum(map(len, read)) / 1e6 / (time.process_time() - start)


def main(folder):
    found = list(documents(folder))
    if not found:
        sys.exit(f"no documents in {folder} that all three read")
    read = [document for _, document, _ in found]
    print(f"{len(read)} documents, {sum(map(len, read)) / 1e6:.2f} MB")

    ran = subprocess.run(
        [TIDINGS, "bench", "parse", *(path for path, _, _ in found)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        check=True)
    report = json.loads(ran.stdout)
    if report["build"] != "release":
        sys.exit("a debug build's figures say nothing")
    whole = next(m for m in report["measurements"] if m["name"] == "parse")
    ours = next(r["value"] for r in whole["processorRates"] if r["unit"].startswith("MB"))
    rates = {"tidings": ours} | {name: megabytes_a_second(*how, read) for name, how in PARSERS.items()}

    print(f"{'':16} {'items':>6} {'MB/s of CPU time':>18} {'tidings is':>12}")
    for (name, rate), count in zip(rates.items(), map(sum, zip(*(counts for _, _, counts in found)))):
        print(f"{name:16} {count:6} {rate:18.2f} {ours / rate:10.2f} ×")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
