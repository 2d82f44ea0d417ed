#!/usr/bin/env bash
# run.sh PROGRAM.py [arguments...]: runs a differential program. Exits with 77 (skipped) if Python is not
# installed.
set -euo pipefail
command -v python3 >/dev/null || { echo "Skipped: python3 is not installed"; exit 77; }
exec env PYTHONDONTWRITEBYTECODE=1 python3 "$@"
