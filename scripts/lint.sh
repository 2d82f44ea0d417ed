#!/usr/bin/env bash
# lint.sh BUILD: checks the format of all sources with clang-format, and the sources of the library and the command with
# clang-tidy, as BUILD/compile_commands.json compiles them, and those of the Python package's module if
# scripts/python_test.sh has compiled it there. Non-zero exit if something is found. The tools are those of
# LLVM 14: other versions format otherwise, so that where they are missing the check is left out, with a line that says so.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
find_tool() { # NAME: prints the command of version 14
  local command
  for command in "$1-14" "$1"; do
    "$command" --version 2>/dev/null | grep -q 'version 14\.' && echo "$command" && return
  done
  echo "lint: $1 14 is not installed, so that its check is left out" >&2
  return 1
}
failed=0
if format=$(find_tool clang-format); then
  git ls-files -z '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -0 "$format" --dry-run -Werror || failed=1
fi
if tidy=$(find_tool clang-tidy); then
  check() { # FOLDER PATTERN...: the sources as FOLDER/compile_commands.json compiles them
    local folder=$1
    shift
    git ls-files -z "$@" |
      xargs -0 -n 4 -P "${JOBS:-$(nproc)}" "$tidy" -p "$folder" --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null || failed=1
  }
  check "$build" 'weft/*.cpp' 'cli/*.cpp' ':!*/cuda/*'
  [ ! -f "$build/python-module/compile_commands.json" ] || check "$build/python-module" 'python/src/*.cpp' ':!python/src/cuda/'
fi
[ $failed -eq 0 ] && echo "lint: nothing found"
exit $failed
