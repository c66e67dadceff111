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
if [ $# -gt 0 ]; then
  exec swift test --skip-build --disable-xctest "$@"
fi
# One after the other: tests of time limits and of load must not keep each other from the processor. The program's own
# tests mostly wait, side by side.
swift test --skip-build --disable-xctest --no-parallel --skip EndToEnd
swift test --skip-build --disable-xctest --filter EndToEnd
