"""Batches of sequences, and the files that hold them."""

from __future__ import annotations

import bz2
import copy
import gzip
import lzma
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft

items = st.lists(st.binary(max_size=6), max_size=8)


@given(items, st.integers(-10, 10), st.integers(-10, 10), st.sampled_from([None, 1, 2, -1]))
def test_a_batch_is_a_sequence_of_bytes(listed: list[bytes], first: int, last: int, step: int | None) -> None:
    names = [f"n{i}" for i in range(len(listed))]
    batch = weft.Sequences.from_list(listed, names)
    assert list(batch) == listed and len(batch) == len(listed)
    assert batch.lengths.tolist() == [len(item) for item in listed] and batch.offsets.dtype == np.uint64
    assert [batch[i] for i in range(-len(listed), len(listed))] == listed + listed
    part = batch[first:last:step]
    assert list(part) == listed[first:last:step] and part.names == names[first:last:step]
    assert part == weft.Sequences.from_list(listed[first:last:step], names[first:last:step])
    assert pickle.loads(pickle.dumps(batch)) == batch == copy.deepcopy(batch)
    with pytest.raises(IndexError):
        batch[len(listed)]


def test_memory_is_shared() -> None:
    data, offsets = np.frombuffer(bytearray(b"GATTACA"), np.uint8), np.array([0, 3, 7], np.uint64)
    batch = weft.Sequences(data, offsets)
    assert np.shares_memory(batch.data, data) and np.shares_memory(batch.offsets, offsets)
    assert not batch.data.flags.writeable and not batch.offsets.flags.writeable
    assert np.shares_memory(batch[1:].data, data) and batch[1:][0] == b"TACA"
    text = b"GATTACA"
    assert np.shares_memory(weft.Sequences(text, offsets).data, np.frombuffer(text, np.uint8))
    assert weft.Sequences("GATTACA", offsets) == batch
    listed = weft.Sequences(text, [0, 3, 7])  # type: ignore[arg-type]
    assert weft.Sequences(data, offsets.astype(np.int32)) == batch == listed


