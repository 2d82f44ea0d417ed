#!/usr/bin/env bash
# check_long.sh BUILD SECONDS [SEED]: runs the tests of peak memory once (with ten minutes or more: in their full sizes), and then
# the differential programs, and the tests of suffix sorting with random texts, with new seeds until the time is over, in rounds of
# up to a minute a program and as many programs at once as there are processors. Prints every failure with the seed and the command
# that repeat it, keeps its files below BUILD/check-long, and ends with a line of how many runs failed; non-zero exit if any did.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 seconds=$2 seed=${3:-$(date +%s)}
weft=$build/cli/weft
folder=$build/check-long
mkdir -p "$folder"
export PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null || { echo "error: python3 is not installed" >&2; exit 1; }

end=$(($(date +%s) + seconds))
programs=(test/differential/*_differential.py test_bwt)
jobs=${JOBS:-$(nproc)}

: >"$folder/failures"
sizes=()
[ "$seconds" -lt 600 ] || sizes=(--full)
if ! python3 test/memory/peak_memory.py --weft "$weft" "${sizes[@]}" >"$folder/memory" 2>&1; then
  { echo "FAIL peak_memory.py"; grep -A2 '^FAILED' "$folder/memory" || cat "$folder/memory"; } | tee -a "$folder/failures"
fi
tail -n 1 "$folder/memory"

# A round gives each program the same time; short checks give each what there is.
left=$((end - $(date +%s)))
each=$((left * jobs / ${#programs[@]}))
[ $each -le 60 ] || each=60
[ $each -ge 1 ] || each=1

# compare PROGRAM SEED: the comparisons of a differential program; of test_bwt, those of suffix arrays with libdivsufsort.
compare() {
  if [ "$1" = test_bwt ]; then
    "$build/test/bwt/test_bwt" --gtest_filter='suffix_*.of_random_*' --gtest_shuffle --gtest_random_seed=$(($2 % 99999 + 1))
  else
    python3 "$1" --weft "$weft" --seed "$2" --seconds "$each" --keep "$folder"
  fi
}
# run PROGRAM SEED: one run; its output is kept where it fails.
run() {
  local log
  log=$(mktemp "$folder/log.XXXXXX")
  if compare "$1" "$2" >"$log" 2>&1; then
    echo "ok   $(basename "$1") seed $2: $(tail -n 1 "$log")"
    rm -f "$log"
  elif [ $? -eq 77 ]; then
    echo "skip $(basename "$1"): $(tail -n 1 "$log")"
    rm -f "$log"
  else
    { echo "FAIL $(basename "$1") seed $2"; cat "$log"; } | tee -a "$folder/failures"
  fi
}
export -f compare run
export build weft each folder

while [ "$(date +%s)" -lt $end ]; do
  for program in "${programs[@]}"; do printf '%s\0' "$program"; done |
    xargs -0 -P "$jobs" -I{} bash -c 'run {} '"$seed"
  seed=$((seed + 1))
done
failed=$(grep -c '^FAIL ' "$folder/failures" || true)
echo "check-long: $failed runs failed (last seed $((seed - 1)))"
[ "$failed" -eq 0 ]
