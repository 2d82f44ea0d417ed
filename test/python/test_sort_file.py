"""Tests of sorting files: byte for byte what the command weft sort writes."""

from __future__ import annotations

import errno
import gzip
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

import weft

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = [os.environ.get("WEFT_COMMAND", ""), str(ROOT / "build/py/cli/weft"), shutil.which("weft") or ""]
COMMAND = next((path for path in BUILT if os.access(path, os.X_OK)), "")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(pathlib.Path(weft.__file__).absolute().parents[1])}
needs_command = pytest.mark.skipif(not COMMAND, reason="the command weft is not built; set WEFT_COMMAND")


def words(count: int, seed: int) -> bytes:
    """Return lines of a word, a number and an item of a list, separated by blanks."""
    source = random.Random(seed)
    items = ["1K", "2.5G", "-3", "jan", "FEB", "zz", "v1.10", "v1.9", "+1e3", "nan", "  x", "a-b", "\t7"]
    lines = []
    for _ in range(count):
        word = "".join(source.choice("abAB-. ") for _ in range(source.randint(0, 5)))
        lines.append(f"{word} {source.randint(-20, 20)},{source.choice(items)}")
    return "\n".join(lines).encode()  # the last line has no end


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("files")
    for number in (1, 2):
        (path / f"words{number}").write_bytes(words(300, number))
        lines = sorted(words(300, number).splitlines(keepends=True)[:-1])
        (path / f"sorted{number}").write_bytes(b"".join(lines))
    (path / "zero").write_bytes(words(300, 3).replace(b"\n", b"\0"))
    (path / "bytes").write_bytes(bytes(random.Random(4).randbytes(4000)))
    (path / "packed.gz").write_bytes(gzip.compress(words(300, 5)))
    (path / "empty").write_bytes(b"")
    (path / "table.csv").write_text('name,size\nb,10\n"a, x\ny",9\n"c ""q""",1K\na,9\n')
    (path / "plain.csv").write_text("b;10\na;9\n")
    return path


LINES: list[tuple[list[str], dict[str, Any]]] = [
    ([], {}),
    (["-r"], {"reverse": True}),
    (["-u"], {"unique": True}),
    (["-n"], {"numeric": True}),
    (["-nr"], {"numeric": True, "reverse": True}),
    (["-g"], {"general_numeric": True}),
    (["-h"], {"human_numeric": True}),
    (["-M"], {"month": True}),
    (["-V"], {"version": True}),
    (["-R"], {"random": True}),
    (["-f"], {"ignore_case": True}),
    (["-d"], {"dictionary_order": True}),
    (["-b"], {"ignore_leading_blanks": True}),
    (["-i"], {"ignore_nonprinting": True}),
    (["-dfu"], {"dictionary_order": True, "ignore_case": True, "unique": True}),
    (["-k2,2n"], {"key": "2,2n"}),
    (["-k2,2n", "-s"], {"key": "2,2n", "stable": True}),
    (["-k2,2nr", "-k1,1f"], {"key": ["2,2nr", "1,1f"]}),
    (["-k2,2n", "-u"], {"key": "2,2n", "unique": True}),
    (["-t,", "-k2,2M"], {"field_separator": ",", "key": "2,2M"}),
    (["-t,", "-k2.1,2.2V", "-r"], {"field_separator": ",", "key": "2.1,2.2V", "reverse": True}),
    (["-k1.2b,1.3", "-s"], {"key": ["1.2b,1.3"], "stable": True}),
    (["-z"], {"zero_terminated": True}),
    (["--header", "2"], {"header": 2}),
    (["--no-decompress"], {"decompress": False}),
    (["-t,", "-k2h", "--threads", "1"], {"field_separator": b",", "key": "2h", "threads": 1}),
    (["--memory", "64K"], {"memory": "64K"}),
    (["--memory", "65536", "-n"], {"memory": 65536, "numeric": True}),
]


def by_command(flags: list[str], sources: list[pathlib.Path], output: pathlib.Path) -> bytes:
    """Return what the command writes for the flags."""
    subprocess.run([COMMAND, "sort", *flags, *map(str, sources), "-o", str(output)], check=True)
    return output.read_bytes()


@needs_command
@pytest.mark.parametrize("flags, options", LINES, ids=[" ".join(flags) or "none" for flags, _ in LINES])
def test_lines_are_those_of_the_command(
    folder: pathlib.Path, tmp_path: pathlib.Path, flags: list[str], options: dict[str, Any]
) -> None:
    several = [["words1", "words2", "empty"], ["packed.gz", "words1"]]
    for names in (*several, ["words1"], ["zero"], ["bytes"], ["empty"]):
        if "header" in options and len(names) > 1:
            continue
        sources = [folder / name for name in names]
        expected = by_command(flags, sources, tmp_path / "expected")
        weft.sort_file(sources, tmp_path / "result", **options)
        assert (tmp_path / "result").read_bytes() == expected, names


