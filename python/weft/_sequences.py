"""Batches of sequences, and the files that hold them."""

from __future__ import annotations

import operator
import os
from typing import Any, Iterable, Iterator, Sequence, Union, cast, overload

import numpy as np
import numpy.typing as npt

from . import _core
from ._types import Counts, NumberArray, Progress, SequencesLike, Text

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
_HOST = ("auto", "auto", 0, None, None)


class Sequences:
    """A batch of sequences end to end, with the offsets between them.

    Sequence ``i`` is ``data[offsets[i]:offsets[i + 1]]``. The memory of `data` and `offsets` is shared, not
    copied, and must not change while the batch is in use.

    Parameters
    ----------
    data : str, bytes or array
        The bytes of all sequences (a str must be ASCII).
    offsets : array of uint64
        Ascending from 0 to the number of bytes; one more than there are sequences. Other integers are copied.
    names : list of str, optional
        One name for each sequence, or none.
    descriptions : list of str, optional
        Text that follows the name of each sequence in a file; one for each sequence, or none.

    Attributes
    ----------
    data : ndarray of uint8
        The bytes, which cannot be written through this array.
    offsets : ndarray of uint64
        The offsets, which cannot be written through this array.
    names, descriptions : list of str
        Empty if there are none.
    source : str
        Name of the file that holds the sequences; empty if there is none.

    Raises
    ------
    TypeError
        `data` does not consist of bytes, or `offsets` of integers.
    ValueError
        The offsets do not ascend from 0 to the number of bytes, or the number of names is wrong.

    Examples
    --------
    >>> import numpy as np
    >>> import weft
    >>> batch = weft.Sequences(b"GATTACATTA", np.array([0, 7, 10]), ["first", "second"])
    >>> len(batch), batch[1], batch.lengths.tolist()
    (2, b'TTA', [7, 3])
    """

    __slots__ = ("data", "offsets", "names", "descriptions", "source")
    __hash__ = None  # type: ignore[assignment]

    data: npt.NDArray[np.uint8]
    offsets: Counts
    names: list[str]
    descriptions: list[str]
    source: str

    def __init__(
        self,
        data: Text,
        offsets: NumberArray,
        names: Sequence[str] | None = None,
        descriptions: Sequence[str] | None = None,
    ) -> None:
        self.data, self.offsets, _ = _core.sequence_columns((data, np.asarray(offsets)), "data", False, _HOST)
        self.names = _checked(names, "names", len(self))
        self.descriptions = _checked(descriptions, "descriptions", len(self))
        self.source = ""

    @classmethod
    def from_list(cls, items: SequencesLike, names: Sequence[str] | None = None) -> Sequences:
        """Return a batch of a list of str, bytes or arrays, or of an Arrow array of strings.

        Parameters
        ----------
        items : list of str, bytes or arrays of uint8, or another batch of sequences
            The items of a list are copied. The memory of an Arrow array of large_string or large_binary is
            shared.
        names : list of str, optional
            One name for each sequence, or none.

        Returns
        -------
        Sequences

        Raises
        ------
        TypeError
            An item is of another type.
        ValueError
            A str is not ASCII, an item is missing, or the number of names is wrong.

        Examples
        --------
        >>> import weft
        >>> list(weft.Sequences.from_list(["GATTACA", b"TTA"]))
        [b'GATTACA', b'TTA']
        """
        return _of(cls, items, names, single=False, name="items")

    @property
    def lengths(self) -> Counts:
        """Number of bytes of each sequence, as an array of uint64."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> bytes: ...

    @overload
    def __getitem__(self, index: slice) -> Sequences: ...

    def __getitem__(self, index: int | slice) -> bytes | Sequences:
        if not isinstance(index, slice):
            i = range(len(self))[index]
            return self.data[int(self.offsets[i]) : int(self.offsets[i + 1])].tobytes()
        chosen = range(len(self))[index]
        if chosen.step == 1 and chosen:
            offsets = self.offsets[chosen.start : chosen.stop + 1]
            data = self.data[int(offsets[0]) : int(offsets[-1])]
            part = Sequences(data, offsets - offsets[0])
        else:
            part = Sequences.from_list([self[i] for i in chosen])
        part.names = self.names[index]
        part.descriptions = self.descriptions[index]
        part.source = self.source
        return part

    def __iter__(self) -> Iterator[bytes]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequences):
            return NotImplemented
        return (
            self.names == other.names
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.data, other.data)
        )

    def __repr__(self) -> str:
        named = f", named {self.names[0]!r} ..." if self.names else ""
        return f"weft.Sequences({len(self)} sequences of {len(self.data)} bytes{named})"

    def to_arrow(self) -> Any:
        """Return a pyarrow.LargeBinaryArray that shares the memory.

        Returns
        -------
        pyarrow.LargeBinaryArray
            One item for each sequence. ``.cast("large_string")`` makes strings of them.

        Raises
        ------
        ImportError
            PyArrow is not installed.

        Examples
        --------
        >>> import weft
        >>> weft.Sequences.from_list(["GATTACA", "TTA"]).to_arrow().to_pylist()
        [b'GATTACA', b'TTA']
        """
        arrow = require("pyarrow", "to_arrow")
        buffers = [None, arrow.py_buffer(self.offsets), arrow.py_buffer(self.data)]
        return arrow.Array.from_buffers(arrow.large_binary(), len(self), buffers)


def _checked(names: Iterable[str] | None, what: str, count: int) -> list[str]:
    """Return a list of as many str as there are sequences, or of none."""
    checked = [] if names is None else list(names)
    if isinstance(names, str) or not all(isinstance(name, str) for name in checked):
        raise TypeError(f"{what} must be a list of str")
    if checked and len(checked) != count:
        raise ValueError(f"there are {len(checked)} {what} for {count} sequences; give as many, or none")
    return checked


def _of(
    cls: type[Sequences], value: Any, names: Sequence[str] | None, *, single: bool, name: str = "seqs"
) -> Sequences:
    """Return the batch that `value` is; if `single`, a str or an array of bytes is one sequence."""
    batch = cls.__new__(cls)
    batch.data, batch.offsets, own_names = _core.sequence_columns(value, name, single, _HOST)
    batch.names = own_names if names is None else _checked(names, "names", len(batch))
    batch.descriptions = []
    batch.source = ""
    return batch


def batch_of(value: SequencesLike | Text) -> Sequences:
    """Return `value` if it is a batch, or else the batch of its sequences or of the single sequence."""
    return value if isinstance(value, Sequences) else _of(Sequences, value, None, single=True)


def require(module: str, method: str) -> Any:
    """Import an optional module for a method."""
    try:
        return __import__(module)
    except ImportError as failure:
        raise ImportError(f"{method}() needs {module}: pip install {module}") from failure


def _from_columns(columns: tuple[Any, ...], path: Path) -> Sequences:
    batch = Sequences.__new__(Sequences)
    batch.data, batch.offsets, batch.names, batch.descriptions = columns
    batch.source = os.fsdecode(path)
    return batch


def read_sequences(path: Path, *, progress: Progress = None) -> Sequences:
    """Return all sequences of a file.

    Parameters
    ----------
    path : str, bytes or path
        A FASTA or FASTQ file, plain or compressed by gzip, bzip2, zstd or xz; "-" is standard input.
    progress : callable, bool or None
        Function of (done, total), in bytes of the file; True: a bar of tqdm.

    Returns
    -------
    Sequences
        The residues of the file without white space, with names and descriptions.

    Raises
    ------
    weft.ParseError
        The file is malformed. The error names the file, the line and the column.
    weft.FileError
        The file cannot be read. It is FileNotFoundError if there is no file.

    Examples
    --------
    >>> import os, tempfile, weft
    >>> path = os.path.join(tempfile.mkdtemp(), "small.fa")
    >>> _ = open(path, "w").write(">first a gene\\nGATT\\nACA\\n>second\\nTTA\\n")
    >>> batch = weft.read_sequences(path)
    >>> list(zip(batch.names, batch.descriptions, batch))
    [('first', 'a gene', b'GATTACA'), ('second', '', b'TTA')]
    """
    return _from_columns(_core.read_sequences(os.fsencode(path), (*_HOST[:3], progress, None)), path)


def iter_sequences(path: Path, *, residues: int = 1 << 24, progress: Progress = None) -> Iterator[Sequences]:
    """Iterate over the sequences of a file, in batches of whole sequences.

    Memory does not grow with the file.

    Parameters
    ----------
    path : str, bytes or path
        As for `read_sequences`.
    residues : int
        Approximate number of residues of a batch. A longer sequence is a batch of its own.
    progress : callable, bool or None
        Function of (done, total) that is called for each batch, in bytes of the file; True: a bar of tqdm.

    Yields
    ------
    Sequences
        At least one sequence.

    Raises
    ------
    ValueError
        `residues` is not positive.
    weft.ParseError
        The file is malformed.
    weft.FileError
        The file cannot be opened or read. The call itself raises the error of a file that cannot be opened.

    Examples
    --------
    >>> import os, tempfile, weft
    >>> path = os.path.join(tempfile.mkdtemp(), "small.fa")
    >>> _ = open(path, "w").write(">first\\nGATTACA\\n>second\\nTTA\\n")
    >>> [batch.names for batch in weft.iter_sequences(path, residues=5)]
    [['first'], ['second']]
    """
    if residues < 1:
        raise ValueError("residues must be at least 1")
    residues = min(operator.index(residues), 1 << 62)
    chunks = _core.SequenceChunks(os.fsencode(path), _HOST)

    def batches() -> Iterator[Sequences]:
        run = (*_HOST[:3], progress, None)
        while (columns := chunks.next(residues, run)) is not None:
            yield _from_columns(cast("tuple[Any, ...]", columns), path)

    return batches()
