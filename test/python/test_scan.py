"""Motifs and their matches, compared with regular expressions and with the command."""

from __future__ import annotations

import os
import pathlib
import pickle
import re
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
from weft._dtypes import MATCH

ROOT = pathlib.Path(__file__).parents[2]
DATA = ROOT / "examples" / "data"
COMMAND = pathlib.Path(os.environ.get("WEFT_COMMAND", ROOT / "build" / "py" / "cli" / "weft"))

elements = st.tuples(
    st.sampled_from(["A", "C", "[AC]", "{A}", "x", "[CDE]"]), st.integers(0, 2), st.integers(0, 2)
).map(lambda e: e[0] + (f"({e[1]},{e[1] + e[2]})" if e[1] + e[2] > 0 else ""))
patterns = st.tuples(st.sampled_from(["", "", "<"]), st.lists(elements, min_size=1, max_size=4)).map(
    lambda p: p[0] + "-".join(["A", *p[1]])
)
texts = st.text("ACDE", max_size=30)


def expression(pattern: str) -> Any:
    """Return the regular expression of a pattern of PROSITE."""
    made = re.sub(r"\((\d+),(\d+)\)", r"<\1,\2>", pattern.lstrip("<").replace("-", ""))
    made = re.sub(r"\{(\w)\}", r"[^\1]", made).replace("x", ".")
    return re.compile(made.replace("<", "{").replace(">", "}"))


def starts_of(pattern: str, text: str) -> list[tuple[int, int]]:
    """Return (begin, end) of the first alternative at each position."""
    compiled, last = expression(pattern), 1 if pattern.startswith("<") else len(text)
    found = [compiled.match(text, i) for i in range(last)]
    return [match.span() for match in found if match and match.end() > match.start()]


def ends_of(pattern: str, text: str) -> list[tuple[int, int]]:
    """Return (begin, end) of each end, with the largest begin."""
    compiled, last = expression(pattern), 1 if pattern.startswith("<") else len(text)
    begins: dict[int, int] = {}
    for i in range(last):
        begins.update({j: i for j in range(i + 1, len(text) + 1) if compiled.fullmatch(text, i, j)})
    return sorted((begin, end) for end, begin in begins.items())


def reported_by_ps_scan(pattern: str, text: str, overlap: bool, included: bool) -> list[tuple[int, int]]:
    """Return the matches of ps_scan.pl."""
    reported: list[tuple[int, int]] = []
    position, last_end = 0, 0
    for begin, end in starts_of(pattern, text):
        if begin < position:
            continue
        position = begin + 1 if overlap else end
        if included or end > last_end:
            reported.append((begin, end))
            last_end = max(last_end, end)
    return reported


def spans(matches: weft.MotifMatches) -> list[tuple[int, int]]:
    return list(zip(matches.begin.tolist(), matches.end.tolist()))


@given(patterns, texts, st.booleans(), st.booleans())
def test_matches_are_those_of_regular_expressions(
    pattern: str, text: str, overlap: bool, included: bool
) -> None:
    motifs = weft.Motifs(pattern)
    assert spans(weft.scan(motifs, text, rule="starts")) == starts_of(pattern, text)
    assert spans(weft.scan(motifs, text, rule="ends")) == ends_of(pattern, text)
    found = weft.scan(motifs, text, overlap=overlap, included=included)
    assert spans(found) == reported_by_ps_scan(pattern, text, overlap, included)


@given(st.lists(patterns, max_size=4), st.lists(texts, max_size=8), st.data())
def test_batches_do_not_change_the_matches(listed: list[str], seqs: list[str], data: Any) -> None:
    motifs = weft.Motifs(listed)
    whole = weft.scan(motifs, seqs)
    cut = data.draw(st.integers(0, len(seqs)))
    scanner, counter = weft.Scanner(motifs), weft.Scanner(motifs)
    found = []
    for first, part in ((0, seqs[:cut]), (cut, seqs[cut:])):
        records = scanner.feed(part).records.copy()
        records["sequence"] += first
        found += records.tolist()
        counter.count(part)
    assert found == whole.records.tolist()
    counts = weft.scan_count(motifs, seqs)
    assert (
        counts.dtype == np.uint64
        and counts.tolist() == np.bincount(whole.motif, minlength=len(motifs)).tolist()
    )
    for totals in (scanner.totals, counter.totals):
        assert totals[:3] == (len(seqs), sum(map(len, seqs)), len(whole))
        assert totals.by_motif.tolist() == counts.tolist()


