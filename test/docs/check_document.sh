#!/usr/bin/env bash
# check_document.sh DOCUMENT PROGRAM_FOLDER EXAMPLES_FOLDER: checks the code blocks of a document.
# A console block: bash runs each "$ command" in the examples' data folder, with the program on PATH. The
# command must print exactly the lines that follow it (standard output and error). A last line "..." stands
# for any lines.
# A cpp block must equal, to the letter, the region between "// example-begin" and "// example-end" of an
# example.
set -uo pipefail
document=$(realpath "$1") programs=$2 examples=$(realpath "$3")
export PATH="$(realpath "$programs"):$PATH"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$examples/data/." "$work"
cd "$work"
faults=0

check() {   # check COMMAND EXPECTED
  local actual expected=$2
  actual=$(bash -c "$1" 2>&1)
  if [ "${expected##*$'\n'}" = "..." ]; then
    expected=${expected%...}
    [ "${actual:0:${#expected}}" = "$expected" ] && return
  elif [ "$actual" = "$expected" ]; then
    return
  fi
  echo "$(basename "$document"): \$ $1"
  diff <(printf '%s\n' "$expected") <(printf '%s\n' "$actual")
  faults=$((faults + 1))
}

block='' command='' expected='' code=''
while IFS= read -r line || [ -n "$line" ]; do
  case $block in
    '')
      case $line in '```console') block=console command='' expected='';; '```cpp') block=cpp code='';; '```'?*) block=other;; '```') block=other;; esac;;
    console)
      case $line in
        '$ '*) [ -z "$command" ] || check "$command" "${expected%$'\n'}"; command=${line#'$ '} expected='';;
        '```') [ -z "$command" ] || check "$command" "${expected%$'\n'}"; block='';;
        *) expected+=$line$'\n';;
      esac;;
    cpp)
      if [ "$line" = '```' ]; then
        block=''
        found=0
        for example in "$examples"/*.cpp; do
          region=$(sed -n '/\/\/ example-begin/,/\/\/ example-end/{//!p}' "$example")
          [ "$region" = "${code%$'\n'}" ] && found=1
        done
        [ $found -eq 1 ] || { echo "a C++ block is no region of an example:"; printf '%s' "$code"; faults=$((faults + 1)); }
      else
        code+=$line$'\n'
      fi;;
    other) [ "$line" = '```' ] && block='';;
  esac
done <"$document"
[ "$faults" -eq 0 ]
