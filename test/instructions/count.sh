#!/usr/bin/env bash
# count.sh PROGRAM RECORD CASE: counts a case's instructions by cachegrind, less those of a program that does nothing, and holds
# them against the record: 3 % more fails, and 3 % fewer as well, for then the record is to be written anew. 77 (skipped) where
# the count says nothing: no valgrind, another compiler, other vector instructions.
# count.sh PROGRAM RECORD --record: writes the record.
# count.sh PROGRAM RECORD --complete: fails where the record lacks a case of the program, or has one that the program lacks.
set -euo pipefail
program=$1 record=$2 name=$3
if [ "$name" = --complete ]; then
  diff <("$program" --list | sort) <(sed -n '2,$s/\t.*//p' "$record" | sort) ||
    { echo "< is not in the record, > is no case: write the record anew (test/instructions/count.sh PROGRAM RECORD --record)"; exit 1; }
  exit 0
fi
command -v valgrind >/dev/null || { echo "Skipped: valgrind is not installed"; exit 77; }
out=$(mktemp) log=$(mktemp)
trap 'rm -f "$out" "$log"' EXIT

# Sets `built` to the properties that the count depends on, and `found` to the count.
count() {
  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file="$log" "$program" "$1" >"$out" 2>&1 ||
    { cat "$out" "$log"; echo "$1 did not run"; exit 1; }
  built=$(cat "$out")
  found=$(sed -n 's/.*I *refs: *//p' "$log" | tr -d ,)
}
count nothing
base=$found

if [ "$name" = --record ]; then
  echo "$built" >"$record"
  for each in $("$program" --list); do
    count "$each"
    printf '%s\t%s\n' "$each" $((found - base)) >>"$record"
  done
  exit 0
fi

count "$name"
[ "$built" = "$(head -n 1 "$record")" ] || { echo "Skipped: built with $built, recorded with $(head -n 1 "$record")"; exit 77; }
expected=$(awk -F'\t' -v name="$name" '$1 == name { print $2 }' "$record")
[ -n "$expected" ] || { echo "$name is not in $record"; exit 1; }
awk -v name="$name" -v found=$((found - base)) -v expected="$expected" 'BEGIN {
  change = 100 * (found / expected - 1)
  printf "%s: %d instructions, %d recorded, %+.2f %%\n", name, found, expected, change
  if (change > 3) print "slower: find out why"
  if (change < -3) print "quicker: write the record anew (test/instructions/count.sh PROGRAM RECORD --record)"
  exit change > 3 || change < -3
}'
