"""Sorting of files."""

from __future__ import annotations

import os
from typing import Sequence, Union

from . import _core
from ._types import Progress

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def sort_file(
    src: Path | Sequence[Path],
    dst: Path,
    *,
    key: str | Sequence[str] | None = None,
    field_separator: str | bytes | None = None,
    unique: bool = False,
    reverse: bool = False,
    stable: bool = False,
    numeric: bool = False,
    general_numeric: bool = False,
    human_numeric: bool = False,
    month: bool = False,
    version: bool = False,
    random: bool = False,
    ignore_case: bool = False,
    dictionary_order: bool = False,
    ignore_leading_blanks: bool = False,
    ignore_nonprinting: bool = False,
    zero_terminated: bool = False,
    header: int | None = None,
    csv: bool = False,
    merge: bool = False,
    dtype: str | None = None,
    memory: int | str | None = None,
    temporary_directory: Path | Sequence[Path] | None = None,
    decompress: bool = True,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
) -> None:
    """Sort the lines of files, or the numbers of a file, as the command ``weft sort`` does.

    Lines are compared by their bytes, or by keys, as GNU sort compares them in the C locale. Files larger
    than the memory are sorted through temporary files. A file that begins as a .npy file, or whose name ends
    in .npy, is an array of numbers.

    Parameters
    ----------
    src : path or sequence of paths
        Files to sort together. Files compressed with gzip, bzip2, zstd or xz are decompressed.
    dst : path
        File for the result, which appears only when it is complete. It may be one of the inputs.
    key : str or sequence of str, optional
        Keys as for ``sort -k``, such as "2,2n": FIELD[.CHAR][OPTIONS][,FIELD[.CHAR][OPTIONS]], where fields
        and characters count from 1 and OPTIONS are letters of bdfghiMnRrV. With `csv`, COLUMN[:OPTIONS],
        with the name or the number of a column.
    field_separator : str, optional
        Byte between fields. Without it, a field begins with the blanks before it; with `csv`, a comma
        separates fields.
    unique : bool
        Write only the first of lines with equal keys (-u).
    reverse : bool
        Reverse the order (-r). For arrays: descending.
    stable : bool
        Keep lines with equal keys in their order, instead of comparing their bytes (-s).
    numeric, general_numeric, human_numeric, month, version, random : bool
        Compare keys as numbers (-n), as numbers with exponents (-g), as numbers with suffixes such as 2K
        (-h), as names of months (-M), as versions (-V), or by a hash (-R).
    ignore_case, dictionary_order, ignore_leading_blanks, ignore_nonprinting : bool
        Compare letters without case (-f), only blanks, letters and digits (-d), without the blanks at the
        start of a key (-b), or only printable characters (-i).
    zero_terminated : bool
        Lines end with a zero byte instead of a newline (-z).
    header : int, optional
        Number of lines at the start of every file that are not sorted. All files must have the same header,
        which is written once. Default: 0, and 1 with `csv`.
    csv : bool
        The files are comma-separated values; quoted fields may contain separators and newlines.
    merge : bool
        The files are sorted already and are only merged (-m).
    dtype : str, optional
        Type of the numbers of a file without a header: "u8" to "u64", "i8" to "i64", "i128", "f32", "f64",
        or a name of NumPy such as "uint64". The numbers are little-endian.
    memory : int or str, optional
        Memory to use, in bytes or as a text such as "256M". Default: half of the available memory.
    temporary_directory : path or sequence of paths, optional
        Directories for temporary files. Default: $TMPDIR, or /tmp.
    decompress : bool
        Whether compressed files are decompressed.
    device : str
        "auto", "cpu", "gpu" or "gpu:N".
    engine : str
        Name of an engine for arrays (``weft devices --engines`` lists them); "words" for lines; or "auto".
    threads : int
        Number of threads of the CPU; 0: all.
    progress : callable, bool or None
        Function of (done, total), in bytes for lines and in items for arrays; True: a bar of tqdm. The
        total is the size of the files. Compressed files, and lines that are merged, count more bytes.

    Raises
    ------
    weft.FileError
        A file cannot be read or written. Its attribute errno is that of the system; a missing file is also
        FileNotFoundError.
    weft.ParseError
        An array is malformed.
    weft.InputError
        A key is malformed, arguments contradict each other, or headers differ.
    weft.OutOfMemoryError
        A line, or an array, does not fit in `memory`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import weft
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = pathlib.Path(folder, "table.tsv")
    ...     _ = table.write_text("b 10\\na 9\\n")
    ...     weft.sort_file(table, table, key="2,2n")
    ...     table.read_text()
    'a 9\\nb 10\\n'
    """
    folders = temporary_directory
    options = {
        "key": [key] if isinstance(key, str) else key,
        "field_separator": field_separator,
        "unique": unique,
        "reverse": reverse,
        "stable": stable,
        "numeric": numeric,
        "general_numeric": general_numeric,
        "human_numeric": human_numeric,
        "month": month,
        "version": version,
        "random": random,
        "ignore_case": ignore_case,
        "dictionary_order": dictionary_order,
        "ignore_leading_blanks": ignore_leading_blanks,
        "ignore_nonprinting": ignore_nonprinting,
        "zero_terminated": zero_terminated,
        "header": header,
        "csv": csv,
        "merge": merge,
        "dtype": dtype,
        "memory": memory,
        "temporary_directory": None if folders is None else _paths(folders),
        "decompress": decompress,
    }
    run = (device, engine, threads, progress, None)
    _core.sort_file(_paths(src), os.fsencode(dst), options, run)


def _paths(names: Path | Sequence[Path]) -> list[bytes]:
    """Return one path or several as bytes."""
    if isinstance(names, (str, bytes, os.PathLike)):
        return [os.fsencode(names)]
    return [os.fsencode(name) for name in names]
