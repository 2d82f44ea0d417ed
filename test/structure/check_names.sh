#!/usr/bin/env bash
# check_names.sh TREE: fails, and prints where, if an identifier in the library, the command or the benchmarks has a
# part that is no word of the field: "most_tiles" is "max_tiles", a "place" is a position, an offset or a context.
# Comments and texts in quotes may use these words; std::in_place is the standard library's.
set -euo pipefail
cd "$1"
words='most|least|few|fewest|many|way|ways|place|places|told|there|room'
found=$(find $(ls -d weft cli bench 2>/dev/null) -type f \( -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' -o -name '*.cuh' \) | sort |
  xargs awk -v words="(^|_)($words)(_|$)" '
    { line = $0
      gsub(/"([^"\\]|\\.)*"/, "", line)
      sub(/\/\/.*/, "", line)
      if (line ~ /^ *#include/) next
      while (match(line, /[A-Za-z_][A-Za-z0-9_]*/)) {
        name = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (name != "in_place" && tolower(name) ~ words) print FILENAME ":" FNR ": " name
      } }')
[ -z "$found" ] || { echo "$found"; exit 1; }
