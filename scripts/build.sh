#!/usr/bin/env bash
# build.sh PRESET TARGET [no-tests]: configures (once) and builds, quietly unless something fails. no-tests: a first configuration leaves out the
# tests, whose libraries may be missing; a later call without it brings them in.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1 target=$2 tests=ON
[ "${3:-}" = no-tests ] && tests=OFF
log=build/$preset.log
mkdir -p build
configured() { grep -qs "^WEFT_TESTS:BOOL=ON" "build/$preset/CMakeCache.txt" || { [ $tests = OFF ] && [ -f "build/$preset/build.ninja" ]; }; }
if ! configured; then
  echo "Configuring ($preset)"
  generator=(-G Ninja)
  [ -f "build/$preset/CMakeCache.txt" ] && generator=() # as it was configured
  cmake --preset "$preset" "${generator[@]}" -DWEFT_TESTS=$tests >"$log" 2>&1 || { tail -n 40 "$log" >&2; exit 1; }
fi
echo "Building ($preset)"
cmake --build "build/$preset" --target "$target" -j "${JOBS:-$(nproc)}" >"$log" 2>&1 ||
  { grep -v '^\[[0-9]*/[0-9]*\] [BL]' "$log" | tail -n 80 >&2; exit 1; }
