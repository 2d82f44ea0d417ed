#!/usr/bin/env bash
# check_headers.sh DOXYFILE [HEADER]: checks that Doxygen has no warnings for the headers that DOXYFILE names.
# With HEADER, which lacks a comment, checks that Doxygen warns. Exits with 77 (skipped) if Doxygen is not
# installed.
set -euo pipefail
command -v doxygen >/dev/null || { echo "doxygen is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read_headers() {
  # XML output makes Doxygen read every comment, and has far fewer files than HTML.
  { cat "$1"; printf 'OUTPUT_DIRECTORY = "%s"\nGENERATE_HTML = NO\nGENERATE_XML = YES\n' "$work"; [ $# -eq 1 ] || printf 'INPUT = "%s"\n' "$2"; } | doxygen -
}
if [ $# -eq 1 ]; then
  read_headers "$1"
else
  warnings=$(read_headers "$1" "$2" 2>&1) && { echo "no warning for $2"; exit 1; }
  grep -q 'Member undocumented' <<<"$warnings"
fi
