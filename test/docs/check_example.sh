#!/usr/bin/env bash
# check_example.sh PROGRAM EXPECTED: its output is what the example's "// prints:" lines say.
set -euo pipefail
diff <(printf '%s\n' "$2") <("$1")
