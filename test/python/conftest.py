"""What the tests of the Python package share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Callable

import pytest
import weft

CHECKOUT = Path(__file__).resolve().parents[2]


def pytest_report_header() -> str:
    return f"weft {weft.__version__} of {Path(weft.__file__).parent}"


@pytest.fixture
def run_python(tmp_path: Path) -> Callable[..., str]:
    """Return a function that runs a program in a new interpreter and returns what it printed.

    The program runs in an empty folder. Keyword arguments are variables of its environment.
    """

    def run(program: str, timeout: float = 120, **variables: str) -> str:
        result = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    return run
