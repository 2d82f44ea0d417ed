#!/usr/bin/env bash
# run.sh PROGRAM: runs the cases of tests/misc/sort.pl (or tests/sort/sort.pl) of coreutils against PROGRAM,
# called as sort. The table comes from Debian's source package, which scripts/coreutils_source.sh downloads
# once into a cache. Exits with 77 (skipped) without it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
command -v perl >/dev/null || { echo "Skipped: perl is not installed"; exit 77; }
table=$("$here/../../scripts/coreutils_source.sh") || { echo "Skipped: the source package of coreutils cannot be had"; exit 77; }
exec "$here/table.pl" "$table" "$1"
