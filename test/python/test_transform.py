"""Suffix arrays, LCP arrays and transforms, compared with their definitions and pydivsufsort."""

from __future__ import annotations

import array
import pickle
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft

texts = st.one_of(
    st.binary(max_size=60),
    st.binary(max_size=60).map(lambda data: bytes(letter % 3 for letter in data)),
    st.builds(lambda root, times: root * times, st.binary(max_size=4), st.integers(0, 12)),
)
numbers = st.lists(st.integers(0, 2**16 - 1) | st.integers(0, 2), max_size=40)


def sorted_suffixes(text: Any) -> list[int]:
    """Return the suffix array of bytes or a list by its definition."""
    return sorted(range(len(text)), key=lambda i: text[i:])


def common_prefix(a: bytes, b: bytes) -> int:
    """Return how many bytes two texts have in common at their begin."""
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


@given(texts)
def test_suffix_array_is_that_of_the_definition(text: bytes) -> None:
    expected = sorted_suffixes(text)
    for engine in ("auto", "suffix-sort", "ternary-quicksort"):
        sa = weft.suffix_array(text, engine=engine)
        assert sa.dtype == np.uint32 and sa.tolist() == expected
    wide = weft.suffix_array(text, index_type="uint64")
    assert wide.dtype == np.uint64 and wide.tolist() == expected


@given(numbers)
def test_suffix_array_of_numbers(symbols: list[int]) -> None:
    expected = sorted_suffixes(symbols)
    assert weft.suffix_array(np.array(symbols, np.uint16)).tolist() == expected
    assert weft.suffix_array(np.array(symbols, np.uint32) * 65537).tolist() == expected


@given(st.lists(texts, max_size=5))
def test_suffix_array_of_a_collection(records: list[bytes]) -> None:
    begins = np.cumsum([0, *map(len, records)])
    suffixes = [
        (record[i:], r, int(begins[r]) + i) for r, record in enumerate(records) for i in range(len(record))
    ]
    assert weft.collection_suffix_array(records).tolist() == [at for _, _, at in sorted(suffixes)]


@given(texts)
def test_lcp_array_is_that_of_the_definition(text: bytes) -> None:
    sa = weft.suffix_array(text)
    expected = [0] * min(1, len(sa))
    expected += [common_prefix(text[i:], text[j:]) for i, j in zip(sa.tolist(), sa[1:].tolist())]
    for dtype, result in (("u4", "u4"), ("i4", "u4"), ("u8", "u8"), ("i8", "u8")):
        lcp = weft.lcp_array(text, sa.astype(dtype))
        assert lcp.dtype == result and lcp.tolist() == expected


def transform(text: bytes, form: str) -> tuple[bytes, int]:
    """Return the transform of a text by its definition."""
    if not text:
        return b"", 0
    if form == "rotation":
        rows = sorted(text[i:] + text[:i] for i in range(len(text)))
        return bytes(row[-1] for row in rows), rows.index(text)
    order = [len(text), *sorted_suffixes(text)]
    return bytes(text[i - 1] for i in order if i > 0), order.index(0)


@given(texts, st.sampled_from(["sentinel", "rotation"]))
def test_bwt_is_that_of_the_definition(text: bytes, form: Any) -> None:
    result = weft.bwt(text, form=form)
    assert (result.data, result.primary_index) == transform(text, form)
    assert result.form == form and len(result) == len(text)
    assert result.inverse() == weft.inverse_bwt(result) == text
    assert weft.inverse_bwt(result.data, result.primary_index, form=form) == text
    assert pickle.loads(pickle.dumps(result)) == result

    as_array = weft.bwt(np.frombuffer(text, np.uint8), form=form)
    assert isinstance(as_array.data, np.ndarray) and as_array == result
    assert bytes(as_array.inverse()) == text and pickle.loads(pickle.dumps(as_array)) == result


@settings(max_examples=20)
@given(st.binary(min_size=1, max_size=2000))
def test_results_are_those_of_pydivsufsort(text: bytes) -> None:
    peer = pytest.importorskip("pydivsufsort")
    sa = peer.divsufsort(text)
    assert np.array_equal(weft.suffix_array(text), sa)
    assert np.array_equal(weft.lcp_array(text, sa)[1:], peer.kasai(text, sa)[: len(text) - 1])
    primary_index, data = peer.bw_transform(text)
    assert weft.bwt(text) == weft.BWT(bytes(data), primary_index)


def test_equality_and_hash() -> None:
    one = weft.bwt(b"banana")
    assert one == weft.bwt("banana") and one != weft.bwt("bananas")
    assert one != weft.bwt("banana", form="rotation") and one != "annbaa"
    assert one != weft.BWT(one.data, one.primary_index - 1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)
    assert repr(one) == "BWT(data=b'annbaa', primary_index=4, form='sentinel')"


@pytest.mark.parametrize("kind", [bytearray, memoryview, lambda text: array.array("B", text)])
def test_kinds_of_texts(kind: Any) -> None:
    assert weft.suffix_array(kind(b"banana")).tolist() == [5, 3, 1, 0, 4, 2]
    assert weft.bwt(kind(b"banana")).data == b"annbaa"


