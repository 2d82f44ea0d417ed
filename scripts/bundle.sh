#!/usr/bin/env bash
# bundle.sh: the program, weft-bench and the tests of the GPU of bwt, lcs, scan and sort, statically linked but for libc, as
# build/bundle/weft-VERSION-linux-MACHINE.tar.gz. BUNDLE_ARCHITECTURES: CUDA architectures, "90" or "90;120" (default: all that the toolkit knows);
# BUNDLE_CUDA=OFF: without CUDA.
set -euo pipefail
cd "$(dirname "$0")/.."
tree=build/bundle
scripts/static_build.sh bundle_programs

version=$(sed -n 's/^project(weft VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=weft-$version-linux-$(uname -m)
rm -rf "${tree:?}/$name" && mkdir -p $tree/$name
mapfile -t programs <$tree/bundle.txt
cp "${programs[@]}" LICENSE $tree/$name
programs=("${programs[@]##*/}")
(cd $tree/$name && strip "${programs[@]}")

libc=$(scripts/needed_libc.sh "${programs[@]/#/$tree/$name/}")

gpu="; built without CUDA"
if grep -q '^CMAKE_CUDA_COMPILER:' $tree/CMakeCache.txt; then
  built=$(sed -n 's/^WEFT_CUDA_ARCHITECTURES:[^=]*=\(.\)/architectures \1/p' $tree/CMakeCache.txt)
  gpu="; for GPUs (${built/architectures all/sm_75 and newer}) the NVIDIA driver"
fi
cat >$tree/$name/README <<TEXT
weft $version for Linux on $(uname -m), built from $(git describe --always --dirty 2>/dev/null || echo "a source archive").
Needs glibc $libc or newer$gpu. Nothing is installed.

  ./weft devices --engines          what this machine has, and which engines run on it
  ./weft lcs -v --device gpu A B    ./weft help lcs tells more
  ./weft-bench sort                 (bwt, lcs, scan, papers) every engine beside yardsticks, every answer checked
  for t in ./test_*; do \$t --gtest_filter='gpu*'; done     the tests on the GPU; without the filter all

Tests that read files of the source tree skip here, saying so.
TEXT
tar -C $tree -czf $tree/$name.tar.gz $name
echo "$tree/$name.tar.gz ($(du -h $tree/$name.tar.gz | cut -f1), needs glibc $libc)"
