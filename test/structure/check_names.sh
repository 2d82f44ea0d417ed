#!/usr/bin/env bash
# check_names.sh TREE: fails, and prints where, if an identifier in the library, the command, the benchmarks or the Python package has a
# part that is no word of the field ("most_tiles" is "max_tiles", a "place" is a position, an offset or a context), or
# if a capability opens a namespace that is not weft, weft::gpu or weft::<capability>_detail.
# Comments and texts in quotes may use these words; std::in_place is the standard library's, and MPI_IN_PLACE is MPI's. In Python files, names that
# are defined or assigned count.
set -euo pipefail
cd "$1"
words='most|least|few|fewest|many|way|ways|place|places|told|there|room'
find_sources() { find "$@" -type f \( -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' -o -name '*.cuh' \) | sort; }
found=$(find_sources $(ls -d weft cli bench python 2>/dev/null) |
  xargs awk -v words="(^|_)($words)(_|$)" '
    { line = $0
      gsub(/"([^"\\]|\\.)*"/, "", line)
      sub(/\/\/.*/, "", line)
      if (line ~ /^ *#include/) next
      while (match(line, /[A-Za-z_][A-Za-z0-9_]*/)) {
        name = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (name != "in_place" && name != "MPI_IN_PLACE" && tolower(name) ~ words) print FILENAME ":" FNR ": " name
      } }')
[ ! -d python ] || found+=$(find python test/python -type f -name '*.py' | sort |
  xargs awk -v words="(^|_)($words)(_|$)" '
    { line = $0
      if (match(line, /^ *(def|class) [A-Za-z_0-9]+/)) sub(/^ *(def|class) /, "", line)
      else if (line !~ /^ *[A-Za-z_0-9, ]+(: [^=]+)? = /) next
      sub(/[^A-Za-z_0-9, ].*/, "", line)
      count = split(line, names, /[ ,]+/)
      for (i = 1; i <= count; ++i) {
        name = tolower(names[i])
        gsub(/in_place/, "", name)
        if (name ~ words) print FILENAME ":" FNR ": " names[i]
      }
    }')
for capability in base multi sort bwt lcs scan search; do
  [ -d "weft/$capability" ] || continue
  found+=$(find_sources "weft/$capability" |
    xargs awk -v allowed="^((weft::)?(gpu|multi|${capability}_detail)|weft)?(::)?(HWY_NAMESPACE)?$" '
      /^ *(inline )?namespace [A-Za-z_:]* *\{/ {
        name = $0
        sub(/^ *(inline )?namespace /, "", name)
        sub(/ *\{.*/, "", name)
        if (name !~ allowed) print FILENAME ":" FNR ": namespace " name
      }')
done
[ -z "$found" ] || { echo "$found"; exit 1; }
