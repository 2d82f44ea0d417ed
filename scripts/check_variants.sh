#!/usr/bin/env bash
# check_variants.sh BUILD [SEEDS]: compares `weft variants` with minimap2 and nucmer on diverged copies of E. coli, and prints the table
# of test/variants/evaluate_variants.py. Every allele by which weft differs from the planted ones is in BUILD/check-variants.md.
# Skips, with the reason, if the genome is not in the folder WEFT_EXTRA_DATA of the build. Non-zero exit if the VCF is wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 seeds=${2:-5}
command -v python3 >/dev/null || { echo "error: python3 is not installed" >&2; exit 1; }
data=$(sed -n 's/^WEFT_EXTRA_DATA:[A-Z]*=//p' "$build/CMakeCache.txt")
status=0
PYTHONDONTWRITEBYTECODE=1 python3 test/variants/evaluate_variants.py --weft "$build/cli/weft" --evolve "$build/test/variants/evolve_genome" \
  --genome "$data/ecoli_MG1655.fa.xz" --seeds "$seeds" --findings "$build/check-variants.md" || status=$?
[ "$status" -eq 0 ] || [ "$status" -eq 77 ]
