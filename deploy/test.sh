#!/usr/bin/env bash
# Installs what the tests need, checks the design, builds the tests and the image, and runs every test. Arguments go to
# `swift test`.
set -euo pipefail
cd "$(dirname "$0")/.."
deploy/setup.sh test

python3 deploy/checks/design.py
swift format lint --strict --recursive Sources Tests Package.swift

export TIDINGS_CORPORA="${TIDINGS_CORPORA:-$PWD/../shared}"
export TIDINGS_PYTHON="$PWD/.build/python/bin/python"
# Where podman finds the image, and how it runs it here.
export CONTAINERS_CONF="$PWD/.build/container/containers.conf"
export CONTAINERS_STORAGE_CONF="$PWD/.build/container/storage.conf"

swift build --build-tests
if [ $# -gt 0 ]; then
  # The image that an earlier run of everything has left, if there is one: deploy/checks/image.sh brings it up to date.
  if [ -e "$CONTAINERS_CONF" ] && podman image exists localhost/tidings:test; then
    export TIDINGS_IMAGE=localhost/tidings:test
  fi
  exec swift test --skip-build --disable-xctest "$@"
fi
# One after the other: tests of time limits and of load must not keep each other from the processor. Those that mostly
# wait do so side by side: members for their group, and the program's own tests. Line by line, so that a run which is
# stopped has said where; a test that hangs must not take an hour to say so.
within() {
  local limit=$1
  shift
  timeout --kill-after=10 "$limit" stdbuf --output=L "$@" && return
  local status=$?
  pkill -KILL -f "$PWD/.build/.*xctest" || true
  [ $status -ne 124 ] || echo "deploy/test.sh: the tests did not end within $limit; the last line names the one that hung" >&2
  return $status
}
waiting='Kafka(Consumer|ArticleSource)Tests'
within 20m swift test --skip-build --disable-xctest --no-parallel --skip EndToEnd --skip "$waiting"
within 5m swift test --skip-build --disable-xctest --filter "$waiting"
if [ "$(id -u)" -eq 0 ]; then
  timeout --kill-after=10 20m deploy/checks/image.sh .build/container
  export TIDINGS_IMAGE=localhost/tidings:test
else
  echo "test: only root can build and limit containers here: no image, and its tests are skipped" >&2
fi
within 15m swift test --skip-build --disable-xctest --filter EndToEnd
