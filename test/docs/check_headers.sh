#!/usr/bin/env bash
# check_headers.sh DOXYFILE [HEADER]: Doxygen finds nothing to warn of in the headers that DOXYFILE names. With HEADER, in
# which a comment is missing: it says so. 77: Doxygen is not there.
set -euo pipefail
command -v doxygen >/dev/null || { echo "doxygen is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read_headers() {
  # XML: every comment is read, and far fewer files are written than as HTML.
  { cat "$1"; printf 'OUTPUT_DIRECTORY = "%s"\nGENERATE_HTML = NO\nGENERATE_XML = YES\n' "$work"; [ $# -eq 1 ] || printf 'INPUT = "%s"\n' "$2"; } | doxygen -
}
if [ $# -eq 1 ]; then
  read_headers "$1"
else
  warnings=$(read_headers "$1" "$2" 2>&1) && { echo "no warning for $2"; exit 1; }
  grep -q 'Member undocumented' <<<"$warnings"
fi
