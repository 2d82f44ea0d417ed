"""A use of each public name, with the types that its results have. test_types.py runs it and passes it to mypy."""

from __future__ import annotations

import weft


def versions() -> str:
    return weft.__version__


def exceptions() -> list[type[weft.Error]]:
    return [
        weft.Error,
        weft.InputError,
        weft.ParseError,
        weft.UnavailableError,
        weft.OutOfMemoryError,
        weft.DeviceError,
        weft.FileError,
        weft.MissingFileError,
        weft.FileAccessError,
    ]


def where_a_pattern_is_wrong(fault: weft.ParseError) -> tuple[str, int, int]:
    return fault.source, fault.line, fault.column


def lengths() -> int:
    length: int = weft.lcs_length("ABCBDAB", b"BDCABA", device="cpu", threads=1)
    return length


if __name__ == "__main__":
    assert versions()
    assert all(issubclass(each, Exception) for each in exceptions())
    assert where_a_pattern_is_wrong(weft.ParseError("wrong", "pattern", 1, 2)) == ("pattern", 1, 2)
    assert lengths() == 4