@settings(max_examples=30)
@given(st.text("ACGT", min_size=1, max_size=20), st.text("ACGTN", min_size=1, max_size=4))
def test_dna_has_two_strands_and_circles(text: str, pattern: str) -> None:
    motifs = weft.Motifs(pattern, alphabet="dna")
    complement = text[::-1].translate(str.maketrans("ACGT", "TGCA"))
    both = weft.scan(motifs, text, strand="both", rule="starts")
    forward = spans(both[both.strand == 0])
    assert forward == [m.span(1) for m in re.finditer(f"(?=({pattern.replace('N', '.')}))", text)]
    reverse = [(len(text) - e, len(text) - b) for b, e in spans(weft.scan(motifs, complement, rule="starts"))]
    assert spans(both[both.strand == 1]) == sorted(reverse)
    circle = spans(weft.scan(motifs, text, circular=True, rule="starts"))
    if len(pattern) <= len(text):
        doubled = spans(weft.scan(motifs, text + text[: len(pattern) - 1], rule="starts"))
        assert circle == doubled


@pytest.fixture(scope="module")
def command() -> str:
    if not COMMAND.exists():
        pytest.skip(f"{COMMAND} is not built; WEFT_COMMAND can name another one")
    return str(COMMAND)


@pytest.mark.parametrize("format", ["tsv", "pff", "scan", "fasta", "gff3", "bed", "jsonl", "html"])
def test_files_are_those_of_the_command(command: str, format: Any, tmp_path: pathlib.Path) -> None:
    seqs = weft.read_sequences(DATA / "proteins.fa")
    cases: list[tuple[str, weft.Motifs, dict[str, Any], list[Any]]] = [
        ("file", weft.Motifs.from_prosite(DATA / "motifs.txt"), {}, [DATA / "motifs.txt"]),
        (
            "list",
            weft.Motifs(["R-G-D", "[ST>]-x(0,3)"]),
            {"max_x": 1},
            ["-e", "R-G-D", "-e", "[ST>]-x(0,3)", "-x", "1"],
        ),
    ]
    for name, made, options, flags in cases:
        weft.scan(made, seqs, **options).write(tmp_path / name, format=format)
        words = [command, "scan", "-q", "--alphabet", "protein", "--format", format, *flags]
        words.append(DATA / "proteins.fa")
        expected = subprocess.run(words, capture_output=True, check=True).stdout
        assert (tmp_path / name).read_bytes() == expected


@pytest.mark.parametrize("format", ["tsv", "scan", "gff3", "bed"])
def test_files_of_circular_dna_are_those_of_the_command(
    command: str, format: Any, tmp_path: pathlib.Path
) -> None:
    motifs = weft.Motifs(["GATCAC", "TTNNNGG", "CGATC-x(0,5)-G"], alphabet="dna")
    seqs = weft.read_sequences(DATA / "mt_human.fa")
    weft.scan(motifs, seqs, strand="both", circular=True).write(tmp_path / "out", format=format)
    flags = [word for pattern in motifs.patterns for word in ("-e", pattern)]
    words = [
        command,
        "scan",
        "-q",
        "--alphabet",
        "dna",
        "--circular",
        "--format",
        format,
        *flags,
        DATA / "mt_human.fa",
    ]
    assert (tmp_path / "out").read_bytes() == subprocess.run(words, capture_output=True, check=True).stdout


def test_the_text_is_a_table_with_positions_from_one() -> None:
    matches = weft.scan(
        weft.Motifs("R-G-D"), weft.Sequences.from_list(["MARGD", "A"], names=["f\udcff", "b"])
    )
    assert matches.to_tsv().splitlines()[1] == "f\udcff\t3\t5\t+\tUSER001\tR-G-D\tRGD"
    assert weft.scan(weft.Motifs("W"), "A").to_tsv() == "sequence\tbegin\tend\tstrand\tmotif\tname\tmatch\n"


