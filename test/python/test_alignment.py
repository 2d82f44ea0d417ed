"""Distances and alignments, compared with their definitions, difflib, rapidfuzz and edlib."""

from __future__ import annotations

import difflib
import os
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

texts = st.binary(max_size=40).map(lambda data: bytes(letter % 4 + 65 for letter in data))


def lcs_table(a: bytes, b: bytes) -> int:
    """Return the length of the LCS by its definition."""
    row = [0] * (len(b) + 1)
    for x in a:
        above_left = 0
        for j, y in enumerate(b):
            above_left, row[j + 1] = row[j + 1], above_left + 1 if x == y else max(row[j], row[j + 1])
    return row[-1]


def edit_table(a: bytes, b: bytes) -> int:
    """Return the Levenshtein distance by its definition."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        above_left, row[0] = row[0], i + 1
        for j, y in enumerate(b):
            above_left, row[j + 1] = row[j + 1], min(above_left + (x != y), row[j] + 1, row[j + 1] + 1)
    return row[-1]


@given(texts, texts)
def test_values_are_those_of_the_definitions(a: bytes, b: bytes) -> None:
    length = lcs_table(a, b)
    assert weft.lcs_length(a, b) == length
    assert weft.indel_distance(a, b) == len(a) + len(b) - 2 * length
    assert weft.edit_distance(a, b) == edit_table(a, b)


@given(texts, texts, st.sampled_from(["lcs", "indel", "edit", "affine"]))
def test_an_alignment_makes_b_out_of_a(a: bytes, b: bytes, metric: Any) -> None:
    found = weft.align(a, b, metric=metric)
    made = b""
    for code in found.opcodes():
        part = b[code["b_begin"] : code["b_end"]]
        if code["op"] == b"=":
            assert part == a[code["a_begin"] : code["a_end"]]
        if code["op"] == b"D":
            assert part == b""
        made += part
    assert made == b
    steps = {op: int(found.runs["length"][found.runs["op"] == op].sum()) for op in (b"=", b"X", b"I", b"D")}
    assert steps == {b"=": found.matches, b"X": found.substitutions, b"I": found.insertions, b"D": found.deletions}
    if metric != "affine":
        assert found.distance == found.substitutions + found.insertions + found.deletions
    if metric == "lcs":
        assert found.value == found.matches == lcs_table(a, b)
    text = "".join(f"{length}{op.decode()}" for op, length in found.runs.tolist())
    assert found.cigar() == text


@given(st.lists(texts, max_size=6), st.sampled_from(["lcs", "indel", "edit"]))
def test_all_pairs_are_the_values_of_pairs(batch: list[bytes], metric: Any) -> None:
    one = {"lcs": weft.lcs_length, "indel": weft.indel_distance, "edit": weft.edit_distance}[metric]
    expected = np.array([[one(a, b) for b in batch] for a in batch], dtype=np.uint64).reshape(len(batch), len(batch))
    matrix = weft.all_pairs(batch, metric=metric)
    assert matrix.dtype == np.uint64
    np.testing.assert_array_equal(matrix, expected)
    condensed = weft.all_pairs(batch, metric=metric, condensed=True)
    np.testing.assert_array_equal(condensed, expected[np.triu_indices(len(batch), 1)])


@given(texts, st.data())
def test_opcodes_of_one_change_are_those_of_difflib(a: bytes, data: Any) -> None:
    """Compares texts of different letters, so that only one alignment is optimal."""
    a = bytes(sorted(set(range(65, 65 + len(a)))))
    begin = data.draw(st.integers(0, len(a)))
    end = data.draw(st.integers(begin, len(a)))
    b = a[:begin] + bytes(data.draw(st.lists(st.integers(200, 255), unique=True, max_size=5))) + a[end:]
    found = weft.align(a, b)
    changed = [code for code in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes() if code[0] != "equal"]
    spans = found.opcodes()[found.opcodes()["op"] != b"="]
    if not changed:
        assert len(spans) == 0
    else:
        (_, a_begin, a_end, b_begin, b_end) = changed[0]
        assert (spans["a_begin"].min(), spans["a_end"].max()) == (a_begin, a_end)
        assert (spans["b_begin"].min(), spans["b_end"].max()) == (b_begin, b_end)


@settings(max_examples=30)
@given(st.text("ACGT", max_size=300), st.text("ACGT", max_size=300))
def test_values_are_those_of_rapidfuzz_and_edlib(a: str, b: str) -> None:
    distance = pytest.importorskip("rapidfuzz.distance")
    edlib = pytest.importorskip("edlib")
    assert weft.lcs_length(a, b) == distance.LCSseq.similarity(a, b)
    assert weft.indel_distance(a, b) == distance.Indel.distance(a, b)
    assert weft.edit_distance(a, b) == distance.Levenshtein.distance(a, b)
    if a and b:
        assert weft.edit_distance(a, b) == edlib.align(a, b)["editDistance"]


@pytest.mark.parametrize("convert", [str, str.encode, lambda text: bytearray(text.encode()),
                                     lambda text: memoryview(text.encode()),
                                     lambda text: np.frombuffer(text.encode(), np.uint8),
                                     lambda text: np.frombuffer(text.encode(), np.int8),
                                     lambda text: np.frombuffer(text.encode(), "S1"),
                                     lambda text: np.repeat(np.frombuffer(text.encode(), np.uint8), 2)[::2],
                                     lambda text: np.frombuffer(text.encode(), np.uint8).astype("u4")])
def test_texts_of_all_kinds(convert: Any) -> None:
    assert weft.lcs_length(convert("ABCBDAB"), convert("BDCABA")) == 4


def test_tokens_are_compared_as_numbers() -> None:
    a = np.array([1 << 30, 5, 7, 9], np.uint32)
    assert weft.lcs_length(a, np.array([5, 9], np.uint32)) == 2
    assert weft.align(a, a[::-1].copy(), metric="edit").distance == 4


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        ("naïve", ValueError, "ASCII"),
        (3, TypeError, "not int"),
        (None, TypeError, "not NoneType"),
        (np.zeros((2, 2), np.uint8), ValueError, "one dimension, not 2"),
        (np.array(3, np.uint8), ValueError, "one dimension, not 0"),
        (np.zeros(3, ">u4"), TypeError, ">u4; accepted types: uint8, uint32"),
        (np.zeros(3, np.float16), TypeError, "float16"),
        (np.zeros(3, np.complex64), TypeError, "complex64"),
        (np.array(["2020-01-01"], "M8[D]"), TypeError, "datetime64"),
        (np.zeros(3, np.uint32), TypeError, "both"),
    ],
)
def test_other_values_are_refused(value: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        weft.lcs_length(value, b"AC")


def test_options_are_checked() -> None:
    with pytest.raises(weft.InputError, match="no engine 'fast'"):
        weft.lcs_length("A", "C", engine="fast")
    with pytest.raises(weft.Error):
        weft.lcs_length("A", "C", device="tpu")
    with pytest.raises(ValueError, match="threads"):
        weft.lcs_length("A", "C", threads=-1)
    with pytest.raises(TypeError):
        weft.lcs_length("A", "C", threads="2")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="progress"):
        weft.lcs_length("A", "C", progress=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="stream"):
        weft.lcs_length("A", "C", stream=1)
    with pytest.raises(ValueError, match="metric"):
        weft.align("A", "C", metric="hamming")  # type: ignore[arg-type]
    for option in ({"metric": 5}, {"wildcards": b"N"}, {"unmatched": None}, {"gap_open": 2.5}):
        with pytest.raises(TypeError, match=f"{next(iter(option))} must be"):
            weft.align("A", "C", **option)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="gap_open must be from 0 to"):
        weft.align("A", "C", gap_open=1 << 70)
    with pytest.raises(weft.Error):
        weft.align("A", "C", metric="affine", gap_extend=0)


def test_engines_agree() -> None:
    random = np.random.default_rng(1)
    a, b = random.integers(65, 69, 500, np.uint8), random.integers(65, 69, 400, np.uint8)
    expected = weft.align(a, b)
    for engine in ("bit-parallel", "bit-sliced", "hirschberg-dp", "furthest-reaching", "hunt-szymanski"):
        assert weft.align(a, b, engine=engine, threads=1) == expected


def test_identity_is_not_rounded() -> None:
    a, b = "GATTACA" * 3, "GATCA"
    assert weft.align(a, b).identity == weft.align(a, b, metric="indel").identity == 5 / 21
    assert weft.align(a, b, metric="edit").identity == 1 - 16 / 21
    found = weft.align(a, b, metric="affine")
    assert found.identity == found.matches / int(found.runs["length"].sum())
    assert weft.align("", "").identity == 1


def test_a_buffer_that_cannot_be_read_says_why() -> None:
    view = memoryview(b"AC")
    view.release()
    with pytest.raises(ValueError, match="released"):
        weft.lcs_length(view, b"AC")
    with pytest.raises(ValueError, match="ASCII"):
        weft.lcs_length("\ud800", b"AC")


def test_all_pairs_of_empty_texts_can_be_interrupted() -> None:
    def stop(number: int, frame: Any) -> None:
        raise KeyError("stop")

    previous = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        begin = time.monotonic()
        with pytest.raises(KeyError, match="stop"):
            weft.all_pairs([""] * 5000, threads=1)
        assert time.monotonic() - begin < 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def test_a_matrix_that_does_not_fit_is_refused() -> None:
    with pytest.raises(weft.OutOfMemoryError, match="condensed=True"):
        weft.all_pairs([""] * 2_000_000)


def test_letters_that_equal_all_or_none() -> None:
    assert weft.align("ANC", "AGC", wildcards="N").matches == 3
    assert weft.align("ANC", "ANC", unmatched="N").matches == 2


def test_arrow_columns() -> None:
    pa = pytest.importorskip("pyarrow")
    batch = ["GATTACA", "", "GATCA", "T" * 20]
    expected = weft.all_pairs(batch)
    for column in (pa.array(batch), pa.array(batch, pa.large_string()), pa.array(batch, pa.string_view()),
                   pa.chunked_array([batch[:1], batch[1:]]), pa.array(["x", *batch], pa.large_string())[1:],
                   pa.array([text.encode() for text in batch], pa.large_binary())):
        np.testing.assert_array_equal(weft.all_pairs(column), expected)
    with pytest.raises(ValueError, match="null"):
        weft.all_pairs(pa.array(["A", None]))
    with pytest.raises(ValueError, match="stream"):
        weft.all_pairs(pa.array(batch), stream=1)
    class Once:
        """A column whose capsule can be read only once."""

        def __init__(self) -> None:
            self.capsule = pa.chunked_array([batch]).__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            return self.capsule

    once = Once()
    np.testing.assert_array_equal(weft.all_pairs(once), expected)
    with pytest.raises(ValueError, match="read already"):
        weft.all_pairs(once)
    with pytest.raises(TypeError, match="Arrow types"):
        weft.all_pairs(pa.array([1, 2]))


def test_data_frames_of_polars() -> None:
    pl = pytest.importorskip("polars")
    batch = ["GATTACA", "GATCA", "T" * 20]
    np.testing.assert_array_equal(weft.all_pairs(pl.Series(batch)), weft.all_pairs(batch))


def test_offsets_are_checked() -> None:
    np.testing.assert_array_equal(weft.all_pairs((b"ABAB", np.array([0, 2, 4]))), [[2, 2], [2, 2]])
    np.testing.assert_array_equal(weft.all_pairs((b"ABAB", np.array([0, 2, 4], np.uint32))), [[2, 2], [2, 2]])
    for offsets in ([0, 3, 2, 4], [1, 4], [0, 5], [0, -1, 4]):
        with pytest.raises(ValueError, match="offsets"):
            weft.all_pairs((b"ABAB", np.array(offsets)))
    with pytest.raises(TypeError, match="list"):
        weft.all_pairs("ABAB")


def test_an_alignment_can_be_pickled() -> None:
    found = weft.align("kitten", "sitting", metric="edit")
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.cigar() == found.cigar()
    assert "edit=3" in repr(found)


def test_plots(tmp_path: Any) -> None:
    plot = weft.align("GATTACA" * 30, "GATCACA" * 30).plot(a_name="one", b_name="two")
    assert plot._repr_svg_().startswith("<svg") and "one" in plot.svg
    for ending in ("svg", "html"):
        plot.save(tmp_path / f"path.{ending}")
        assert (tmp_path / f"path.{ending}").stat().st_size > 1000
    with pytest.raises(ValueError, match="not 'gif'"):
        plot.save(tmp_path / "path.gif")
    changed = weft.align("GATTACA", "GATCACA")
    changed.a_length = 0
    with pytest.raises(ValueError, match="a_length"):
        changed.plot().svg


def test_a_progress_function_is_called_and_can_cancel() -> None:
    seen: list[tuple[int, int]] = []
    a = np.random.default_rng(1).integers(0, 4, 60_000, np.uint8)
    b = np.random.default_rng(2).integers(0, 4, 60_000, np.uint8)
    weft.edit_distance(a, b, progress=lambda done, total: seen.append((done, total)))
    assert seen and seen[-1][0] == seen[-1][1]
    assert all(0 <= done <= total for done, total in seen)

    def fail(done: int, total: int) -> None:
        raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        weft.edit_distance(a, b, progress=fail)


def test_ctrl_c_ends_a_long_call_within_a_second() -> None:
    program = (
        "import numpy as np, weft, time, signal, os, threading\n"
        "a = np.random.default_rng(1).integers(0, 4, 4_000_000, np.uint8)\n"
        "b = np.random.default_rng(2).integers(0, 4, 4_000_000, np.uint8)\n"
        "print('ready', flush=True)\n"
        "try:\n    weft.lcs_length(a, b)\nexcept KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        begin = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert time.monotonic() - begin < 1
