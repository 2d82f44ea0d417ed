#!/usr/bin/env bash
# check_device_example.sh HEADER ROOT: checks that the example of a header for device memory is contained, to
# the letter, in the program below ROOT that the header names as the one that the tests run.
set -euo pipefail
here=$(dirname "$0")
block=$(awk -f "$here/example.awk" "$1")
program=$(sed -n 's/^\/\/ The tests run the whole program: \(examples\/[a-z_.]*\)\.$/\1/p' "$1")
[ -n "$program" ] || { echo "$1: names no program"; exit 1; }
[[ $(<"$2/$program") == *"$block"* ]] || { printf '%s: not in %s:\n%s\n' "$1" "$program" "$block"; exit 1; }
