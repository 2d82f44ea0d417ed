"""Sorting of arrays of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._types import NumberArray, Progress, Stream

Positions = npt.NDArray[np.int64]


def sort(
    x: NumberArray,
    *,
    descending: bool = False,
    stable: bool = True,
    out: NumberArray | None = None,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> npt.NDArray[Any]:
    """Return the sorted numbers of an array.

    Parameters
    ----------
    x : array, shape (n,), of uint8 to uint64, int8 to int64, float32 or float64
        Numbers. Not changed, unless it is `out`.
    descending : bool
        Whether the largest number comes first.
    stable : bool
        Whether equal numbers keep their order. Equal numbers are indistinguishable, so the result is the
        same; the engine "sample-merge" runs only if False.
    out : array, shape (n,), of the dtype of x, optional
        Array for the result: contiguous and writable. ``out=x`` sorts in place without extra memory.
    device : str
        "auto", "cpu", "gpu" or "gpu:N".
    engine : str
        Name of an engine (``weft devices --engines`` lists them), or "auto".
    threads : int
        Number of threads of the CPU; 0: all.
    progress : callable, bool or None
        Function of (done, total), in items; True: a bar of tqdm.
    stream : int or object with __cuda_stream__, optional
        CUDA stream, for arrays in the memory of a GPU.

    Returns
    -------
    array, shape (n,), of the dtype of x
        `out` if it was given, and otherwise a new NumPy array, which is the only copy of the numbers.

    Raises
    ------
    TypeError
        The items have a type that is not accepted, or not the byte order of the machine.
    ValueError
        `x` or `out` does not have one dimension, or `out` has another size or is read-only or strided.
    weft.InputError
        The engine is unknown or does not apply.
    weft.UnavailableError
        There is no such GPU.

    Notes
    -----
    Floating-point numbers have the total order of IEEE 754: -0 comes before +0, and NaN after all numbers
    (those with the sign bit set after the others). ``numpy.sort`` treats -0 and +0 as equal and also puts NaN
    last. A descending sort is the exact reverse, so NaN comes first.

    If the call is interrupted, the content of `out` is unspecified.

    Examples
    --------
    >>> import numpy as np
    >>> import weft
    >>> weft.sort(np.array([3.0, -1.5, 2.0]))
    array([-1.5,  2. ,  3. ])
    >>> x = np.array([3, 1, 2])
    >>> _ = weft.sort(x, out=x, descending=True)
    >>> x
    array([3, 2, 1])
    """
    run = (device, engine, threads, progress, stream)
    return _core.sort(x, bool(descending), bool(stable), out, run)


def argsort(
    x: NumberArray,
    *,
    descending: bool = False,
    stable: bool = True,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> Positions:
    """Return the positions that sort an array.

    Parameters
    ----------
    x : array, shape (n,), of uint8 to uint64, int8 to int64, float32 or float64
        Numbers.
    descending : bool
        Whether the largest number comes first. Equal numbers keep their order in this case, too.
    stable : bool
        Accepted for the array API. The result is always stable.
    device : str
        "auto", "cpu", "gpu" or "gpu:N".
    engine : str
        Name of an engine (``weft devices --engines`` lists them), or "auto".
    threads : int
        Number of threads of the CPU; 0: all.
    progress : callable, bool or None
        Function of (done, total), in items; True: a bar of tqdm.
    stream : int or object with __cuda_stream__, optional
        CUDA stream, for arrays in the memory of a GPU.

    Returns
    -------
    array, shape (n,), of int64
        Element i is the position in `x`, from 0, of the number that a stable sort would put at i.

    Raises
    ------
    TypeError
        The items have a type that is not accepted, or not the byte order of the machine.
    ValueError
        `x` does not have one dimension.
    weft.InputError
        The engine is unknown or does not apply.
    weft.UnavailableError
        There is no such GPU.

    See Also
    --------
    weft.sort : Describes the order of floating-point numbers.

    Examples
    --------
    >>> import numpy as np
    >>> import weft
    >>> weft.argsort(np.array([2.0, 1.5, -1.0, 1.5]))
    array([2, 1, 3, 0])
    """
    return _core.argsort(x, bool(descending), (device, engine, threads, progress, stream))


def sort_by_key(
    keys: NumberArray,
    values: NumberArray,
    *,
    descending: bool = False,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return keys in sorted order, and the values of these keys.

    Parameters
    ----------
    keys, values : array, shape (n,), of uint8 to uint64, int8 to int64, float32 or float64
        Numbers; the two may have different types. Neither is changed.
    descending : bool
        Whether the largest key comes first. Equal keys keep their order in either case.
    device : str
        "auto", "cpu", "gpu" or "gpu:N".
    engine : str
        Name of an engine (``weft devices --engines`` lists them), or "auto".
    threads : int
        Number of threads of the CPU; 0: all.
    progress : callable, bool or None
        Function of (done, total), in items; True: a bar of tqdm.
    stream : int or object with __cuda_stream__, optional
        CUDA stream, for arrays in the memory of a GPU.

    Returns
    -------
    keys, values : array, shape (n,), of the dtypes of the arguments
        New NumPy arrays.

    Raises
    ------
    TypeError
        The items have a type that is not accepted, or not the byte order of the machine.
    ValueError
        An array does not have one dimension, or the sizes differ.
    weft.InputError
        The engine is unknown or does not apply.
    weft.UnavailableError
        There is no such GPU.

    Examples
    --------
    >>> import numpy as np
    >>> import weft
    >>> weft.sort_by_key(np.array([3, 1, 2]), np.array([0.3, 0.1, 0.2]))
    (array([1, 2, 3]), array([0.1, 0.2, 0.3]))
    """
    run = (device, engine, threads, progress, stream)
    return _core.sort_by_key(keys, values, bool(descending), run)


