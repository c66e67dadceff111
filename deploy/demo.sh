#!/usr/bin/env bash
# Shows the whole of it on one machine: sample feeds, the worker, the built-in hub and three devices. `--once` ends when
# every sample has arrived.
set -euo pipefail
cd "$(dirname "$0")/.."
deploy/setup.sh
echo "demo: building (the first time takes about two minutes)" >&2
swift build --configuration release --product tidings >&2
exec "$(swift build --configuration release --show-bin-path)/tidings" demo "$@"
