#!/usr/bin/env bash
# run.sh BUILD [FILTER]: runs the benchmark programs of a build, prints their tables, and writes JSON files with host, commit and
# command to BUILD/results. WEFT_BENCH_DATA and WEFT_BENCH_MOTIFS name real data (see the definitions); WEFT_BENCH_LARGE=1 adds rows
# that take minutes. rapidfuzz is measured as a yardstick if its Python package is installed.
set -euo pipefail
build=$1 filter=${2:-.}
mkdir -p "$build/results"
commit=$(git -C "$(dirname "$0")" describe --always --dirty 2>/dev/null || echo unknown)
for program in "$build"/bench/bench_*; do
  [ -x "$program" ] || continue
  name=$(basename "$program")
  "$program" --benchmark_filter="$filter" --benchmark_out="$build/results/$name.json" --benchmark_out_format=json \
             --benchmark_context=commit="$commit"
done
if python3 -c 'import rapidfuzz' 2>/dev/null; then python3 "$(dirname "$0")/lcs/rapidfuzz_yardstick.py"; fi
