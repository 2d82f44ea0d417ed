#!/usr/bin/env bash
# static_build.sh TARGET: builds TARGET in build/bundle with all libraries but libc linked statically.
# BUNDLE_ARCHITECTURES: CUDA architectures, "90" or "90;120" (default: all that the toolkit knows); BUNDLE_CUDA=OFF: without CUDA.
set -euo pipefail
cd "$(dirname "$0")/.."
tree=build/bundle
scripts/static_libraries.sh $tree/static
{
  cmake --preset bundle -G Ninja -DWEFT_CUDA="${BUNDLE_CUDA:-AUTO}" -DWEFT_CUDA_ARCHITECTURES="${BUNDLE_ARCHITECTURES:-all}" \
    -DWEFT_TEST_CUDA_ARCHITECTURES="${BUNDLE_ARCHITECTURES:-90-real;75-virtual}" # tests: any card, by PTX
  cmake --build $tree -j "${JOBS:-$(nproc)}" --target "$1"
} >$tree/log 2>&1 || { tail -n 40 $tree/log >&2; exit 1; }