@needs_command
@pytest.mark.parametrize(
    "flags, options",
    [
        (["-m"], {"merge": True}),
        (["-m", "-u"], {"merge": True, "unique": True}),
        (["-m", "--memory", "64K"], {"merge": True, "memory": "64K"}),
    ],
)
def test_merges_are_those_of_the_command(
    folder: pathlib.Path, tmp_path: pathlib.Path, flags: list[str], options: dict[str, Any]
) -> None:
    sources = [folder / "sorted1", folder / "sorted2"]
    expected = by_command(flags, sources, tmp_path / "expected")
    weft.sort_file(sources, tmp_path / "result", **options)
    assert (tmp_path / "result").read_bytes() == expected
    assert expected


@needs_command
@pytest.mark.parametrize(
    "name, flags, options",
    [
        ("table.csv", ["-k", "name"], {"key": "name"}),
        ("table.csv", ["-k", "size:h", "-r"], {"key": "size:h", "reverse": True}),
        ("table.csv", ["-k", "2:h", "-k", "1:r"], {"key": ["2:h", "1:r"]}),
        ("table.csv", [], {}),
        (
            "plain.csv",
            ["-t;", "--header", "0", "-k", "2:n"],
            {"field_separator": ";", "header": 0, "key": "2:n"},
        ),
    ],
)
def test_records_are_those_of_the_command(
    folder: pathlib.Path, tmp_path: pathlib.Path, name: str, flags: list[str], options: dict[str, Any]
) -> None:
    expected = by_command(["--csv", *flags], [folder / name], tmp_path / "expected")
    weft.sort_file(folder / name, tmp_path / "result", csv=True, **options)
    assert (tmp_path / "result").read_bytes() == expected


@needs_command
@pytest.mark.parametrize("dtype", ["u8", "i16", "u32", "f32", "f64", "i128"])
def test_raw_arrays_are_those_of_the_command(tmp_path: pathlib.Path, dtype: str) -> None:
    source = tmp_path / "numbers"
    source.write_bytes(random.Random(6).randbytes(1600))
    cases: list[tuple[list[str], dict[str, Any]]] = [
        ([], {}),
        (["-r"], {"reverse": True}),
        (["-s"], {"stable": True}),
    ]
    for flags, options in cases:
        expected = by_command(["--type", dtype, *flags], [source], tmp_path / "expected")
        weft.sort_file(source, tmp_path / "result", dtype=dtype, **options)
        assert (tmp_path / "result").read_bytes() == expected


def test_npy_arrays(tmp_path: pathlib.Path) -> None:
    x = np.random.default_rng(1).normal(size=1000)
    np.save(tmp_path / "x.npy", x)
    weft.sort_file(tmp_path / "x.npy", tmp_path / "y.npy", reverse=True)
    assert (np.load(tmp_path / "y.npy") == np.sort(x)[::-1]).all()
    x.tofile(tmp_path / "raw")
    weft.sort_file(tmp_path / "raw", tmp_path / "raw", dtype="float64", memory="1M")
    assert (np.fromfile(tmp_path / "raw") == np.sort(x)).all()
    with pytest.raises(weft.InputError, match="numeric can be used only for lines"):
        weft.sort_file(tmp_path / "x.npy", tmp_path / "y.npy", numeric=True)
    with pytest.raises(weft.InputError, match="one array at a time"):
        weft.sort_file([tmp_path / "x.npy"] * 2, tmp_path / "y.npy")
    (tmp_path / "raw").write_bytes(b"12345")
    with pytest.raises(weft.ParseError, match="5 bytes"):
        weft.sort_file(tmp_path / "raw", tmp_path / "z", dtype="u64")
    with pytest.raises(weft.OutOfMemoryError):
        weft.sort_file(tmp_path / "x.npy", tmp_path / "z", memory=1000)
    assert not (tmp_path / "z").exists()


def test_text_larger_than_the_memory(tmp_path: pathlib.Path) -> None:
    lines = [b"%d\n" % random.Random(i).randint(0, 10**9) for i in range(40_000)]
    (tmp_path / "lines").write_bytes(b"".join(lines))
    calls: list[tuple[int, int]] = []
    weft.sort_file(tmp_path / "lines", tmp_path / "lines", memory="128K", temporary_directory=tmp_path,
                   progress=lambda done, total: calls.append((done, total)))
    assert (tmp_path / "lines").read_bytes() == b"".join(sorted(lines))
    assert os.listdir(tmp_path) == ["lines"]
    size = (tmp_path / "lines").stat().st_size
    assert calls[-1] == (size, size) and all(0 <= done <= total for done, total in calls)


