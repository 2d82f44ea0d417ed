#!/usr/bin/env bash
# python_venv.sh FOLDER PYTHON PACKAGE...: makes the virtual environment FOLDER anew for an interpreter, and installs
# packages in it from PyPI, by name.
set -euo pipefail
folder=$1 python=$2
shift 2
rm -rf "$folder"
"$python" -m venv "$folder" || { echo "error: $python cannot make a virtual environment: install python3-venv" >&2; exit 1; }
[ $# -eq 0 ] || "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile "$@" ||
  { echo "error: pip could not install $* from PyPI; a network is needed" >&2; exit 1; }
