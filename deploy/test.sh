#!/usr/bin/env bash
# Installs what the tests need, checks the design, builds and runs every test. Arguments go to `swift test`.
set -euo pipefail
cd "$(dirname "$0")/.."
deploy/setup.sh test

python3 deploy/checks/design.py
swift format lint --strict --recursive Sources Tests Package.swift

export TIDINGS_CORPORA="${TIDINGS_CORPORA:-$PWD/../shared}"
export TIDINGS_PYTHON="$PWD/.build/python/bin/python"
swift build --build-tests
swift test --skip-build --disable-xctest "$@"
