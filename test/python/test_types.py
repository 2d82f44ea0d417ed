"""The package and an example of each of its functions pass mypy --strict."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import weft

EXAMPLES = Path(__file__).with_name("typed_examples.py")
SETTINGS = Path(__file__).resolve().parents[2] / "pyproject.toml"


def test_types(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    package = tmp_path / "weft"
    package.mkdir()
    for pattern in ("*.py", "*.pyi", "py.typed"):
        for path in Path(weft.__file__).parent.glob(pattern):
            shutil.copy(path, package)
    shutil.copy(EXAMPLES, tmp_path)
    cache = os.environ.get("MYPY_CACHE_DIR", str(tmp_path / "cache"))
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(SETTINGS), "--cache-dir", cache]
    command += ["weft", EXAMPLES.name]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_examples_use_each_public_name() -> None:
    used = set(re.findall(r"\bweft\.([A-Za-z_]+)", EXAMPLES.read_text()))
    assert [name for name in weft.__all__ if name not in used] == []


def test_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES), run_name="__main__")