def test_paths_of_all_kinds(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("-").write_bytes(b"b\na\n")
    weft.sort_file("-", b"\xff")
    assert open(b"\xff", "rb").read() == b"a\nb\n"
    weft.sort_file([b"\xff", pathlib.Path("-")], "-", unique=True)
    assert pathlib.Path("-").read_bytes() == b"a\nb\n"


def test_files_that_cannot_be_used(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a").write_bytes(b"b\na\n")
    with pytest.raises(weft.FileError, match="missing") as caught:
        weft.sort_file(tmp_path / "missing", tmp_path / "result")
    assert caught.value.errno == errno.ENOENT and isinstance(caught.value, FileNotFoundError)
    with pytest.raises(FileNotFoundError):
        weft.sort_file([tmp_path / "a", tmp_path / "missing"], tmp_path / "result")
    with pytest.raises(FileNotFoundError):
        weft.sort_file(tmp_path / "a", tmp_path / "folder" / "result")
    for source, result in (("", tmp_path / "result"), (tmp_path / "a", "")):
        with pytest.raises(FileNotFoundError):
            weft.sort_file(source, result)
    with pytest.raises(weft.FileError) as failure:
        weft.sort_file(tmp_path / "a", tmp_path)
    assert failure.value.errno == errno.EISDIR
    assert os.listdir(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"b\na\n"


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"key": "x"}, weft.InputError, "'x'"),
        ({"key": "2,2nM"}, weft.InputError, "'nM'|incompatible"),
        ({"key": 2}, TypeError, "key|not iterable"),
        ({"key": [2]}, TypeError, "key must be a str"),
        ({"numeric": True, "month": True}, weft.InputError, "incompatible"),
        ({"numeric": 1}, TypeError, "numeric must be a bool"),
        ({"field_separator": "ab"}, ValueError, "one byte, not 'ab'"),
        ({"field_separator": ""}, ValueError, "one byte"),
        ({"csv": True, "zero_terminated": True}, ValueError, "zero_terminated"),
        ({"csv": True, "field_separator": '"'}, ValueError, "quote"),
        ({"csv": True, "key": "nosuch"}, weft.InputError, "nosuch"),
        ({"memory": "lots"}, weft.InputError, "lots"),
        ({"memory": 0}, ValueError, "memory"),
        ({"memory": 1.5}, TypeError, "memory"),
        ({"header": "x"}, TypeError, "header"),
        ({"header": -1}, TypeError, "header"),
        ({"dtype": "u7"}, weft.InputError, "u7"),
        ({"engine": "vqsort"}, weft.InputError, "words"),
        ({"engine": "nosuch"}, weft.InputError, "nosuch"),
        ({"merge": True, "device": "gpu"}, (weft.InputError, weft.UnavailableError), "CPU|GPU"),
        ({"temporary_directory": "/nosuch", "memory": "64K"}, FileNotFoundError, "/nosuch"),
    ],
)
def test_arguments_that_are_refused(
    tmp_path: pathlib.Path, options: dict[str, Any], error: Any, message: str
) -> None:
    (tmp_path / "a").write_bytes(b"b,1\na,2\n" * 20_000)
    with pytest.raises(error, match=message):
        weft.sort_file(tmp_path / "a", tmp_path / "result", **options)
    assert os.listdir(tmp_path) == ["a"]


def test_an_empty_list_of_files_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="at least one file"):
        weft.sort_file([], tmp_path / "result")


def test_a_callback_that_raises_leaves_no_file(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a").write_bytes(b"b\na\n")

    def fail(done: int, total: int) -> None:
        raise KeyError("progress")

    (tmp_path / "large").write_bytes(b"".join(b"%d\n" % (i * 7919 % 1_000_003) for i in range(500_000)))
    with pytest.raises(KeyError, match="progress"):
        weft.sort_file(tmp_path / "large", tmp_path / "result", key="1n", memory="1M", progress=fail)
    assert sorted(os.listdir(tmp_path)) == ["a", "large"]


@pytest.mark.parametrize("options", ["", "memory='1M'", "key='1n'"])
def test_interrupt_leaves_no_file(tmp_path: pathlib.Path, options: str) -> None:
    (tmp_path / "large").write_bytes(b"".join(b"%d\n" % (i * 7919 % 1_000_003) for i in range(500_000)))
    # A `for` loop, for the reason that INTERRUPTED of test_transform.py gives.
    code = (
        "import sys, weft\n"
        "print('ready', flush=True)\n"
        "try:\n"
        f"    for _ in range(1000): weft.sort_file(['large'] * 8, 'result', {options})\n"
        "except KeyboardInterrupt: print('interrupted', flush=True)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=ENVIRONMENT
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.2)
    started = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "interrupted\n"
    assert time.monotonic() - started < 1.5
    assert child.wait() == 0
    assert set(os.listdir(tmp_path)) <= {"large", "result"}


def test_a_pipe_that_says_nothing_can_be_interrupted(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    holder = os.open(tmp_path / "pipe", os.O_RDWR)
    code = "import weft\nprint('ready', flush=True)\nweft.sort_file('pipe', 'result')\n"
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=ENVIRONMENT,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=5)
    os.close(holder)
    assert "KeyboardInterrupt" in errors and child.returncode == -signal.SIGINT
    assert os.listdir(tmp_path) == ["pipe"]
