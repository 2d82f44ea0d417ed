#!/usr/bin/env bash
# wheel_check.sh WHEEL PYTHON: installs a wheel in a fresh virtual environment, with NumPy alone, and uses the package and
# the command once, outside of the checkout and as on a machine without a GPU.
set -euo pipefail
wheel=$(realpath "$1") python=$2
scripts=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$scripts/python_venv.sh" "$folder/venv" "$python" "$wheel"
cd "$folder"
export CUDA_VISIBLE_DEVICES=""
venv/bin/python - <<'PYTHON'
import numpy as np
import weft

numbers = np.random.default_rng(1).integers(0, 2**63, 100_000, dtype=np.uint64)
assert (weft.sort(numbers) == np.sort(numbers)).all()
assert weft.lcs_length("ABCBDAB", "BDCABA") == 4
PYTHON
version=$(venv/bin/python -c 'import weft; print(weft.__version__)')
[ "$(venv/bin/python -m weft --version)" = "weft $version" ] || { echo "error: python -m weft --version" >&2; exit 1; }
[ "$(venv/bin/weft --version)" = "weft $version" ] || { echo "error: weft --version" >&2; exit 1; }
echo "installed and tried with $(venv/bin/python --version)"
