#!/usr/bin/env bash
# build.sh PRESET TARGET: configures (once) and builds, quietly unless something fails.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1 target=$2
log=build/$preset.log
mkdir -p build
jobs=${JOBS:-$(nproc)}
if [ ! -f "build/$preset/build.ninja" ]; then
  echo "Configuring ($preset)"
  cmake --preset "$preset" -G Ninja >"$log" 2>&1 || { tail -n 40 "$log" >&2; exit 1; }
fi
echo "Building ($preset)"
cmake --build "build/$preset" --target "$target" -j "$jobs" >"$log" 2>&1 ||
  { grep -v '^\[[0-9]*/[0-9]*\] [BL]' "$log" | tail -n 80 >&2; exit 1; }