def test_columns_are_views_of_one_array() -> None:
    matches = weft.scan(weft.Motifs("R-G-D"), ["RGD", "ARGDRGD"])
    assert matches.records.dtype == MATCH and matches.records.itemsize == 32
    assert not matches.records.flags.owndata and matches.begin.base is not None
    assert np.asarray(matches) is matches.records and len(matches) == 3
    assert matches[matches.sequence == 1].begin.tolist() == [1, 4] and len(matches[:2]) == 2
    assert (matches.strand == 0).all() and repr(matches) == "weft.MotifMatches(3 of 1 motifs in 2 sequences)"
    with pytest.raises(TypeError, match="slice"):
        matches[0]  # type: ignore[index]
    with pytest.raises(TypeError, match="columns"):
        iter(matches)


def test_pandas_and_arrow_have_the_columns() -> None:
    matches = weft.scan(
        weft.Motifs(["D", "R-G"], names=["d", "rg"]), weft.Sequences(b"RGDD", np.array([0, 3, 4]), ["x", "y"])
    )
    frame = pytest.importorskip("pandas") and matches.to_pandas()
    assert frame["motif_name"].tolist() == ["d", "rg", "d"] and frame["strand"].tolist() == ["+"] * 3
    table = pytest.importorskip("pyarrow") and matches.to_arrow()
    assert table.to_pandas().astype(str).equals(frame.astype(str))
    assert table["sequence_name"].to_pylist() == ["x", "x", "y"]
    empty = weft.scan(weft.Motifs("W"), "A")
    assert len(empty.to_pandas()) == 0 and empty.to_arrow().num_rows == 0


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = weft.scan(weft.Motifs("W"), "A")
    for module, method in (("pandas", matches.to_pandas), ("pyarrow", matches.to_arrow)):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ImportError, match=f"needs {module}"):
            method()


def test_a_notebook_shows_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = weft.scan(weft.Motifs("R-G-D"), ["MARGD"] * 5)
    page = matches._repr_html_()
    assert page.startswith("<iframe") and "&lt;!DOCTYPE html&gt;" in page and "&quot;matches&quot;:5" in page
    monkeypatch.setattr(weft._motif_matches, "_SHOWN", 2)
    assert matches._repr_html_().startswith("<p>The first 2 of 5 matches")


def test_changed_records_are_refused(tmp_path: pathlib.Path) -> None:
    for field, value in (("sequence", 9), ("motif", 9), ("begin", 9), ("end", 2**63)):
        matches = weft.scan(weft.Motifs("R-G-D"), ["RGD"])
        matches.records[field] = value
        with pytest.raises(ValueError, match="not of these motifs"):
            matches.to_tsv()
    with pytest.raises(ValueError, match="format must be"):
        matches.write(tmp_path / "out", format="xml")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        weft.scan(weft.Motifs("A"), "A").write(tmp_path / "none" / "out")
    assert list(tmp_path.iterdir()) == []


def test_bad_patterns_are_parse_errors(tmp_path: pathlib.Path) -> None:
    with pytest.raises(weft.ParseError) as caught:
        weft.Motifs(["R-G-D", "A(3,1)"])
    assert (caught.value.source, caught.value.line, caught.value.column) == ("pattern", 2, 3)
    path = tmp_path / "motifs.txt"
    path.write_text("good\tR-G-D\nbad\tN-[ST\n")
    with pytest.raises(weft.ParseError, match="closes this bracket") as caught:
        weft.Motifs.from_prosite(path)
    assert (caught.value.source, caught.value.line, caught.value.column) == (str(path), 2, 7)
    assert isinstance(caught.value, ValueError)
    with pytest.raises(FileNotFoundError):
        weft.Motifs.from_prosite(tmp_path / "none")


