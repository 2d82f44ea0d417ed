#!/usr/bin/env bash
# compare_test.sh PROGRAM: runs weft-bench compare on two small records, and checks its output and exit codes.
set -uo pipefail
compare="$1 compare" here=$(dirname "$0") failures=0
expect() { # CODE WORDS COMMAND...
  local code=$1 words=$2 found
  shift 2
  found=$("$@" 2>&1)
  local ended=$?
  [ $ended -eq "$code" ] || { echo "$*: ended with $ended, not $code"; failures=1; }
  grep -qF -- "$words" <<<"$found" || { echo "$*: does not say '$words' but: $found"; failures=1; }
}
diff "$here/compared.txt" <($compare "$here/old.json" "$here/new.json") || failures=1
expect 0 "slower" $compare "$here/old.json" "$here/new.json"
expect 1 "slower" $compare "$here/old.json" "$here/new.json" --fail
expect 1 "failed" $compare "$here/old.json" "$here/new.json" --fail --threshold 50
expect 0 "same" $compare "$here/old.json" "$here/old.json" --fail
expect 3 "none.json" $compare "$here/none.json" "$here/new.json"
expect 2 "not a record" $compare "$here/compared.txt" "$here/new.json"
expect 2 "--threshold must be a percentage" $compare "$here/old.json" "$here/new.json" --threshold=-1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
expect 2 "there is no JSON file in this folder" $compare "$folder" "$here/new.json"
sed s/median_us/real_time/ "$here/old.json" >"$folder/wrong.txt"
expect 2 "row 'same' has no median_us" $compare "$folder/wrong.txt" "$here/new.json"
cp "$here/old.json" "$folder"
diff "$here/compared.txt" <($compare "$folder" "$here/new.json") || failures=1
exit $failures
