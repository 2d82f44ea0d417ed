"""Longest common subsequences, distances and alignments."""

from __future__ import annotations

import os
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _core
from ._types import Counts, Progress, SequencesLike, Stream, Text

Metric = Literal["lcs", "indel", "edit", "affine"]


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
        Function of (done, total), in units of 2**20 cells; True: a bar of tqdm.
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
