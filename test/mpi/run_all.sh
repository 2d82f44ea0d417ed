#!/usr/bin/env bash
# run_all.sh BUILD RANKS: runs every command of the corpus as several ranks of each MPI library that is installed, for every
# number of ranks in the list RANKS (such as 1,2,3), and the tests of failures. Ends with "N passed, N failed".
set -uo pipefail
build=$1 ranks=$2
here=$(dirname "$0")
passed=0 failed=0
check() { if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $*"; fi; }
check python3 "$here/../corpus/run_corpus.py" --weft "$build/cli/weft" --ranks 3 --mpi none
for mpi in mpich openmpi; do
  command -v "mpirun.$mpi" >/dev/null || { echo "$mpi is not installed"; continue; }
  check python3 "$here/failing_ranks.py" --weft "$build/cli/weft" --mpi "$mpi"
  check python3 "$here/failing_ranks.py" --weft "$build/cli/weft" --mpi "$mpi" --every-exchange
  for count in ${ranks//,/ }; do
    check python3 "$here/../corpus/run_corpus.py" --weft "$build/cli/weft" --extra-data "$here/../../../shared/data" --ranks "$count" --mpi "$mpi"
  done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
