#!/usr/bin/env bash
# plot_test.sh PLOT: checks that bench/plot draws every picture of docs/pictures from the records, and that a record without a row
# that a picture needs is an error.
set -uo pipefail
plot=$1
for python in python3 /usr/bin/python3 none; do "$python" -c 'import matplotlib' 2>/dev/null && break; done
[ $python != none ] || { echo "Skipped: matplotlib is not installed"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
fail() { echo "$*"; exit 1; }
"$python" "$plot" -o "$out/pictures" || fail "it ended with $?"
diff <(ls "$out/pictures") <(ls "$(dirname "$plot")/../docs/pictures") || fail "docs/pictures has others"
for picture in "$out"/pictures/*.svg; do
  "$python" -c 'import sys, xml.dom.minidom as dom; dom.parse(sys.argv[1])' "$picture" || fail "$picture is not XML"
  [ "$(head -c 4 "${picture%.svg}.png" | tail -c 3)" = PNG ] || fail "no PNG beside $picture"
  diff <(grep -o '<text[^>]*>[^<]*' "$picture" | sed 's/.*>//') \
       <(grep -o '<text[^>]*>[^<]*' "$(dirname "$plot")/../docs/pictures/$(basename "$picture")" | sed 's/.*>//') ||
    fail "$(basename "$picture") of docs/pictures says something else: draw it anew with bench/plot"
done
cp -r "$(dirname "$plot")/record" "$out/record"
sed -i 's/^| nfa-array /| another /' "$out/record/gpu-h200-scan.md"
said=$("$python" "$plot" --records "$out/record" -o "$out/none" 2>&1) && fail "a record without its row is no error"
grep -q 'gpu-h200-scan.md.*no row "nfa-array"' <<<"$said" || fail "it says: $said"
[ ! -e "$out/none" ] || fail "it left pictures"
