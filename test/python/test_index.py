"""The FM-index, compared with plain searches and with the command."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "examples" / "data"

dna = st.text("ACGT", max_size=30)
records_of_dna = st.lists(st.text("ACGTN", max_size=40), min_size=1, max_size=4)
patterns_of_dna = st.lists(st.text("ACGT", min_size=1, max_size=4), min_size=1, max_size=6)


def command(*arguments: object) -> str:
    """Run the command and return its output."""
    program = os.environ.get("WEFT_COMMAND", str(ROOT / "build" / "py" / "cli" / "weft"))
    if not Path(program).exists():
        pytest.skip("the command is not built")
    words = [program, *map(str, arguments)]
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def read_fasta(path: Path) -> tuple[list[str], list[str]]:
    """Return the names and the sequences of a file."""
    parts = path.read_text().split(">")[1:]
    names = [part.split(None, 1)[0] for part in parts]
    return names, ["".join(part.split("\n")[1:]) for part in parts]


def reverse_complement(text: str) -> str:
    """Return the other strand of DNA."""
    return text.translate(str.maketrans("ACGTUN", "TGCAAN"))[::-1]


def occurrences(records: list[str], pattern: str) -> list[tuple[int, int]]:
    """Return the record and the begin of all occurrences, which may overlap."""
    return [
        (r, i)
        for r, record in enumerate(records)
        for i in range(len(record) - len(pattern) + 1)
        if record.startswith(pattern, i)
    ]


def rows(hits: Any, p: int) -> list[tuple[int, ...]]:
    """Return (record, begin, end, strand, distance) of the hits of a pattern."""
    part = slice(int(hits.offsets[p]), int(hits.offsets[p + 1]))
    assert (hits.pattern[part] == p).all()
    columns = (hits.record, hits.begin, hits.end, hits.strand, hits.distance)
    return list(zip(*(column[part].tolist() for column in columns)))


@settings(max_examples=50)
@given(records_of_dna, patterns_of_dna)
def test_count_and_locate_are_those_of_a_plain_search(records: list[str], patterns: list[str]) -> None:
    index = weft.FMIndex.build(records, alphabet="dna", sa_sample_rate=2)
    found = [occurrences(records, pattern) for pattern in patterns]
    assert index.count(patterns).tolist() == [len(hits) for hits in found]
    assert [index.count(pattern) for pattern in patterns] == [len(hits) for hits in found]
    hits = index.locate([pattern.lower().replace("t", "U") for pattern in patterns])
    assert hits.totals.tolist() == [len(each) for each in found] and len(hits) == sum(map(len, found))
    for p, pattern in enumerate(patterns):
        assert rows(hits, p) == [(r, i, i + len(pattern), 1, 0) for r, i in found[p]]
        single = index.locate(pattern.encode())
        assert rows(single, 0) == rows(hits, p) and single.totals.tolist() == [len(found[p])]


@settings(max_examples=50)
@given(records_of_dna, patterns_of_dna, st.integers(0, 5))
def test_both_strands(records: list[str], patterns: list[str], max_hits: int) -> None:
    index = weft.FMIndex.build(records, alphabet="dna")
    all_hits = index.locate(patterns, both_strands=True)
    some_hits = index.locate(patterns, both_strands=True, max_hits=max_hits)
    for p, pattern in enumerate(patterns):
        strands = [(r, i, 0) for r, i in occurrences(records, pattern)]
        strands += [(r, i, 1) for r, i in occurrences(records, reverse_complement(pattern))]
        expected = [(r, i, i + len(pattern), 1 - 2 * s, 0) for r, i, s in sorted(strands)]
        assert rows(all_hits, p) == expected
        assert set(rows(some_hits, p)) <= set(expected)
        assert len(rows(some_hits, p)) == min(max_hits, len(expected))
        assert some_hits.totals[p] == len(expected)
        assert index.count(pattern, both_strands=True) == len(expected)


@settings(max_examples=50)
@given(records_of_dna, st.text("ACGT", min_size=3, max_size=6), st.integers(0, 2))
def test_mismatches_are_those_of_a_plain_search(records: list[str], pattern: str, distance: int) -> None:
    index = weft.FMIndex.build(records, alphabet="dna", bidirectional=distance == 1)
    expected = []
    for text, strand in ((pattern, 1), (reverse_complement(pattern), -1)):
        for r, record in enumerate(records):
            for i in range(len(record) - len(text) + 1):
                differ = sum(a != b for a, b in zip(text, record[i:]))
                if differ <= distance:
                    expected.append((r, i, i + len(text), strand, differ))
    expected.sort(key=lambda hit: (hit[0], hit[1], -hit[3]))
    hits = index.locate_near(pattern, max_distance=distance, both_strands=True)
    assert rows(hits, 0) == expected
    counts = [sum(hit[4] == d for hit in expected) for d in range(distance + 1)]
    assert hits.totals.tolist() == [counts]
    best = index.locate_near(pattern, max_distance=distance, both_strands=True, best=True)
    smallest = min((hit[4] for hit in expected), default=0)
    assert rows(best, 0) == [hit for hit in expected if hit[4] == smallest]


@given(records_of_dna, dna, st.integers(1, 5))
def test_maximal_matches_are_those_of_a_plain_search(records: list[str], query: str, length: int) -> None:
    index = weft.FMIndex.build(records, alphabet="dna")
    expected = []
    for q in range(len(query)):
        for r, record in enumerate(records):
            for i in range(len(record)):
                if q > 0 and i > 0 and query[q - 1] == record[i - 1]:
                    continue
                common = len(os.path.commonprefix([query[q:], record[i:]]))
                if common >= length:
                    expected.append((0, q, r, i, common, 1))
    found = index.matches([query], min_length=length)
    columns = (found.query, found.query_begin, found.record, found.begin, found.length, found.strand)
    assert list(zip(*(column.tolist() for column in columns))) == expected and len(found) == len(expected)


@given(st.lists(st.binary(max_size=30), max_size=4), st.binary(min_size=1, max_size=2))
def test_bytes_and_extract(records: list[bytes], pattern: bytes) -> None:
    index = weft.FMIndex.build(records, alphabet="bytes")
    expected = sum(record.startswith(pattern, i) for record in records for i in range(len(record)))
    assert index.count(pattern) == expected
    assert [index[r] for r in range(len(index))] == records == list(index)
    assert index.lengths.tolist() == list(map(len, records)) and index.num_symbols == sum(map(len, records))
    for r, record in enumerate(records):
        assert index.extract(r, 1 if record else 0, None) == record[1:]
        assert index.extract(np.uint8(r), 0, len(record) // 2) == record[: len(record) // 2]


def test_properties_and_names() -> None:
    index = weft.FMIndex.build([b"GATTACA", "gauua"], names=["chr1", "chr2"])
    assert repr(index) == "<weft.FMIndex: 2 records, 12 letters, alphabet dna>"
    assert (index.names, index.alphabet, len(index)) == (("chr1", "chr2"), "dna", 2)
    assert (index.sa_sample_rate, index.has_contexts) == (4, False)
    assert index["chr2"] == b"GATTA" and index.extract("chr1", 3, 5) == b"TA"
    assert "chr1" in index and "chr3" not in index and 0 not in index
    assert weft.FMIndex.build(["GATTACA"], bidirectional=True).has_contexts
    assert weft.FMIndex.build(["MKVLAAGIVGLC"]).alphabet == "protein"
    assert weft.FMIndex.build(["A", "C"]).names == ("", "")
    assert weft.FMIndex.build(["A"], names=["caf\udce9"]).names == ("caf\udce9",)
    empty = weft.FMIndex.build([])
    assert len(empty) == 0 and empty.names == () and empty.count(["A", ""]).tolist() == [0, 0]
    assert empty.locate([]).totals.tolist() == [] and empty.locate("A").offsets.tolist() == [0, 0]


def test_wrong_records_and_ranges() -> None:
    index = weft.FMIndex.build(["GATTACA", "A", "C"], names=["a", "b", "b"])
    wrong = [("c", KeyError), ("b", ValueError), (3, IndexError), (-1, IndexError), (1.0, TypeError)]
    for record, error in wrong:
        with pytest.raises(error, match="record"):
            index[record]  # type: ignore[index]
    for begin, end in ((0, 8), (5, 4), (-1, 3), (8, None)):
        with pytest.raises(ValueError, match="must be from 0 to"):
            index.extract(0, begin, end)


def test_wrong_arguments() -> None:
    index = weft.FMIndex.build(["GATTACA"])
    protein = weft.FMIndex.build(["MKV"], alphabet="protein")
    build = weft.FMIndex.build
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: build("GATTACA"), TypeError, "put a single sequence in a list"),
        (lambda: build(["A"], names=["x", "y"]), ValueError, "2 names for 1 sequences"),
        (lambda: build(["A"], names="x"), TypeError, "list of str"),
        (lambda: build(["A"], names=[1]), TypeError, "must be str"),  # type: ignore[list-item]
        (lambda: build(["A"], alphabet="rna"), ValueError, "alphabet must be"),  # type: ignore[arg-type]
        (lambda: build(["A"], sa_sample_rate=1025), ValueError, "from 0 to 1024"),
        (lambda: build(["MKV"], bidirectional=True, alphabet="protein"), weft.InputError, "only with DNA"),
        (lambda: weft.FMIndex(None), TypeError, "use weft.FMIndex.build"),  # type: ignore[arg-type]
        (lambda: index.count("A", engine="nonsense"), weft.InputError, "engine"),
        (lambda: index.count(np.zeros(3)), TypeError, "float64"),
        (lambda: index.count(3), TypeError, "batch of sequences"),  # type: ignore[call-overload]
        (lambda: index.locate("A", max_hits=-1), ValueError, "max_hits"),
        (lambda: protein.count("A", both_strands=True), weft.InputError, "index of DNA"),
        (lambda: protein.locate_near("A", max_distance=0), weft.InputError, "index of DNA"),
        (lambda: index.locate_near("AC", max_distance=9), ValueError, "from 0 to 8"),
        (lambda: index.locate_near("AC", max_distance=2), weft.InputError, "pattern 0: the pattern has 2"),
        (lambda: index.locate_near("A-C", max_distance=1), weft.InputError, "character 2 is '-'"),
        (lambda: index.locate_near("A", max_distance=0, metric="x"), ValueError, "metric"),  # type: ignore
        (lambda: index.locate_near("A", max_distance=0, all_ends=True), ValueError, "all_ends"),
        (lambda: index.matches("A", kind="mems"), ValueError, "kind must be"),  # type: ignore[arg-type]
        (lambda: index.matches("A", min_length=0), ValueError, "at least 1"),
        (lambda: index.matches("A", min_occurrences=2), ValueError, 'only with kind="smem"'),
    ]
    for call, error, message in cases:
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize("protocol", [4, 5])
def test_pickle_and_copy(protocol: int) -> None:
    index = weft.FMIndex.build(["GATTACA", "GATTA"], names=["a", "b"])
    again = pickle.loads(pickle.dumps(index, protocol))
    assert again.names == index.names and again.count("ATTA") == 2
    assert copy.copy(index) is index and copy.deepcopy([index])[0] is index
    hits = index.locate(["ATTA", "A"])
    assert rows(pickle.loads(pickle.dumps(hits)), 1) == rows(hits, 1)


def test_threads_share_an_index() -> None:
    index = weft.FMIndex.build(["".join("ACGT"[i * i % 7 % 4] for i in range(5000))])
    patterns = ["ACG", "CGA", "T", "GG"] * 50
    expected = index.locate(patterns)
    wrong: list[str] = []

    def search() -> None:
        for _ in range(20):
            if not np.array_equal(index.locate(patterns, threads=1).begin, expected.begin):
                wrong.append("locate")

    workers = [threading.Thread(target=search) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


@pytest.mark.parametrize(
    ("name", "options", "flags"),
    [
        ("mt_human.fa", {}, []),
        ("proteins.fa", {}, []),
        (
            "mt_orang.fa",
            {"bidirectional": True, "sa_sample_rate": 2},
            ["--bidirectional", "--sa-sample-rate", 2],
        ),
        ("proteins.fa", {"alphabet": "bytes"}, ["--alphabet", "bytes"]),
    ],
)
def test_files_are_those_of_the_command(tmp_path: Path, name: str, options: Any, flags: list[Any]) -> None:
    command("index", DATA / name, "-o", tmp_path / "command.wfi", *flags)
    expected = (tmp_path / "command.wfi").read_bytes()
    names, sequences = read_fasta(DATA / name)
    built = weft.FMIndex.build(sequences, names=names, **options)
    for index in (built, weft.FMIndex.from_fasta(DATA / name, **options)):
        index.save(tmp_path / "saved.wfi", progress=lambda done, total: None)
        assert (tmp_path / "saved.wfi").read_bytes() == expected
    opened = weft.FMIndex.open(str(tmp_path / "command.wfi"))
    assert opened.names == tuple(names) and opened[names[-1]].decode() == sequences[-1].upper()
    assert sorted(os.listdir(tmp_path)) == ["command.wfi", "saved.wfi"]


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        ({}, []),
        ({"both_strands": True, "max_hits": 3}, ["--both-strands", "--max-hits", 3]),
        ({"max_distance": 2}, ["--mismatches", 2]),
        ({"max_distance": 1, "metric": "errors", "both_strands": True}, ["--errors", 1, "--both-strands"]),
        ({"max_distance": 2, "best": True, "max_hits": 2}, ["--mismatches", 2, "--best", "--max-hits", 2]),
        (
            {"max_distance": 1, "iupac": True, "exact_suffix": 3},
            ["--mismatches", 1, "--iupac", "--exact-suffix", 3],
        ),
    ],
)
def test_hits_are_those_of_the_command(tmp_path: Path, options: dict[str, Any], flags: list[Any]) -> None:
    paths = [DATA / "mt_human.fa", DATA / "mt_orang.fa"]
    index = weft.FMIndex.from_fasta(paths)
    index.save(tmp_path / "mt.wfi")
    text = index[0].decode()
    patterns = [text[i : i + 9] for i in range(0, 9000, 500)] + ["ACGUACG", "GATTACA"]
    patterns += ["GATTACANN"] * ("iupac" in options)
    (tmp_path / "patterns.txt").write_text("".join(f"{pattern}\n" for pattern in patterns))
    table = command("find", "-q", tmp_path / "mt.wfi", tmp_path / "patterns.txt", *flags).splitlines()
    header = table[0].lstrip("#").split("\t")
    near = "max_distance" in options
    hits = index.locate_near(patterns, **options) if near else index.locate(patterns, **options)
    names = ["pattern", "reference", "begin", "end", "strand"] + ["distance"] * near
    all_rows = [tuple(dict(zip(header, line.split("\t")))[name] for name in names) for line in table[1:]]
    expected = [row for row in all_rows if row[1] != "*"]
    cut = {row[0]: (int(row[2]), int(row[3])) for row in all_rows if row[1] == "*"}
    assert len(hits) == len(expected) > 0
    for p, pattern in enumerate(patterns):
        totals = np.atleast_1d(hits.totals[p])
        total = int(totals[np.flatnonzero(totals)[:1]].sum() if "best" in options else totals.sum())
        listed = int(hits.offsets[p + 1] - hits.offsets[p])
        assert (listed, total) == cut.get(pattern, (total, total))
    columns = zip(hits.pattern, hits.record, hits.begin, hits.end, hits.strand, hits.distance)
    for (p, r, b, e, s, d), row in zip(columns, expected):
        found = (str(p + 1), index.names[r], str(b + 1), str(e), "+" if s > 0 else "-", str(d))
        assert found[1 : len(names)] == row[1:] and row[0] in (patterns[int(p)], str(p + 1))


def test_columns_of_other_libraries() -> None:
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    index = weft.FMIndex.build(["GATTACAGATTACA"])
    hits = index.locate(pyarrow.array(["TTA", "GAT"], pyarrow.large_string()))
    frame = hits.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.begin.tolist() == [2, 9, 0, 7]
    assert frame.pattern.tolist() == hits.to_arrow().column("pattern").to_pylist() == [0, 0, 1, 1]
    matches = index.matches("GATTACA", min_length=5)
    assert matches.to_pandas().begin.tolist() == matches.to_arrow()["begin"].to_pylist() == [0, 7]
    assert repr(hits) == "<weft.Hits: 4 hits of 2 patterns>" and repr(matches) == "<weft.ExactMatches: 2 matches>"


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        weft.FMIndex.open(tmp_path / "missing.wfi")
    assert isinstance(missing.value, weft.FileError) and "missing.wfi" in str(missing.value)
    with pytest.raises(FileNotFoundError):
        weft.FMIndex.from_fasta(tmp_path / "missing.fa")
    with pytest.raises(weft.FileError):
        weft.FMIndex.build(["A"]).save(tmp_path / "missing" / "index.wfi")
    for path in ("-", "", "a\0b"):
        with pytest.raises(ValueError):
            weft.FMIndex.build(["A"]).save(path)


@settings(max_examples=30)
@given(st.data())
def test_damaged_files(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("index") / "damaged.wfi"
    weft.FMIndex.build(["GATTACA" * 20]).save(path)
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= 1 + data.draw(st.integers(0, 254))
    if content.count(0) == 0 or data.draw(st.booleans()):
        del content[at:]
    path.write_bytes(content)
    try:
        index = weft.FMIndex.open(path)
    except weft.InputError as failure:
        assert "damaged.wfi" in str(failure)
    else:
        assert index.count("GATTACA") == 20  # the byte was padding


def test_replacing_a_file_that_is_open(tmp_path: Path) -> None:
    path = tmp_path / "index.wfi"
    weft.FMIndex.build(["GATTACA"]).save(path)
    index = weft.FMIndex.open(path)
    weft.FMIndex.build(["AAAA"]).save(path)
    assert index.count("GATTACA") == 1 and weft.FMIndex.open(path).count("A") == 4


# A `for` loop, for the reason that INTERRUPTED of test_transform.py gives.
INTERRUPTED = """
import numpy, weft
letters = numpy.random.default_rng(1).integers(0, 4, 20_000_000, dtype=numpy.uint8)
text = numpy.frombuffer(b"ACGT", numpy.uint8)[letters]
print("begin", flush=True)
try:
    for _ in range(1000): weft.FMIndex.build([text], alphabet="dna", device="cpu")
except KeyboardInterrupt:
    text[:] = 0
    print("interrupted", flush=True)
"""


def test_interrupt() -> None:
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "begin\n"
        time.sleep(0.5)
        start = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert time.monotonic() - start < 1
        assert child.wait(timeout=5) == 0