def test_arrays_of_all_layouts() -> None:
    text = np.frombuffer(b"b.a.n.a.n.a.", np.uint8)[::2]
    assert not text.flags.contiguous and weft.suffix_array(text).tolist() == [5, 3, 1, 0, 4, 2]
    assert weft.suffix_array(text.view(np.int8)).tolist() == [5, 3, 1, 0, 4, 2]
    assert weft.suffix_array(np.array([], np.uint32)).tolist() == []
    sa = weft.suffix_array("banana")
    sa.flags.writeable = False
    assert weft.lcp_array("banana", sa).tolist() == [0, 1, 3, 0, 0, 2]
    assert sa.flags.owndata is False and weft.suffix_array("banana").flags.writeable


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (np.zeros(3, ">u2"), TypeError, ">u2"),
        (np.zeros(3), TypeError, "float64; accepted types: uint8, uint16, uint32"),
        (np.zeros((2, 2), np.uint8), ValueError, "one dimension"),
        (np.array(1, np.uint8), ValueError, "one dimension"),
        (["a"], TypeError, "x must be a str, bytes or an array, not list"),
        (None, TypeError, "NoneType"),
        ("Grüße", ValueError, "ASCII"),
    ],
)
def test_wrong_texts(text: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        weft.suffix_array(text)


def test_wrong_arguments() -> None:
    sa = weft.suffix_array("banana")
    with pytest.raises(ValueError, match="index_type must be uint32 or uint64, not int32"):
        weft.suffix_array("a", index_type=np.int32)
    with pytest.raises(weft.InputError, match="engine"):
        weft.suffix_array("a", engine="nonsense")
    with pytest.raises(ValueError, match="6, not 5"):
        weft.lcp_array("banana", sa[:5])
    with pytest.raises(ValueError, match="not from 0 to"):
        weft.lcp_array("banana", sa.astype(np.int32) - 1)
    with pytest.raises(ValueError, match="form must be"):
        weft.bwt("banana", form="other")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="accepted types: uint8"):
        weft.bwt(np.zeros(3, np.uint16))
    with pytest.raises(ValueError, match="stream"):
        weft.bwt("banana", stream=1)


@pytest.mark.parametrize(
    ("primary", "error"), [(0, ValueError), (7, ValueError), (-1, ValueError), (1.5, TypeError)]
)
def test_wrong_primary_index(primary: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="primary.index"):
        weft.inverse_bwt(b"annbaa", primary)


def test_inverse_of_no_transform() -> None:
    with pytest.raises(weft.InputError, match="not the Burrows-Wheeler transform"):
        weft.inverse_bwt(b"ab", 1)
    with pytest.raises(TypeError, match="primary_index is needed"):
        weft.inverse_bwt(b"annbaa")
    with pytest.raises(TypeError, match="part of t"):
        weft.inverse_bwt(weft.bwt("banana"), 4)


def test_progress_and_its_exception() -> None:
    calls: list[tuple[int, int]] = []
    weft.bwt(b"banana" * 1000, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (6000, 6000)

    def fail(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        weft.suffix_array(b"banana", progress=fail)


# CPython 3.11 does not catch an interrupt that arrives as a loop jumps back to the first instruction
# of its `try`, as `while True:` does. A `for` loop jumps to a later one.
INTERRUPTED = """
import numpy, weft
numbers = numpy.random.default_rng(1).integers(0, 4, 20_000_000, dtype=numpy.uint8)
text = numpy.frombuffer(b"ACGT", numpy.uint8)[numbers]
wide = text.astype(numpy.uint16)
print("begin", flush=True)
try:
    for _ in range(1000): {call}
except KeyboardInterrupt:
    text[:] = 0
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize(
    "call",
    [
        'weft.suffix_array(text, device="cpu")',
        'weft.suffix_array(text, device="cpu", threads=1)',
        'weft.suffix_array(wide, device="cpu")',
        'weft.collection_suffix_array([text], device="cpu")',
        'weft.bwt(text, device="cpu")',
        'weft.bwt(text, form="rotation", device="cpu")',
    ],
)
def test_interrupt(call: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED.format(call=call)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "begin\n"
        time.sleep(0.5)
        start = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert time.monotonic() - start < 1
        assert child.wait(timeout=5) == 0


@pytest.mark.parametrize("engine", ["auto", "suffix-sort", "libdivsufsort", "ternary-quicksort"])
@pytest.mark.parametrize("threads", [1, 2])
def test_engines_agree(engine: str, threads: int) -> None:
    text = (b"banana" * 50 + bytes(range(256))) * 5
    run: dict[str, Any] = {"device": "cpu", "engine": engine, "threads": threads}
    expected = sorted(range(len(text)), key=lambda i: text[i:])
    assert weft.suffix_array(text, **run).tolist() == expected
    assert weft.bwt(text, **run) == weft.bwt(text, device="cpu")
    assert weft.bwt(text, form="rotation", **run).inverse() == text