def segmented_sort(
    x: NumberArray,
    offsets: NumberArray,
    *,
    descending: bool = False,
    out: NumberArray | None = None,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> npt.NDArray[Any]:
    """Return an array in which each segment is sorted by itself.

    Parameters
    ----------
    x : array, shape (n,), of uint8 to uint64, int8 to int64, float32 or float64
        Numbers. Not changed, unless it is `out`.
    offsets : array, shape (m + 1,), of uint64 or int64
        Segment i is ``x[offsets[i]:offsets[i + 1]]``. The offsets ascend from 0 to n.
    descending : bool
        Whether the largest number of a segment comes first.
    out : array, shape (n,), of the dtype of x, optional
        Array for the result: contiguous and writable. ``out=x`` sorts in place.
    device : str
        "auto", "cpu", "gpu" or "gpu:N".
    engine : str
        Name of an engine (``weft devices --engines`` lists them), or "auto".
    threads : int
        Number of threads of the CPU; 0: all.
    progress : callable, bool or None
        Function of (done, total), in items; True: a bar of tqdm.
    stream : int or object with __cuda_stream__, optional
        CUDA stream, for arrays in the memory of a GPU.

    Returns
    -------
    array, shape (n,), of the dtype of x
        `out` if it was given, and otherwise a new NumPy array.

    Raises
    ------
    TypeError
        The items have a type that is not accepted, or not the byte order of the machine.
    ValueError
        An array does not have one dimension, the offsets do not ascend from 0 to n, or `out` has another
        size or is read-only or strided.
    weft.InputError
        The engine is unknown or does not apply.
    weft.UnavailableError
        There is no such GPU.

    Examples
    --------
    >>> import numpy as np
    >>> import weft
    >>> weft.segmented_sort(np.array([3, 1, 2, 9, 8]), np.array([0, 3, 5]))
    array([1, 2, 3, 8, 9])
    """
    run = (device, engine, threads, progress, stream)
    return _core.segmented_sort(x, offsets, bool(descending), out, run)


def top_k(
    x: NumberArray,
    k: int,
    *,
    largest: bool = True,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> npt.NDArray[Any]:
    """Return the k largest or smallest numbers of an array.

    Parameters
    ----------
    x : array, shape (n,), of uint8 to uint64, int8 to int64, float32 or float64
        Numbers.
    k : int
        Number of items to return; if `x` has fewer, all are returned.
    largest : bool
        True: the largest numbers, in descending order. False: the smallest ones, in ascending order.
    device : str
        "auto", "cpu", "gpu" or "gpu:N".
    engine : str
        Name of an engine (``weft devices --engines`` lists them), or "auto".
    threads : int
        Number of threads of the CPU; 0: all.
    progress : callable, bool or None
        Function of (done, total), in items; True: a bar of tqdm.
    stream : int or object with __cuda_stream__, optional
        CUDA stream, for arrays in the memory of a GPU.

    Returns
    -------
    array, shape (min(k, n),), of the dtype of x
        The first numbers of ``weft.sort(x, descending=largest)``. NaN comes after all numbers, so the
        largest numbers begin with the NaNs. Takes O(n + k log k) time for numbers in random order.

    Raises
    ------
    TypeError
        The items have a type that is not accepted, or not the byte order of the machine.
    ValueError
        `x` does not have one dimension, or `k` is negative.
    weft.InputError
        The engine is unknown or does not apply.
    weft.UnavailableError
        There is no such GPU.

    Examples
    --------
    >>> import numpy as np
    >>> import weft
    >>> weft.top_k(np.array([3, 9, 1, 7]), 2)
    array([9, 7])
    >>> weft.top_k(np.array([3, 9, 1, 7]), 2, largest=False)
    array([1, 3])
    """
    return _core.top_k(x, k, bool(largest), (device, engine, threads, progress, stream))


def is_sorted(
    x: NumberArray,
    *,
    descending: bool = False,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> bool:
    """Return whether the numbers of an array are in order.

    Parameters
    ----------
    x : array, shape (n,), of uint8 to uint64, int8 to int64, float32 or float64
        Numbers.
    descending : bool
        Whether the order is descending.
    device : str
        "auto", "cpu", "gpu" or "gpu:N".
    engine : str
        Name of an engine (``weft devices --engines`` lists them), or "auto".
    threads : int
        Number of threads of the CPU; 0: all.
    progress : callable, bool or None
        Function of (done, total), in items; True: a bar of tqdm.
    stream : int or object with __cuda_stream__, optional
        CUDA stream, for arrays in the memory of a GPU.

    Returns
    -------
    bool
        Whether ``weft.sort(x, descending=descending)`` would leave all numbers where they are. True for an
        array of fewer than two numbers.

    Raises
    ------
    TypeError
        The items have a type that is not accepted, or not the byte order of the machine.
    ValueError
        `x` does not have one dimension.
    weft.InputError
        The engine is unknown, or the device is a GPU: the check runs on the CPU.
    weft.UnavailableError
        There is no such GPU.

    Examples
    --------
    >>> import numpy as np
    >>> import weft
    >>> weft.is_sorted(np.array([1, 1, 2]))
    True
    >>> weft.is_sorted(np.array([0.0, -0.0]))
    False
    """
    return _core.is_sorted(x, bool(descending), (device, engine, threads, progress, stream))
