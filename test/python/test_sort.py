"""Tests of sorting arrays of numbers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Any

import hypothesis.extra.numpy as arrays
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft

Array = npt.NDArray[Any]
INTEGERS = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"]
DTYPES = [*INTEGERS, "f4", "f8"]
FUNCTIONS = [
    weft.sort,
    weft.argsort,
    weft.is_sorted,
    lambda x: weft.top_k(x, 2),
    lambda x: weft.sort_by_key(x, x),
    lambda x: weft.sort_by_key(np.zeros(3), x),
    lambda x: weft.segmented_sort(x, np.array([0, 3])),
]


def order_keys(x: Array) -> Array:
    """Return unsigned numbers that are in the order of IEEE 754, by which NumPy can sort."""
    if x.dtype.kind == "u":
        return x
    sign = np.array(1, f"u{x.itemsize}") << np.array(8 * x.itemsize - 1, f"u{x.itemsize}")
    bits: Array = x.view(f"u{x.itemsize}")
    if x.dtype.kind == "i":
        flipped: Array = bits ^ sign
        return flipped
    nan_sign = np.where(np.isnan(x), bits & sign, 0).astype(bits.dtype)
    keys = np.where(bits & sign, ~bits, bits ^ sign)
    # NaNs of either sign are the last: those with the sign bit follow the others.
    return np.where(np.isnan(x), np.array(-1, f"i{x.itemsize}").view(bits.dtype) - (nan_sign == 0), keys)


def stable_order(x: Array, descending: bool = False) -> Array:
    """Return the positions of a stable sort, by NumPy."""
    keys = order_keys(x)
    return np.argsort(~keys if descending else keys, kind="stable")


def same(a: Array, b: Array) -> bool:
    """Return whether two arrays have the same type and bytes."""
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


@st.composite
def numbers(draw: st.DrawFn) -> Array:
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    elements = arrays.from_dtype(dtype, allow_nan=False) if dtype.kind == "f" else arrays.from_dtype(dtype)
    if dtype.kind == "f":
        elements |= st.just(dtype.type(np.nan))
    if draw(st.booleans()):
        elements = st.sampled_from([dtype.type(v) for v in (0, 1, 2, 3)])
    return draw(arrays.arrays(dtype, st.integers(0, 80), elements=elements))


@given(numbers(), st.booleans(), st.booleans(), st.integers(1, 2))
@settings(deadline=None)
def test_all_functions_agree_with_numpy(x: Array, descending: bool, stable: bool, threads: int) -> None:
    before, order = x.copy(), stable_order(x, descending)
    run: dict[str, Any] = {"descending": descending, "threads": threads}
    assert same(weft.sort(x, stable=stable, **run), x[order])
    assert weft.argsort(x, stable=stable, **run).tolist() == order.tolist()
    values = np.arange(len(x), dtype="u2")
    sorted_keys, sorted_values = weft.sort_by_key(x, values, **run)
    assert same(sorted_keys, x[order]) and same(sorted_values, values[order])
    assert weft.is_sorted(x, **run) == (order.tolist() == list(range(len(x))) or same(x, x[order]))
    assert weft.is_sorted(x[order], **run)
    for k in (0, 1, len(x) // 2, len(x), len(x) + 5):
        assert same(weft.top_k(x, k, largest=descending, threads=threads), x[order][:k])
    assert same(x, before)


@given(numbers(), st.lists(st.integers(0, 80), max_size=6), st.sampled_from(["u8", "i8"]), st.booleans())
@settings(deadline=None)
def test_segments_are_sorted_by_themselves(x: Array, cuts: list[int], dtype: str, descending: bool) -> None:
    bounds = [0, *sorted(min(cut, len(x)) for cut in cuts), len(x)]
    parts = [x[a:b] for a, b in zip(bounds, bounds[1:])]
    expected = np.concatenate([part[stable_order(part, descending)] for part in parts])
    offsets = np.array(bounds, dtype)
    assert same(weft.segmented_sort(x, offsets, descending=descending), expected)
    out = np.empty_like(x)
    assert weft.segmented_sort(x, offsets, descending=descending, out=out) is out and same(out, expected)
    weft.segmented_sort(x, offsets, descending=descending, out=x)
    assert same(x, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("threads", [1, 0])
def test_large_arrays(dtype: str, threads: int) -> None:
    source = np.random.default_rng(5)
    x: Array = source.normal(size=300_000).astype(dtype) if dtype[0] == "f" else source.integers(
        np.iinfo(dtype).min, np.iinfo(dtype).max, 300_000, dtype, endpoint=True)
    assert same(weft.sort(x, threads=threads), np.sort(x))
    assert same(weft.sort(x, descending=True, threads=threads), np.sort(x)[::-1])
    assert (weft.argsort(x, threads=threads) == np.argsort(x, kind="stable")).all()
    assert same(weft.top_k(x, 100, threads=threads), np.sort(x)[::-1][:100])


@pytest.mark.parametrize("key", DTYPES)
@pytest.mark.parametrize("value", DTYPES)
def test_keys_and_values_of_all_types(key: str, value: str) -> None:
    keys, values = np.array([3, 1, 2, 1]).astype(key), np.arange(4).astype(value)
    sorted_keys, sorted_values = weft.sort_by_key(keys, values)
    assert sorted_keys.dtype == key and sorted_keys.tolist() == [1, 1, 2, 3]
    assert sorted_values.dtype == value and sorted_values.tolist() == [1, 3, 2, 0]


def test_order_of_floating_point_numbers() -> None:
    nan, negative_nan = np.uint64(0x7FF8 << 48).view("f8"), np.uint64(0xFFF8 << 48).view("f8")
    expected = np.array([-np.inf, -1, -0.0, 0.0, 1, np.inf, nan, negative_nan])
    assert same(weft.sort(np.random.default_rng(3).permutation(expected)), expected)
    assert same(weft.sort(expected, descending=True), expected[::-1])
    assert np.isnan(weft.top_k(expected, 3)).tolist() == [True, True, False]


def test_out_is_sorted_in_place() -> None:
    x = np.array([3, 1, 2])
    address = x.ctypes.data
    assert weft.sort(x, out=x) is x
    assert x.tolist() == [1, 2, 3] and x.ctypes.data == address
    y, out = np.array([3, 1, 2]), np.zeros(3, int)
    assert weft.sort(y, out=out, descending=True) is out
    assert out.tolist() == [3, 2, 1] and y.tolist() == [3, 1, 2]
    shared = np.array([5, 3, 4, 1, 2])
    weft.sort(shared[:4], out=shared[1:])
    assert shared.tolist() == [5, 1, 3, 4, 5]
    buffer: Any = bytearray(b"cab")
    assert weft.sort(buffer, out=buffer) is buffer and buffer == b"abc"


def test_out_that_cannot_be_used_is_refused() -> None:
    x = np.array([3, 1, 2])
    locked = x.copy()
    locked.flags.writeable = False
    for out, error, message in [
        (locked, ValueError, "out is read-only"),
        (np.zeros(4, int), ValueError, "out must have 3 items"),
        (np.zeros(6, int)[::2], ValueError, "out must be contiguous"),
        (np.zeros((3, 1), int), ValueError, "out must have one dimension"),
        (np.zeros(3, "f8"), TypeError, "float64.*int64"),
        (np.zeros(3, ">i8"), TypeError, ">i8; accepted types: uint8"),
        ([1, 2, 3], TypeError, "not list"),
    ]:
        with pytest.raises(error, match=message):
            weft.sort(x, out=out)  # type: ignore[arg-type]
        with pytest.raises(error, match=message):
            weft.segmented_sort(x, np.array([0, 3]), out=out)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="read-only"):
        weft.sort(locked, out=locked)
    assert x.tolist() == [3, 1, 2]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_input_that_is_refused(function: Any) -> None:
    for wrong, error, message in [
        (np.array(3), ValueError, "one dimension, not 0"),
        (np.zeros((2, 2)), ValueError, "one dimension, not 2"),
        (np.zeros((4, 4))[::2, ::2], ValueError, "one dimension, not 2"),
        (np.zeros(3, ">f4"), TypeError, ">f4; accepted types: uint8, .*float64"),
        (np.zeros(6, ">f4")[::2], TypeError, ">f4; accepted types: uint8, .*float64"),
        (np.zeros(3, "f2"), TypeError, "float16"),
        (np.zeros(3, bool), TypeError, "bool"),
        (np.zeros(3, "c8"), TypeError, "complex64"),
        (np.zeros(3, "M8[s]"), TypeError, "datetime64"),
        (np.array(["a", "b", "c"]), TypeError, "<U1"),
        (np.array([1, None, 2]), TypeError, "object"),
        ([3, 1, 2], TypeError, "list"),
        ("cab", TypeError, "str"),
        (None, TypeError, "NoneType"),
    ]:
        with pytest.raises(error, match=message):
            function(wrong)


def test_strided_reversed_and_read_only_input() -> None:
    base = np.arange(12.0)
    for x in (base[::2], base[::-1], base[::-3], np.broadcast_to(np.float64(1), 5), base[3:3]):
        before = x.copy()
        assert same(weft.sort(x), np.sort(x))
        assert same(weft.sort(x, descending=True), np.sort(x)[::-1].copy())
        assert same(weft.sort_by_key(x, x)[1], np.sort(x))
        assert (weft.argsort(x) == np.argsort(x, kind="stable")).all()
        assert same(x, before)
    base.flags.writeable = False
    assert same(weft.sort(base), base) and weft.sort(base) is not base
    assert weft.sort(b"cab").tolist() == [97, 98, 99]  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if np.dtype(dtype).itemsize > 1])
def test_items_that_are_not_aligned(dtype: str) -> None:
    count = 100_000
    raw = bytearray(np.random.default_rng(2).integers(0, 256, 8 * count + 1, np.uint8).tobytes())
    x: Array = np.frombuffer(raw, dtype, count, offset=1)
    assert not x.flags.aligned
    copy = x.copy()
    assert same(weft.sort(x), weft.sort(copy))
    assert same(weft.top_k(x, 9), weft.top_k(copy, 9))
    with pytest.raises(ValueError, match="out must be aligned"):
        weft.sort(copy, out=x)
    with pytest.raises(ValueError, match="out must be aligned"):
        weft.sort(x, out=x)


def test_sort_does_not_change_or_share_its_input() -> None:
    x = np.array([3, 1, 2])
    result = weft.sort(x)
    assert x.tolist() == [3, 1, 2] and not np.shares_memory(x, result) and result.flags.writeable


@pytest.mark.parametrize("dtype", DTYPES)
def test_empty_arrays(dtype: str) -> None:
    x = np.zeros(0, dtype)
    for result in (weft.sort(x), weft.top_k(x, 3), *weft.sort_by_key(x, x),
                   weft.segmented_sort(x, np.zeros(0, "u8")), weft.segmented_sort(x, np.zeros(3, "i8"))):
        assert same(result, x)
    assert weft.argsort(x).dtype == np.int64 and len(weft.argsort(x)) == 0
    assert weft.is_sorted(x)


def test_errors_of_arguments() -> None:
    x = np.arange(3)
    with pytest.raises(ValueError, match="3 keys, but 2 values"):
        weft.sort_by_key(x, x[:2])
    with pytest.raises(ValueError, match="k must be from 0 to"):
        weft.top_k(x, -1)
    for offsets in ([0, 2], [1, 3], [0, 3, 2, 3], [0, -1, 3], []):
        with pytest.raises(ValueError, match="offsets must ascend"):
            weft.segmented_sort(x, np.array(offsets, "i8"))
    with pytest.raises(ValueError, match="k must be from 0 to"):
        weft.top_k(x, 2**64)
    with pytest.raises(TypeError, match="k must be an int, not float"):
        weft.top_k(x, 2.0)  # type: ignore[arg-type]
    assert weft.sort(x, descending=np.bool_(True)).tolist() == [2, 1, 0]  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="float64; accepted types: uint64, int64"):
        weft.segmented_sort(x, np.array([0.0, 3.0]))
    with pytest.raises(TypeError):
        weft.sort(x, True)  # type: ignore[call-arg]
    for call in (weft.sort, weft.argsort, weft.is_sorted):
        with pytest.raises(weft.InputError, match="nosuch"):
            call(x, engine="nosuch")
        with pytest.raises(ValueError, match="threads"):
            call(x, threads=-1)
        with pytest.raises(ValueError, match="stream"):
            call(x, stream=1)
    with pytest.raises(weft.InputError, match="only on the CPU"):
        weft.is_sorted(x, device="gpu")


@pytest.mark.parametrize("engine", ["vqsort", "merge", "sample-merge"])
def test_engines_agree(engine: str) -> None:
    x = np.random.default_rng(1).normal(size=5000)
    assert same(weft.sort(x, engine=engine, stable=False), np.sort(x))


def test_progress_ends_with_the_total() -> None:
    calls: list[tuple[int, int]] = []
    x = np.random.default_rng(1).integers(0, 100, 1000)
    weft.sort(x, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (1000, 1000)

    def fail(done: int, total: int) -> None:
        raise KeyError("progress")

    with pytest.raises(KeyError, match="progress"):
        weft.sort(x, progress=fail)


def test_arrays_of_other_libraries() -> None:
    torch = pytest.importorskip("torch")
    assert weft.sort(torch.tensor([3, 1, 2])).tolist() == [1, 2, 3]


def test_interrupt_ends_a_long_sort() -> None:
    # A `for` loop, for the reason that INTERRUPTED of test_transform.py gives.
    code = (
        "import numpy as np, weft\n"
        "x = np.random.default_rng(1).integers(0, 2**63, 6_000_000)\n"
        "print('ready', flush=True)\n"
        "try:\n"
        "    for _ in range(1000): weft.argsort(x, threads=1)\n"
        "except KeyboardInterrupt: print('interrupted', flush=True)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=os.environ)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.2)
    started = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "interrupted\n"
    assert time.monotonic() - started < 1.5
    assert child.wait() == 0
