#!/usr/bin/env bash
# python_test.sh PRESET [all-packages] [pytest arguments...]: installs the Python package in a fresh virtual environment, as
# build/PRESET/python-venv, and runs the tests of test/python on it. The extension module is linked with the libraries of
# build/PRESET, so that it alone is compiled. Ends with "python: N passed, N failed, N skipped", after each reason to
# skip. Non-zero exit if a test failed, could not run, or none passed; 77 if the packages, which come from PyPI, could not
# be installed.
#   PYTHON=python3.12   the interpreter (default: python3)
# all-packages installs every package that a test compares with, passes arrays of or shows pictures with; without it,
# only the small ones are installed, and the tests of the others are skipped.
set -uo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
peers="rapidfuzz edlib"
if [ "${1:-}" = all-packages ]; then
  peers+=" pandas pyarrow polars pydivsufsort matplotlib nbclient ipykernel tqdm"
  shift
fi
build=$PWD/build/$preset
venv=$build/python-venv
scripts/build.sh "$preset" weft_program no-tests || exit 1
echo "Installing the Python package ($preset)"
scripts/python_venv.sh "$venv" "${PYTHON:-python3}" scikit-build-core nanobind numpy pytest hypothesis mypy $peers || exit 77
"$venv/bin/python" -m pip install . --quiet --disable-pip-version-check --no-build-isolation --no-deps \
  --config-settings=build-dir="$build/python-module" --config-settings=cmake.define.WEFT_LIBRARIES_FROM="$build" \
  >"$build/python-install.log" 2>&1 || { tail -n 60 "$build/python-install.log" >&2; exit 1; }
log=$build/python-test.log
MYPY_CACHE_DIR=$build/mypy-cache WEFT_COMMAND=$build/cli/weft "$venv/bin/pytest" -q -o cache_dir="$build/pytest-cache" "$@" >"$log" 2>&1
status=$?
[ $status -eq 0 ] || cat "$log"
number_of() { tail -n 1 "$log" | grep -oE "[0-9]+ $1" | grep -oE '^[0-9]+' || echo 0; }
sed -nE 's/^SKIPPED (\[[0-9]+\]) (.*)/skipped \1: \2/p' "$log"
passed=$(number_of passed)
echo "python: $passed passed, $(($(number_of failed) + $(number_of errors?))) failed, $(number_of skipped) skipped"
[ $status -eq 0 ] && [ "$passed" -gt 0 ]
