#!/usr/bin/env python3
"""What simpler classifiers reach where `tidings evaluate --held-out` judges ours: Debian's fastText and a tf-idf SVM.

    python3 -m venv .venv && .venv/bin/pip install scikit-learn
    apt-get install fasttext
    .venv/bin/python deploy/checks/classifier_baselines.py ../shared/news

Both learn from the same rows (the six categories, without the outlets of config/training/holdout.tsv) and answer the rows
of these outlets, one model for all languages. Neither is a dependency of Tidings. Also prints how long fastText takes to
answer `--speed` copies of the English rows, its model's loading included, for `tidings bench classify` beside it.
"""
import argparse
import collections
import gzip
import pathlib
import re
import subprocess
import sys
import tempfile
import time

CATEGORIES = ["World", "Politics", "Business", "Technology", "Science", "Sports"]
ROOT = pathlib.Path(__file__).resolve().parents[2]


def held_out_hosts():
    hosts = set()
    for line in (ROOT / "config/training/holdout.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            hosts.update(line.split("\t")[1].split(", "))
    return hosts


def is_held_out(source, hosts):
    parts = source.split(".")
    return source in hosts or any(".".join(parts[i:]) in hosts for i in range(len(parts) - 1))


def rows(folder):
    for path in sorted(folder.glob("*.tsv.gz")):
        collection, language = path.name.split(".")[:2]
        if collection == "sib200":
            continue
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            next(file)
            for line in file:
                label, _, title, text, _, source, _ = line.rstrip("\n").split("\t")
                if label in CATEGORIES:
                    yield collection, language, source, label, title, text


def tokens(title, text):
    """Words in lower case; each CJK character is one."""
    text = f"{title} {title} {text[:900]}".lower()
    text = re.sub(r"([\u3040-\u30ff\u3400-\u9fff])", r" \1 ", text)
    return " ".join(re.findall(r"\w+", text))


def figures(answers):
    """Accuracy and macro-F1 by language of (language, label, answer)."""
    table = {}
    for language in sorted({a[0] for a in answers}):
        mine = [(label, answer) for l, label, answer in answers if l == language]
        right = sum(label == answer for label, answer in mine)
        scores = []
        for category in CATEGORIES:
            labelled = sum(label == category for label, _ in mine)
            answered = sum(answer == category for _, answer in mine)
            both = sum(label == answer == category for label, answer in mine)
            if labelled:
                scores.append(2 * both / (labelled + answered))
        table[language] = (100 * right / len(mine), 100 * sum(scores) / len(scores), len(mine))
    return table


def show(name, answers):
    cells = [f"{l} {a:.1f}/{f:.1f} ({n})" for l, (a, f, n) in figures(answers).items()]
    print(f"{name}: " + "  ".join(cells), flush=True)


def svm(train, test):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    vectorizer = TfidfVectorizer(token_pattern=r"\S+", ngram_range=(1, 2), min_df=3, sublinear_tf=True, max_features=600_000)
    matrix = vectorizer.fit_transform([t for *_, t in train])
    model = LinearSVC(C=0.2, class_weight="balanced").fit(matrix, [label for _, label, _ in train])
    answers = model.predict(vectorizer.transform([t for *_, t in test]))
    show("tf-idf words 1-2, linear SVM", [(l, label, a) for (l, label, _), a in zip(test, answers)])


def fasttext(train, test, speed, folder):
    def run(*arguments):
        return subprocess.run(["fasttext", *arguments], check=True, capture_output=True, text=True).stdout

    data, model = folder / "train.txt", folder / "model"
    data.write_text("".join(f"__label__{label} {t}\n" for _, label, t in train))
    run("supervised", "-input", data, "-output", model, "-dim", "32", "-wordNgrams", "2", "-minn", "3", "-maxn", "5",
        "-bucket", "500000", "-epoch", "5", "-lr", "0.3", "-thread", "1", "-seed", "1")
    size = (folder / "model.bin").stat().st_size
    (folder / "test.txt").write_text("".join(f"{t}\n" for *_, t in test))
    answers = run("predict", f"{model}.bin", folder / "test.txt").split()
    assert len(answers) == len(test), "fastText skipped empty rows"
    show(f"fastText d32, words 1-2, characters 3-5 ({size / 1e6:.0f} MB)",
         [(l, label, a.removeprefix("__label__")) for (l, label, _), a in zip(test, answers)])
    english = [t for l, _, t in test if l == "en"] * speed
    (folder / "speed.txt").write_text("".join(f"{t}\n" for t in english))
    for name, source in (("loading alone", "/dev/null"), (f"{len(english)} English rows", folder / "speed.txt")):
        start = time.perf_counter()
        run("predict", f"{model}.bin", source)
        print(f"fasttext predict, {name}: {time.perf_counter() - start:.2f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("news", type=pathlib.Path, help="the folder with the labelled rows")
    parser.add_argument("--speed", type=int, default=10, help="how many times fastText answers the English rows")
    options = parser.parse_args()
    hosts = held_out_hosts()
    train, test = [], []
    for collection, language, source, label, title, text in rows(options.news):
        row = (language, label, tokens(title, text))
        if not is_held_out(source, hosts):
            train.append(row)
        elif collection == "urlsec_train" and row[2]:
            test.append(row)
    if not test:
        sys.exit(f"no rows of held-out outlets in {options.news}")
    print(f"{len(train)} rows to learn from, {len(test)} to answer", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        fasttext(train, test, options.speed, pathlib.Path(folder))
    svm(train, test)


if __name__ == "__main__":
    main()
