#!/usr/bin/env bash
# check_links.sh DOCUMENT...: checks that each relative link of the Markdown documents leads to an existing
# file or folder and, if the link names a heading (FILE.md#heading), to a heading of that document. Ignores
# links in code.
set -uo pipefail
faults=0

# Prints the targets of the links of a document, one per line.
links() {
  awk '/^```/ { code = !code; next }
       code { next }
       { gsub(/`[^`]*`/, "code")
         while (match($0, /\]\([^() ]+\)/)) { print substr($0, RSTART + 2, RLENGTH - 3); $0 = substr($0, RSTART + RLENGTH) } }' "$1"
}

# Prints the names under which links can refer to the headings of a document, one per line.
headings() {
  awk '/^```/ { code = !code; next }
       !code && /^#+ / { sub(/^#+ /, ""); name = tolower($0); gsub(/[^a-z0-9 _-]/, "", name); gsub(/ /, "-", name); print name }' "$1"
}

fault() {
  echo "$1: $2"
  faults=$((faults + 1))
}

for document in "$@"; do
  while IFS= read -r link; do
    case $link in *://* | mailto:*) continue ;; esac
    file=${link%%#*} heading=
    case $link in *'#'*) heading=${link#*#} ;; esac
    target=$document
    [ -z "$file" ] || target=$(dirname "$document")/$file
    if [ ! -e "$target" ]; then
      fault "$document" "$link leads to no file"
    elif [ -n "$heading" ] && ! headings "$target" | grep -qxF -- "$heading"; then
      fault "$document" "$link leads to no heading"
    fi
  done < <(links "$document")
done
[ "$faults" -eq 0 ]
