"""Suffix arrays, LCP arrays and the Burrows-Wheeler transform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._types import NumberArray, Progress, SequencesLike, Stream, Text

Form = Literal["sentinel", "rotation"]
IndexArray = Union[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]
Transformed = Union[bytes, npt.NDArray[np.uint8]]


def suffix_array(
    x: Text,
    *,
    index_type: npt.DTypeLike | None = None,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> IndexArray:
    """Return the suffix array of a text: the positions of its suffixes, in lexicographic order.

    Symbols are compared as unsigned numbers, and a suffix is less than every longer suffix that begins with
    it. Suffixes are sorted on all threads of the CPU, or on a GPU.

    Parameters
    ----------
    x : str, bytes or array
        Text of bytes (a str must be ASCII), or an array of uint16 or uint32 symbols.
    index_type : dtype, optional
        uint32 or uint64; by default uint32 for fewer than 2**31 symbols.
    device : str
        "auto", "cpu", "gpu" or "gpu:N".
    engine : str
        For bytes "suffix-sort", "libdivsufsort" or "ternary-quicksort", for other symbols "suffix-sort"; or
        "auto". libdivsufsort sorts on one thread of the CPU, and Ctrl-C ends the call only after the sort.
    threads : int
        Number of threads of the CPU; 0: all.
    progress : callable, bool or None
        Function of (done, total), in symbols; True: a bar of tqdm.
    stream : int or object with __cuda_stream__, optional
        CUDA stream, for a text in the memory of a GPU.

    Returns
    -------
    array of uint32 or uint64, shape (len(x),)
        Positions from 0.

    Raises
    ------
    ValueError
        `index_type` is too small for the text, or another type.
    weft.InputError
        The engine is unknown or does not apply.
    weft.UnavailableError
        There is no such GPU.
    weft.OutOfMemoryError
        The call needs more memory than is available.

    Examples
    --------
    >>> import weft
    >>> weft.suffix_array("banana")
    array([5, 3, 1, 0, 4, 2], dtype=uint32)
    """
    name = "" if index_type is None else np.dtype(index_type).name
    return _core.suffix_array(x, name, (device, engine, threads, progress, stream))


def collection_suffix_array(
    seqs: SequencesLike,
    *,
    index_type: npt.DTypeLike | None = None,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> IndexArray:
    """Return the suffix array of a batch of sequences.

    Each sequence ends in an end mark of its own, which is smaller than every symbol; so equal suffixes have
    the order of their sequences. The end marks themselves are not listed.

    Parameters
    ----------
    seqs : batch of sequences
        weft.Sequences, a list of str or bytes, an Arrow array of strings, or (data, offsets).
    index_type : dtype, optional
        uint32 or uint64; by default uint32 for fewer than 2**31 letters.
    device, engine, threads, progress, stream
        As for `suffix_array`; the engine is "suffix-sort".

    Returns
    -------
    array of uint32 or uint64, shape (number of letters,)
        Positions in the concatenated sequences, from 0.

    Raises
    ------
    ValueError, weft.InputError, weft.UnavailableError, weft.OutOfMemoryError
        As `suffix_array`.

    Examples
    --------
    >>> import weft
    >>> weft.collection_suffix_array(["ban", "ana"])
    array([5, 1, 3, 0, 2, 4], dtype=uint32)
    """
    name = "" if index_type is None else np.dtype(index_type).name
    run = (device, engine, threads, progress, stream)
    return _core.collection_suffix_array(seqs, name, run)


def lcp_array(
    x: Text,
    sa: NumberArray,
    *,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> IndexArray:
    """Return the LCP array of a text: how many symbols each suffix shares with the one before it in order.

    Parameters
    ----------
    x : str, bytes or array of uint8
        Text of bytes.
    sa : array of uint32, uint64, int32 or int64, shape (len(x),)
        Suffix array of the text. Only the range of its entries is checked: for another array, the result has
        no meaning.
    device, engine, threads, progress, stream
        As for `suffix_array`; the engine is "permuted-lcp".

    Returns
    -------
    array of uint32 or uint64, shape (len(x),)
        Numbers of symbols, as unsigned numbers of the size of the entries of `sa`. The first number is 0.

    Raises
    ------
    ValueError
        `sa` has another size than `x`, or an entry that is not a position in it.
    weft.InputError, weft.UnavailableError, weft.OutOfMemoryError
        As `suffix_array`.

    Examples
    --------
    >>> import weft
    >>> weft.lcp_array("banana", weft.suffix_array("banana"))
    array([0, 1, 3, 0, 0, 2], dtype=uint32)
    """
    return _core.lcp_array(x, sa, (device, engine, threads, progress, stream))


@dataclass(frozen=True, eq=False)
class BWT:
    """A Burrows-Wheeler transform, with the row that its inversion needs.

    Attributes
    ----------
    data : bytes or array of uint8
        The transformed bytes.
    primary_index : int
        The row of the whole text.
    form : str
        "sentinel" or "rotation"; see `bwt`.

    Examples
    --------
    >>> import weft
    >>> weft.BWT(b"annbaa", 4).inverse()
    b'banana'
    """

    data: Transformed
    primary_index: int
    form: Form = "sentinel"

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.data)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BWT):
            return NotImplemented
        if (self.primary_index, self.form) != (other.primary_index, other.form):
            return False
        return np.array_equal(np.frombuffer(self.data, np.uint8), np.frombuffer(other.data, np.uint8))

    def inverse(self, **run: Any) -> Transformed:
        """Return the text; `run` are the keyword arguments of `inverse_bwt`.

        Examples
        --------
        >>> import weft
        >>> weft.bwt("banana").inverse()
        b'banana'
        """
        return inverse_bwt(self, **run)


def bwt(
    x: Text,
    *,
    form: Form = "sentinel",
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> BWT:
    """Return the Burrows-Wheeler transform of a text of bytes.

    Parameters
    ----------
    x : str, bytes or array of uint8
        Text of bytes (a str must be ASCII).
    form : str
        "sentinel": the rows are the suffixes of the text and an end mark; the transform consists of the bytes
        before the suffixes, except for the whole text, which is row `primary_index`, from 1 (0 for the empty
        text). "rotation": the rows are the rotations of the text, and the transform consists of their last
        bytes; `primary_index` is the first row that equals the text, from 0.
    device, engine, threads, progress, stream
        As for `suffix_array`.

    Returns
    -------
    BWT
        The attribute data is an array if `x` is a NumPy array, and bytes otherwise.

    Raises
    ------
    weft.InputError, weft.UnavailableError, weft.OutOfMemoryError
        As `suffix_array`.

    Examples
    --------
    >>> import weft
    >>> weft.bwt("banana")
    BWT(data=b'annbaa', primary_index=4, form='sentinel')
    """
    data, primary_index = _core.bwt(x, form, (device, engine, threads, progress, stream))
    return BWT(data, primary_index, form)


def inverse_bwt(
    t: BWT | Text,
    primary_index: int | None = None,
    *,
    form: Form = "sentinel",
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> Transformed:
    """Return the text of a Burrows-Wheeler transform.

    Parameters
    ----------
    t : BWT, str, bytes or array of uint8
        A transform, or its bytes.
    primary_index : int, optional
        The row of the whole text. Required if `t` holds bytes, and None if `t` is a BWT.
    form : str
        Form of the transform if `t` holds bytes: "sentinel" or "rotation".
    device, engine, threads, progress, stream
        As for `suffix_array`; the engine is "chains".

    Returns
    -------
    bytes or array of uint8
        An array if the transform holds an array, and bytes otherwise.

    Raises
    ------
    weft.InputError
        No text has this transform, or the engine is unknown.
    weft.UnavailableError, weft.OutOfMemoryError
        As `suffix_array`.

    Examples
    --------
    >>> import weft
    >>> weft.inverse_bwt(weft.bwt("banana"))
    b'banana'
    >>> weft.inverse_bwt(b"annbaa", 4)
    b'banana'
    """
    data: Any = t
    if isinstance(t, BWT):
        if primary_index is not None:
            raise TypeError("primary_index is part of t, which is a BWT: leave it out")
        data, primary_index, form = t.data, t.primary_index, t.form
    elif primary_index is None:
        raise TypeError("primary_index is needed, because t is not a BWT")
    run = (device, engine, threads, progress, stream)
    return _core.inverse_bwt(data, primary_index, form, run)  # type: ignore[return-value]
