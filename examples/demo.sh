#!/usr/bin/env bash
# demo.sh WEFT: shows what weft does, on the small real data beside this script. Prints each command before
# its output.
set -euo pipefail
program=$(realpath "$1") name=$1
cd "$(dirname "$0")/data"
weft() { "$program" "$@"; }

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
show() { printf '\033[2m$ %s\033[0m\n' "$*"; eval "$*"; }
[ -t 1 ] || { say() { printf '\n%s\n' "$*"; }; show() { printf '$ %s\n' "$*"; eval "$*"; }; }

say "Motifs in 35 human proteins (a table; --format gives GFF3, BED, JSON lines and ps_scan's own formats)"
show 'weft scan motifs.txt proteins.fa | head -n 8'
show 'weft scan -e "[AG]-x(4)-G-K-[ST]" proteins.fa --format gff3 | head -n 5'
show 'weft scan motifs.txt proteins.fa --matches count | head -n 8'

say "Two mitochondrial genomes: the longest common subsequence, and the distances"
show 'weft lcs mt_human.fa mt_orang.fa'
show 'weft lcs mt_human.fa mt_orang.fa --metric edit --length'

say "Two SARS-CoV-2 genomes: how one becomes the other"
show 'weft lcs sarscov2_WuhanHu1.fa sarscov2_21L_BA2.fa --format ops | cut -c 1-200'
show 'weft variants sarscov2_WuhanHu1.fa sarscov2_21L_BA2.fa --format tsv | head -n 5'

say "Any two files, line by line"
show "printf 'a\nb\nc\nd\n' >/tmp/weft-demo-a; printf 'a\nc\nd\ne\n' >/tmp/weft-demo-b"
show 'weft lcs --by line --format ops /tmp/weft-demo-a /tmp/weft-demo-b'
rm -f /tmp/weft-demo-a /tmp/weft-demo-b

say "Sorting: lines by keys, and an array"
show "grep '^>' proteins.fa | weft sort -t '|' -k3,3 | head -n 3"
show "printf '\\3\\0\\1\\0\\2\\0' | weft sort --type u16 | od -An -tu2"

say "An index of two genomes, and every exact occurrence of a pattern in it"
show 'weft index sarscov2_WuhanHu1.fa sarscov2_21L_BA2.fa -o /tmp/weft-demo.wfi'
show 'weft find /tmp/weft-demo.wfi -e AAGGTTTAT --both-strands'

say "The Burrows-Wheeler transform, and back"
show 'weft bwt sarscov2_WuhanHu1.fa -o /tmp/weft-demo.wbwt --stats'
show 'weft unbwt /tmp/weft-demo.wbwt | cmp - sarscov2_WuhanHu1.fa && echo the same'
rm -f /tmp/weft-demo.wfi /tmp/weft-demo.wbwt

say "Next"
cat <<TEXT
  $name scan prosite.dat proteins.fa.gz        PROSITE over a proteome (prosite.dat: https://prosite.expasy.org)
  $name lcs genome_a.fa.gz genome_b.fa.gz      whole genomes; add --format paf for the alignment
  $name sort -k2,2n table.tsv                  lines, as GNU sort; files larger than memory as well
  $name index genome.fa.gz -o genome.wfi       then: $name find genome.wfi reads.fq.gz --both-strands
  $name help scan                              every flag; 'help lcs', 'devices', 'man' likewise
  make test                                       the test suite;  make install PREFIX=~/.local  to keep weft
TEXT
