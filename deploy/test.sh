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
# tests mostly wait, side by side. Line by line, so that a run which is stopped has said where; a test that hangs must not
# take an hour to say so.
within() {
  local limit=$1
  shift
  timeout --kill-after=10 "$limit" stdbuf --output=L "$@" && return
  local status=$?
  pkill -KILL -f "$PWD/.build/.*xctest" || true
  [ $status -ne 124 ] || echo "deploy/test.sh: the tests did not end within $limit; the last line names the one that hung" >&2
  return $status
}
within 20m swift test --skip-build --disable-xctest --no-parallel --skip EndToEnd
within 15m swift test --skip-build --disable-xctest --filter EndToEnd