def test_equality_and_repr() -> None:
    batch = weft.Sequences(b"GATTACA", np.array([0, 3, 7]), ["a", "b"])
    assert batch != weft.Sequences(b"GATTACA", np.array([0, 3, 7])) and batch != weft.Sequences(
        b"GATTACA", np.array([0, 2, 7])
    )
    assert batch != "GATTACA" and repr(batch) == "weft.Sequences(2 sequences of 7 bytes, named 'a' ...)"
    with pytest.raises(TypeError):
        hash(batch)
    empty = weft.Sequences(b"", np.array([], np.uint64))
    assert (
        len(empty) == 0 and list(empty) == [] and empty == weft.Sequences.from_list([]) and empty[:] == empty
    )


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ((b"GATTACA", np.array([0, 8])), ValueError),
        ((b"GATTACA", np.array([1, 7])), ValueError),
        ((b"GATTACA", np.array([0, 5, 3, 7])), ValueError),
        ((b"GATTACA", np.array([0, -1, 7])), ValueError),
        ((b"GATTACA", np.array([])), TypeError),
        ((b"GATTACA", np.array([0.0, 7.0])), TypeError),
        ((b"GATTACA", np.array([[0, 7]])), ValueError),
        ((b"GATTACA", np.array(7)), ValueError),
        ((np.zeros(7, np.uint16), np.array([0, 7])), TypeError),
        ((7, np.array([0, 7])), TypeError),
        ((b"GATTACA", np.array([0, 7]), ["a", "b"]), ValueError),
        ((b"GATTACA", np.array([0, 7]), "a"), TypeError),
        ((b"GATTACA", np.array([0, 7]), [1]), TypeError),
        ((b"GATTACA", np.array([0, 7]), None, ["a", "b"]), ValueError),
    ],
)
def test_arguments_are_checked(arguments: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        weft.Sequences(*arguments)


def test_arrow_shares_the_memory() -> None:
    arrow = pytest.importorskip("pyarrow")
    batch = weft.Sequences.from_list(["GATTACA", "", "TTA"])
    array = batch.to_arrow()
    array.validate(full=True)
    assert array.to_pylist() == list(batch)
    assert np.shares_memory(np.frombuffer(array.buffers()[2], np.uint8), batch.data)
    assert weft.Sequences.from_list(array) == batch
    assert np.shares_memory(weft.Sequences.from_list(array).data, batch.data)
    assert weft.Sequences.from_list(arrow.array(["GATTACA", "", "TTA"])) == batch
    assert weft.Sequences.from_list(batch, names=["a", "b", "c"]).names == ["a", "b", "c"]


@pytest.fixture
def fasta(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "some.fa"
    path.write_bytes(b">one first gene\nGATT\nACA\n>two\n\n>\xff\nTT A\r\n")
    return path


def test_files_are_read(fasta: pathlib.Path) -> None:
    batch = weft.read_sequences(fasta)
    assert list(batch) == [b"GATTACA", b"", b"TTA"] and batch.names == ["one", "two", "\udcff"]
    assert batch.descriptions == ["first gene", "", ""] and batch.source == str(fasta)
    assert batch == weft.read_sequences(str(fasta)) == weft.read_sequences(os.fsencode(fasta))
    assert batch[1:].descriptions == ["", ""] and pickle.loads(pickle.dumps(batch)).source == str(fasta)
    for suffix, module in ((".gz", gzip), (".bz2", bz2), (".xz", lzma)):
        packed = fasta.with_suffix(suffix)
        packed.write_bytes(module.compress(fasta.read_bytes()))
        assert weft.read_sequences(packed) == batch
    fastq = fasta.with_suffix(".fq")
    fastq.write_text("@r1 x\nACGT\n+\nIIII\n")
    assert weft.read_sequences(fastq) == weft.Sequences(b"ACGT", np.array([0, 4]), ["r1"])
    empty = fasta.with_name("empty")
    empty.write_text("")
    assert len(weft.read_sequences(empty)) == 0 and list(weft.iter_sequences(empty)) == []


def test_names_that_are_not_utf8_are_passed_on(fasta: pathlib.Path) -> None:
    batch = weft.read_sequences(fasta)
    index = weft.FMIndex.build(batch, alphabet="dna")
    assert index.names == ("one", "two", "\udcff") and index["\udcff"] == b"TTA" and "\udcff" in index
    with pytest.raises(KeyError, match="udcfe"):
        index["\udcfe"]
    matches = weft.scan(weft.Motifs("T-T-A", alphabet="dna"), batch)
    assert matches.sequence.tolist() == [0, 2]
    path = fasta.with_name("matches.tsv")
    matches.write(path)
    assert path.read_bytes().splitlines()[-1].startswith(b"\xff\t")


@settings(max_examples=30)
@given(st.lists(st.text("ACGT", max_size=9), max_size=9), st.integers(1, 20))
def test_batches_of_a_file_are_its_sequences(tmp_path_factory: Any, listed: list[str], residues: int) -> None:
    path = tmp_path_factory.getbasetemp() / "iterated.fa"
    path.write_text("".join(f">s{i}\n{item}\n" for i, item in enumerate(listed)))
    batches = list(weft.iter_sequences(path, residues=residues))
    assert [item.decode() for batch in batches for item in batch] == listed
    assert [name for batch in batches for name in batch.names] == [f"s{i}" for i in range(len(listed))]
    assert all(len(batch) > 0 and (len(batch) == 1 or len(batch.data) < residues + 10) for batch in batches)


def test_faults_have_positions(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "bad.fa"
    path.write_bytes(b">one\nGATT\nAC\x01A\n")
    for read in (weft.read_sequences, lambda path: list(weft.iter_sequences(path))):
        with pytest.raises(weft.ParseError) as caught:
            read(path)
        assert (caught.value.source, caught.value.line, caught.value.column) == (str(path), 3, 3)
    for missing in (weft.read_sequences, weft.iter_sequences):
        with pytest.raises(FileNotFoundError) as absent:
            missing(tmp_path / "none")
        assert isinstance(absent.value, weft.Error) and absent.value.errno == 2
    with pytest.raises(weft.FileError):
        weft.read_sequences(tmp_path)
    with pytest.raises(ValueError, match="residues"):
        weft.iter_sequences(path, residues=0)
    with pytest.raises(TypeError):
        weft.read_sequences(5)  # type: ignore[arg-type]


def test_an_iterator_ends_after_a_fault(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "bad.fa"
    path.write_text(">one\nGATT\n>two\nAC\x01A\n")
    run = ("auto", "auto", 0, None, None)
    chunks = weft._core.SequenceChunks(os.fsencode(path), run)
    with pytest.raises(weft.ParseError):
        while chunks.next(4, run):
            pass
    assert chunks.next(4, run) is None


def test_progress_counts_bytes_of_the_file(fasta: pathlib.Path) -> None:
    seen: list[tuple[int, int]] = []
    weft.read_sequences(fasta, progress=lambda done, total: seen.append((done, total)))
    size = fasta.stat().st_size
    assert seen[-1] == (size, size)


def test_ctrl_c_ends_waiting_for_a_pipe() -> None:
    program = (
        "import weft\nprint('ready', flush=True)\n"
        "try:\n    weft.read_sequences('-')\n"
        "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", program], stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.2)
        start = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        timer = threading.Timer(10, process.kill)
        timer.start()
        assert process.stdout.readline() == "interrupted\n"
        assert time.monotonic() - start < 2
        assert process.wait(timeout=10) == 0
        timer.cancel()


def test_paths_that_no_file_can_have(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.fa").write_text(">a\nAC\n")
    for call in (weft.read_sequences, weft.iter_sequences, weft.Motifs.from_prosite, weft.FMIndex.open):
        with pytest.raises(ValueError, match="zero bytes"):
            call(f"{tmp_path}/a.fa\0b")


def test_the_error_of_a_path_that_is_not_utf_8(tmp_path: pathlib.Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.fa"
    for call in (weft.read_sequences, weft.FMIndex.open, weft.Motifs.from_prosite):
        with pytest.raises(FileNotFoundError) as caught:
            call(path)  # type: ignore[operator]
        assert os.fsdecode(path) in str(caught.value)
