"""Longest common subsequences, distances and alignments."""

from __future__ import annotations

from . import _core
from ._alignment import Alignment, Metric
from ._types import Counts, Progress, SequencesLike, Stream, Text


def lcs_length(
    a: Text,
    b: Text,
    *,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> int:
    """Return the length of a longest common subsequence of two texts.

    Parameters
    ----------
    a, b : str, bytes or array
        Texts of bytes (a str must be ASCII), or both arrays of uint32 symbols such as tokens. Only the
        equality of symbols counts.
    device : str
        "auto", "cpu", "gpu" or "gpu:N".
    engine : str
        Name of an engine (``weft devices --engines`` lists them), or "auto".
    threads : int
        Number of threads of the CPU; 0: all.
    progress : callable, bool or None
        Function of (done, total), in units of 2**20 cells of the table; True: a bar of tqdm.
    stream : int or object with __cuda_stream__, optional
        CUDA stream, for texts in the memory of a GPU.

    Returns
    -------
    int
        Number of symbols.

    Raises
    ------
    weft.InputError
        The engine is unknown or does not apply.
    weft.UnavailableError
        There is no such GPU.

    Examples
    --------
    >>> import weft
    >>> weft.lcs_length("ABCBDAB", "BDCABA")
    4
    """
    return _core.lcs_length(a, b, (device, engine, threads, progress, stream))


def indel_distance(
    a: Text,
    b: Text,
    *,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> int:
    """Return the smallest number of insertions and deletions that turn a into b.

    The distance is ``len(a) + len(b) - 2 * lcs_length(a, b)``.

    Parameters
    ----------
    a, b : str, bytes or array
        Texts of bytes (a str must be ASCII), or both arrays of uint32 symbols such as tokens. Only the
        equality of symbols counts.
    device : str
        "auto", "cpu", "gpu" or "gpu:N".
    engine : str
        Name of an engine (``weft devices --engines`` lists them), or "auto".
    threads : int
        Number of threads of the CPU; 0: all.
    progress : callable, bool or None
        Function of (done, total), in units of 2**20 cells of the table; True: a bar of tqdm.
    stream : int or object with __cuda_stream__, optional
        CUDA stream, for texts in the memory of a GPU.

    Returns
    -------
    int
        Number of symbols.

    Raises
    ------
    weft.InputError
        The engine is unknown or does not apply.
    weft.UnavailableError
        There is no such GPU.

    Examples
    --------
    >>> import weft
    >>> weft.indel_distance("kitten", "sitting")
    5
    """
    return _core.indel_distance(a, b, (device, engine, threads, progress, stream))


def edit_distance(
    a: Text,
    b: Text,
    *,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> int:
    """Return the Levenshtein distance of two texts.

    The distance is the smallest number of insertions, deletions and substitutions that turn a into b.

    Parameters
    ----------
    a, b : str, bytes or array
        Texts of bytes (a str must be ASCII), or both arrays of uint32 symbols such as tokens. Only the
        equality of symbols counts.
    device : str
        "auto", "cpu", "gpu" or "gpu:N".
    engine : str
        Name of an engine (``weft devices --engines`` lists them), or "auto".
    threads : int
        Number of threads of the CPU; 0: all.
    progress : callable, bool or None
        Function of (done, total), in units of 2**20 cells of the table; True: a bar of tqdm.
    stream : int or object with __cuda_stream__, optional
        CUDA stream, for texts in the memory of a GPU.

    Returns
    -------
    int
        Number of symbols.

    Raises
    ------
    weft.InputError
        The engine is unknown or does not apply.
    weft.UnavailableError
        There is no such GPU.

    Examples
    --------
    >>> import weft
    >>> weft.edit_distance("kitten", "sitting")
    3
    """
    return _core.edit_distance(a, b, (device, engine, threads, progress, stream))


def align(
    a: Text,
    b: Text,
    *,
    metric: Metric = "lcs",
    wildcards: str = "",
    unmatched: str = "",
    gap_open: int = 6,
    gap_extend: int = 2,
    mismatch: int = 4,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> Alignment:
    """Return an optimal alignment of two texts.

    Parameters
    ----------
    a, b : str, bytes or array
        Texts of bytes (a str must be ASCII), or both arrays of uint32 symbols.
    metric : str
        What is optimal: "lcs" (the most matches), "indel" (the same paths; the value is the number of
        insertions and deletions), "edit" (the fewest insertions, deletions and substitutions) or "affine"
        (the smallest penalty).
    wildcards : str
        Letters that equal every letter, such as "N".
    unmatched : str
        Letters that equal no letter, not even themselves.
    gap_open, gap_extend, mismatch : int
        Penalties of metric "affine": of each gap, of each symbol in a gap, and of each substitution.
    device : str
        "auto", "cpu", "gpu" or "gpu:N".
    engine : str
        Name of an engine (``weft devices --engines`` lists them), or "auto".
    threads : int
        Number of threads of the CPU; 0: all.
    progress : callable, bool or None
        Function of (done, total), in units of 2**20 cells of the table; True: a bar of tqdm.
    stream : int or object with __cuda_stream__, optional
        CUDA stream, for texts in the memory of a GPU.

    Returns
    -------
    Alignment
        The alignment takes 16 bytes for each run of equal steps.

    Raises
    ------
    weft.InputError
        The engine is unknown or does not apply.
    weft.UnavailableError
        There is no such GPU.
    weft.OutOfMemoryError
        The alignment needs more memory than is available.

    Examples
    --------
    >>> import weft
    >>> weft.align("GATTACA", "GCATGCA", metric="affine", gap_open=1).cigar()
    '1=1I1=1D1=1X2='
    """
    return Alignment(
        metric,
        _core.align(
            a,
            b,
            (metric, wildcards, unmatched, gap_open, gap_extend, mismatch),
            (device, engine, threads, progress, stream),
        ),
    )


def all_pairs(
    seqs: SequencesLike,
    *,
    metric: Metric = "lcs",
    condensed: bool = False,
    wildcards: str = "",
    unmatched: str = "",
    gap_open: int = 6,
    gap_extend: int = 2,
    mismatch: int = 4,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> Counts:
    """Return the length, distance or penalty of each pair of a batch of sequences.

    Parameters
    ----------
    seqs : batch of n sequences
        weft.Sequences, a list of str or bytes, an Arrow array of strings, or (data, offsets).
    metric : str
        What is computed: "lcs" (the most matches), "indel" (the same paths; the value is the number of
        insertions and deletions), "edit" (the fewest insertions, deletions and substitutions) or "affine"
        (the smallest penalty).
    wildcards : str
        Letters that equal every letter, such as "N".
    unmatched : str
        Letters that equal no letter, not even themselves.
    gap_open, gap_extend, mismatch : int
        Penalties of metric "affine": of each gap, of each symbol in a gap, and of each substitution.
    condensed : bool
        Whether to return only the pairs i < j, by i and then j, as SciPy's pdist does.
    device : str
        "auto", "cpu", "gpu" or "gpu:N".
    engine : str
        Name of an engine (``weft devices --engines`` lists them), or "auto".
    threads : int
        Number of threads of the CPU; 0: all.
    progress : callable, bool or None
        Function of (done, total), in units of 2**20 cells of the table; True: a bar of tqdm.
    stream : int or object with __cuda_stream__, optional
        CUDA stream, for texts in the memory of a GPU.

    Returns
    -------
    array of uint64
        A symmetric matrix of shape (n, n), or an array of shape (n * (n - 1) / 2,). The diagonal
        holds 0 or, for metric "lcs", the sizes of the sequences.

    Raises
    ------
    weft.InputError
        The engine is unknown or does not apply.
    weft.UnavailableError
        There is no such GPU.

    Examples
    --------
    >>> import weft
    >>> weft.all_pairs(["GATTACA", "GATCA", "TTT"], metric="edit")
    array([[0, 2, 5],
           [2, 0, 4],
           [5, 4, 0]], dtype=uint64)
    >>> weft.all_pairs(["GATTACA", "GATCA", "TTT"], metric="edit", condensed=True)
    array([2, 5, 4], dtype=uint64)
    """
    return _core.all_pairs(
        seqs,
        (metric, wildcards, unmatched, gap_open, gap_extend, mismatch),
        bool(condensed),
        (device, engine, threads, progress, stream),
    )