def test_prosite_files_have_entries_that_are_no_patterns(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "some.dat"
    entry = "ID   {}; {}.\nAC   PS0000{};\nDE   About it.\n{}//\n"
    path.write_text(
        entry.format("A_B", "PATTERN", 1, "PA   R-G-\nPA   D.\nCC   /SKIP-FLAG=TRUE;\n")
        + entry.format("C_D", "PATTERN", 2, "PA   N-G.\n")
        + entry.format("E_F", "MATRIX", 3, "")
    )
    motifs = weft.Motifs.from_prosite(path)
    assert (motifs.names, motifs.accessions) == (["A_B", "C_D"], ["PS00001", "PS00002"])
    assert (motifs.patterns, motifs.descriptions) == (["R-G-D", "N-G"], ["About it."] * 2)
    assert motifs.frequent == [True, False] and motifs.skipped == {"matrix": 1, "rule": 0}
    assert weft.Motifs.from_prosite(os.fsencode(path), skip_frequent=True).names == ["C_D"]


def test_motifs_and_matches_pickle(tmp_path: pathlib.Path) -> None:
    (tmp_path / "list").write_text("one\tN-[ST]\n")
    for motifs in (
        weft.Motifs(["R-G-D", "[AX]"], names=["a", "b"], greedy=False),
        weft.Motifs.from_prosite(tmp_path / "list"),
    ):
        matches = weft.scan(motifs, ["MARGDX", "NXS"])
        copy = pickle.loads(pickle.dumps(matches))
        assert copy.to_tsv() == matches.to_tsv() and copy.motifs.source == motifs.source
        for name in (
            "names",
            "accessions",
            "descriptions",
            "patterns",
            "frequent",
            "skipped",
            "alphabet",
            "greedy",
        ):
            assert getattr(copy.motifs, name) == getattr(motifs, name)
        assert repr(copy.motifs) == repr(motifs)


def test_letters_x_follow_the_command(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "list"
    path.write_text("one\tA-[ST]\n")
    listed, file = weft.Motifs("A-[ST]"), weft.Motifs.from_prosite(path)
    for motifs, max_x, expected in [
        (listed, None, 0),
        (listed, 1, 1),
        (file, None, 0),
        (file, 0, 0),
        (file, -1, 1),
    ]:
        assert len(weft.scan(motifs, "AX", max_x=max_x)) == expected
    assert len(weft.scan(file, "AX", rule="starts")) == 1 and len(weft.scan(listed, "AX", rule="starts")) == 0


def test_sequences_of_all_kinds_are_searched() -> None:
    motifs, text = weft.Motifs("R-G-D"), np.frombuffer(b"MARGD", np.uint8)
    strided = np.repeat(text, 2)[::2]
    for seqs in (
        "MARGD",
        b"MARGD",
        text,
        strided,
        text.view("S1"),
        memoryview(b"MARGD"),
        ["MARGD"],
        (text, np.array([0, 5])),
    ):
        assert spans(weft.scan(motifs, seqs)) == [(2, 5)]
    arrow = pytest.importorskip("pyarrow")
    assert spans(weft.scan(motifs, arrow.array(["MARGD"], arrow.large_string()))) == [(2, 5)]
    for empty in ("", b"", [], ["", ""], text[:0]):
        assert len(weft.scan(motifs, empty)) == 0 and weft.scan_count(motifs, empty).tolist() == [0]
    assert len(weft.scan(weft.Motifs([]), "MARGD")) == 0
    for wrong in (
        5,
        None,
        text.astype(np.uint16),
        text.reshape(1, 5),
        np.array(7, np.uint8),
        [1, 2],
        "\u00e9",
    ):
        with pytest.raises((TypeError, ValueError)):
            weft.scan(motifs, wrong)  # type: ignore[arg-type]


def test_engines_agree() -> None:
    seqs, motifs = weft.read_sequences(DATA / "proteins.fa"), weft.Motifs.from_prosite(DATA / "motifs.txt")
    for rule in ("ps-scan", "starts", "ends"):
        found = [
            weft.scan(motifs, seqs, rule=rule, engine=e, device="cpu")
            for e in ("bit-stream", "shift-and", "nfa-array")
        ]
        assert (found[0].records == found[1].records).all() and (found[0].records == found[2].records).all()


def test_progress_counts_residues() -> None:
    seen: list[tuple[int, int]] = []
    seqs = weft.read_sequences(DATA / "proteins.fa")
    weft.scan(weft.Motifs("R-G-D"), seqs, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (len(seqs.data), len(seqs.data))


def test_ctrl_c_ends_a_scan() -> None:
    program = (
        "import weft\n"
        "text = b'ACDEFGHIKLMNPQRSTVWY' * 10**7\n"
        "motifs = weft.Motifs([f'A-x({i},{i+4})-[CDE]-x(0,4)-W' for i in range(300)])\n"
        "print('ready', flush=True)\n"
        "try:\n    weft.scan_count(motifs, text, device='cpu')\n"
        "except KeyboardInterrupt:\n    print('interrupted')\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        start = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        assert process.communicate(timeout=30)[0] == "interrupted\n"
        assert time.monotonic() - start < 2
