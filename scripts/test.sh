#!/usr/bin/env bash
# test.sh BUILD [ctest arguments...]: runs the tests and ends with "N passed, N failed, N skipped"; failures are shown whole,
# each skip with its reason. Non-zero exit if any failed, could not run, or none passed.
set -uo pipefail
build=$1; shift
ctest --test-dir "$build" --output-on-failure -j "${JOBS:-$(nproc)}" --output-junit results.xml "$@" >"$build/test.log" 2>&1
status=$?
[ "$status" -eq 0 ] || grep -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test.*(Passed|Skipped) )' "$build/test.log" | tail -n 400
grep -oE 'Skipped +: .*|[^ ]+: Skipped$' "$build/test.log" | sort | uniq -c
passed=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .* Passed ' "$build/test.log")
skipped=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .*\*\*\*Skipped ' "$build/test.log")
total=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: ' "$build/test.log")
sed -n '/<system-out>.*Skipped/,/<\/system-out>/p' "$build/results.xml" | grep -A1 'Skipped$' | grep -vE 'Skipped$|^--' |
  sort | uniq -c | sed 's/^ *\([0-9]*\) /skipped \1: /'
echo "$passed passed, $((total - passed - skipped)) failed, $skipped skipped"
[ "$status" -eq 0 ] && [ "$passed" -gt 0 ]
