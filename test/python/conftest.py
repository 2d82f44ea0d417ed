"""What the tests of the Python package share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Callable

import pytest
import weft
from hypothesis import HealthCheck, settings

CHECKOUT = Path(__file__).resolve().parents[2]

# The examples are the same in each run, and the time that one takes does not matter, so that a busy machine fails no
# test. `make python-check` draws new examples.
settings.register_profile(
    "weft",
    deadline=None,
    derandomize="WEFT_WHOLE_CORPUS" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("weft")


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
