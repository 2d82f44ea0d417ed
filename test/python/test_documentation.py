"""Every public name has a docstring, and the examples of the docstrings do what they show."""

from __future__ import annotations

import doctest
import importlib
import inspect
from functools import cached_property
from pathlib import Path
from typing import Any, Iterator

import pytest
import weft

# Packages that the examples of a method need, where weft itself does not.
NEEDED = {"to_arrow": "pyarrow", "to_pandas": "pandas"}

# Objects of the classes whose names start with this word are in the memory of a GPU, so an example of them runs
# only on a machine with a GPU. Their examples are in docs/python.md, and test_gpu.py tests the classes.
ON_GPU = "Device"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def is_exception(value: Any) -> bool:
    return inspect.isclass(value) and issubclass(value, BaseException)


def methods_of(name: str, kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties that a class has from weft."""
    described = (classmethod, staticmethod, property, cached_property)
    for base in kind.__mro__:
        if base.__module__.partition(".")[0] != "weft":
            continue
        for member, value in vars(base).items():
            if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, described)):
                yield f"{name}.{member}", value


def public_objects() -> dict[str, Any]:
    """Return the public functions, classes, methods and properties by name."""
    found: dict[str, Any] = {}
    for name in weft.__all__:
        value = getattr(weft, name)
        if inspect.isclass(value):
            found[name] = value
            found.update(methods_of(name, value))
        elif callable(value) and not hasattr(value, "__origin__"):
            found[name] = value
    return found


PUBLIC = public_objects()


def is_property(value: Any) -> bool:
    return isinstance(value, (property, cached_property))


def is_on_gpu(name: str, value: Any) -> bool:
    return name.startswith(ON_GPU) and not is_exception(value)


def needs_example(name: str, value: Any) -> bool:
    return not (is_exception(value) or is_property(value) or is_on_gpu(name, value))


def docstring_of(value: Any) -> str:
    if isinstance(value, (classmethod, staticmethod)):
        value = value.__func__
    return inspect.cleandoc(value.__doc__ or "")


def has_section(text: str, title: str) -> bool:
    return f"\n{title}\n{'-' * len(title)}\n" in f"\n{text}\n"


def test_all_is_sorted_and_exists() -> None:
    assert weft.__all__ == sorted(weft.__all__)
    for name in weft.__all__:
        assert hasattr(weft, name)


def test_no_public_name_is_missing_from_all() -> None:
    public = {
        name
        for name, value in vars(weft).items()
        if not name.startswith("_") and not inspect.ismodule(value) and name != "annotations"
    }
    assert public <= set(weft.__all__)


@pytest.mark.parametrize("name", PUBLIC)
def test_has_a_docstring(name: str) -> None:
    value = PUBLIC[name]
    text = docstring_of(value)
    assert text, f"{name} has no docstring"
    summary = text.split("\n\n")[0]
    assert summary.endswith("."), f"the docstring of {name} does not start with a sentence"
    if needs_example(name, value):
        assert has_section(text, "Examples"), f"{name} has no example"


@pytest.mark.parametrize("name", [name for name in weft.__all__ if is_on_gpu(name, getattr(weft, name))])
def test_the_page_has_an_example_on_a_gpu(name: str) -> None:
    blocks = PAGE.read_text().split("```")[1::2]
    assert any(f"weft.{name}" in block and "cupy" in block for block in blocks)


@pytest.mark.parametrize("name", [name for name in weft.__all__ if inspect.isfunction(getattr(weft, name))])
def test_each_parameter_is_described(name: str) -> None:
    text = docstring_of(PUBLIC[name])
    assert has_section(text, "Parameters")
    section = text.split("\nParameters\n----------\n")[1].split("\n----")[0]
    described = {
        each.strip().lstrip("*")
        for line in section.splitlines()
        if not line.startswith(" ")
        for each in line.partition(" : ")[0].split(",")
    }
    assert [each for each in inspect.signature(PUBLIC[name]).parameters if each not in described] == []


@pytest.mark.parametrize("name", PUBLIC)
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = docstring_of(PUBLIC[name])
    member = name.rpartition(".")[2]
    if member in NEEDED:
        pytest.importorskip(NEEDED[member])
    assert "+SKIP" not in text
    monkeypatch.chdir(tmp_path)
    example = doctest.DocTestParser().get_doctest(text, {"weft": weft}, name, None, None)
    if not needs_example(name, PUBLIC[name]) and not example.examples:
        return
    assert example.examples, f"{name} has no example"
    output: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.DocTestRunner(optionflags=flags).run(example, out=output.append)
    assert result.failed == 0, "".join(output)


def test_the_package_has_its_types() -> None:
    folder = Path(weft.__file__).parent
    assert (folder / "py.typed").exists()
    assert "def lcs_length(" in (folder / "_core.pyi").read_text()


def test_the_version_is_that_of_the_distribution() -> None:
    metadata = importlib.import_module("importlib.metadata")
    try:
        version = metadata.version("weft")
    except metadata.PackageNotFoundError:
        pytest.skip("weft is not installed")
    assert version == weft.__version__
