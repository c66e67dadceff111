#!/bin/sh
# Trains the model from the corpora in the folder given, and compares its bytes with the committed ones.
set -eu
cd "$(dirname "$0")/../.."
news="${1:-../shared/news}"
tidings="${TIDINGS:-.build/release/tidings}"
model="$(mktemp)"
trap 'rm -f "$model"' EXIT
"$tidings" train --data "$news"/*.tsv.gz --output "$model"
cmp "$model" config/models/topics.model
echo "model: trained again, the same bytes"
