"""The examples of README.md and docs/python.md, and the cells of docs/python.ipynb run, in a copy of examples/data."""

from __future__ import annotations

import ast
import doctest
import importlib.util
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
PAGES = {CHECKOUT / "docs" / "python.md": 20, CHECKOUT / "README.md": 5}  # with a number of examples
NOTEBOOK = CHECKOUT / "docs" / "python.ipynb"
PICTURES = {"image/png", "image/svg+xml"}
KERNEL_SECONDS = 120


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a copy of examples/data the current folder."""
    folder = tmp_path / "data"
    shutil.copytree(CHECKOUT / "examples" / "data", folder)
    monkeypatch.chdir(folder)
    return folder


def read_notebook() -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return notebook


def code_cells() -> list[dict[str, Any]]:
    return [cell for cell in read_notebook()["cells"] if cell["cell_type"] == "code"]


def imported_modules(source: str) -> set[str]:
    """Return the modules that a cell imports, without their submodules."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


def has_module(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def require_modules(cells: list[dict[str, Any]]) -> None:
    """Skip the test if a module that the notebook imports is missing. weft and NumPy are never missing."""
    modules = set().union(*(imported_modules("".join(cell["source"])) for cell in cells)) - {"weft", "numpy"}
    missing = sorted(name for name in modules if not has_module(name))
    if missing:
        pytest.skip(f"the notebook needs {', '.join(missing)}")


def execute_in_a_kernel(folder: Path) -> None:
    import nbclient
    import nbformat

    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call,unused-ignore]
    resources = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=KERNEL_SECONDS, resources=resources).execute()


def execute_here(cells: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Execute the cells in this process, with a backend of matplotlib that opens no window."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(cells, 1):
        code = compile("".join(cell["source"]), f"{NOTEBOOK.name}, code cell {number}", "exec")
        exec(code, namespace)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page(page: Path, data: Path) -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(page), module_relative=False, optionflags=flags, encoding="utf-8")
    assert result.attempted > PAGES[page] and result.failed == 0


def test_the_cells_of_the_notebook(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = code_cells()
    assert len(cells) > 5
    require_modules(cells)
    if has_module("nbclient") and has_module("ipykernel"):
        execute_in_a_kernel(data)
    else:
        execute_here(cells, monkeypatch)


def test_the_notebook_was_saved_with_its_outputs() -> None:
    cells = code_cells()
    assert all(cell["execution_count"] for cell in cells), "execute all cells and save the notebook"
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert [output for output in outputs if output["output_type"] == "error"] == []
    assert any(PICTURES & set(output.get("data", {})) for output in outputs)
