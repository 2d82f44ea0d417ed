#!/usr/bin/env bash
# sdist.sh: builds the source distribution of the Python package, as build/sdist/weft-*.tar.gz. It has all that
# `pip install` compiles, but for the system's libraries (scripts/setup.sh build python).
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/python_venv.sh build/sdist/venv "${PYTHON:-python3}" build scikit-build-core nanobind
rm -f build/sdist/*.tar.gz
build/sdist/venv/bin/python -m build --sdist --no-isolation --outdir build/sdist . >build/sdist/log 2>&1 || { tail -n 40 build/sdist/log >&2; exit 1; }
ls build/sdist/*.tar.gz
