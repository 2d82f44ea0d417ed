#!/usr/bin/env bash
# run.sh BUILD [SECONDS]: runs the cases of every capability, each within a budget of SECONDS (600), and writes their records, with host
# and commit, to BUILD/results. rapidfuzz is measured as a yardstick if its Python package is installed.
set -euo pipefail
build=$1 seconds=${2:-600}
mkdir -p "$build/results"
for name in sort bwt lcs scan; do
  echo "weft-bench $name: at most $seconds seconds"
  "$build/bench/weft-bench" "$name" --all --budget "$seconds" --json -o "$build/results/$name.json"
done
if python3 -c 'import rapidfuzz' 2>/dev/null; then python3 "$(dirname "$0")/lcs/rapidfuzz_yardstick.py"; fi
