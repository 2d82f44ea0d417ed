#!/usr/bin/env bash
# check_example.sh PROGRAM EXPECTED: checks that the program prints what the "// prints:" lines of the example
# say. Exits with 77 (skipped) if the example reports that it found no GPU.
set -euo pipefail
output=$("$1")
if [[ $output == "no GPU: "* ]]; then
  printf '%s\n' "$output"
  exit 77
fi
diff <(printf '%s\n' "$2") <(printf '%s\n' "$output")
