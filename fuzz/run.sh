#!/usr/bin/env bash
# run.sh BUILD [SECONDS]: runs every fuzz target for SECONDS (60) from its kept corpus; new inputs are left in
# BUILD/fuzz/found.
set -euo pipefail
build=$1 seconds=${2:-60}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$build/fuzz/found"
for program in "$build"/fuzz/fuzz_*; do
  name=$(basename "$program"); name=${name#fuzz_}
  mkdir -p "$build/fuzz/corpus/$name"
  "$program" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
             -artifact_prefix="$build/fuzz/found/$name-" "$build/fuzz/corpus/$name" "$here/corpus/$name" 2>"$build/fuzz/$name.log" ||
    { tail -n 40 "$build/fuzz/$name.log" >&2; exit 1; }
  echo "fuzz $name: $(grep -o 'number_of_executed_units: *[0-9]*' "$build/fuzz/$name.log" | grep -o '[0-9]*') runs, nothing found"
done
