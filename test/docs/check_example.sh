#!/usr/bin/env bash
# check_example.sh PROGRAM EXPECTED: its output is what the example's "// prints:" lines say. 77: the example says that
# there is no GPU for it.
set -euo pipefail
output=$("$1")
if [[ $output == "no GPU: "* ]]; then
  printf '%s\n' "$output"
  exit 77
fi
diff <(printf '%s\n' "$2") <(printf '%s\n' "$output")
