"""The command in Python does what the program does: output, messages, exit codes, signals and pipes.

WEFT_COMMAND names the program, which otherwise is build/py/cli/weft. WEFT_WHOLE_CORPUS=1 adds
commands to the sample, and compares all commands of test/corpus with their recorded digests.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
from typing import Any, Iterator

import pytest

import weft

ROOT = pathlib.Path(__file__).parents[2]
CORPUS = ROOT / "test" / "corpus"
COMMAND = pathlib.Path(os.environ.get("WEFT_COMMAND", ROOT / "build" / "py" / "cli" / "weft"))
PYTHON = [sys.executable, "-m", "weft"]
# The script that pip installs.
SCRIPT = f"#!{sys.executable}\nimport sys\nfrom weft.__main__ import main\nsys.exit(main())\n"

# Each command starts an interpreter, so the sample has one command for each thing that the package could get wrong:
# words with special bytes, pipes, programs that the command starts, standard input, files, errors and exit codes.
SAMPLE = [
    "weft sort -t $'\\t' -k2n,2 -k1,1 -s fields.tsv | weft sort -c",
    "weft sort -S 400K --compress-program=gzip -n numbers.txt",
    "weft sort - < many.txt.gz",
    "weft scan -q motifs.txt proteins.fa --format gff3 -o out.gff3",
    "weft scan -q -e 'N-[P' -e 'A(3,1)' proteins.fa",
    "weft scan -q -e WWWWWW proteins.fa --fail-if-none",
    "weft find none.idx -e A",
    "weft",
]
WHOLE = bool(os.environ.get("WEFT_WHOLE_CORPUS"))
if WHOLE:
    SAMPLE += [
        "weft sort -n numbers.txt | weft sort -nc",
        "weft sort -c numbers.txt",
        "weft sort -S 100K --compress-program=gzip -n numbers.txt",
        "weft scan motifs.txt proteins.fa",
        "weft lcs mt_human.fa mt_orang.fa",
        "weft bwt mt_human.fa | weft unbwt -",
        "weft index mt_human.fa -o h.idx && weft find h.idx -e GATTACA",
        "weft nonsense",
        "weft scan --nonsense",
        "weft --version",
        "weft help sort",
    ]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if not COMMAND.exists():
        pytest.skip(f"{COMMAND} is not built; WEFT_COMMAND can name another one")
    spec = importlib.util.spec_from_file_location("run_corpus", CORPUS / "run_corpus.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tmp_path_factory.mktemp("corpus")
    yield module.Corpus(str(folder), str(COMMAND), None)


def use(corpus: Any, program: pathlib.Path) -> None:
    """Make `weft` of the corpus mean the program."""
    link = pathlib.Path(corpus.folder, "bin", "weft")
    link.unlink()
    link.symlink_to(program)


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("script") / "weft"
    path.write_text(SCRIPT)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("words", SAMPLE)
def test_a_command_does_what_the_program_does(corpus: Any, script: pathlib.Path, words: str) -> None:
    use(corpus, COMMAND)
    expected = corpus.outcome(words)
    use(corpus, script)
    assert corpus.outcome(words) == expected


@pytest.mark.skipif(not WHOLE, reason="WEFT_WHOLE_CORPUS is not set")
def test_the_whole_corpus(script: pathlib.Path) -> None:
    runner = [sys.executable, str(CORPUS / "run_corpus.py"), "--weft", str(script), "--jobs", "2"]
    done = subprocess.run(runner, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_a_link_called_sort_is_sort(script: pathlib.Path, tmp_path: pathlib.Path) -> None:
    link = tmp_path / "sort"
    link.symlink_to(script)
    done = subprocess.run([link, "-n"], input=b"10\n9\n", capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"9\n10\n", b"")
    done = subprocess.run([link, "none"], capture_output=True)
    assert done.returncode == 2 and done.stderr.startswith(b"sort: ")


def test_the_module_is_the_command(tmp_path: pathlib.Path) -> None:
    done = subprocess.run([*PYTHON, "--version"], capture_output=True)
    assert (done.returncode, done.stdout) == (0, f"weft {weft.__version__}\n".encode())
    path = os.fsencode(tmp_path) + b"/\xff"
    done = subprocess.run([*PYTHON, "sort", "-o", path], input=b"b\na\n", capture_output=True)
    assert done.returncode == 0 and open(path, "rb").read() == b"a\nb\n"


def test_a_closed_pipe_ends_the_command_quietly() -> None:
    words = " ".join(PYTHON)
    line = f"yes | head -n 200000 | {words} sort | head -n 1; echo ${{PIPESTATUS[2]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True)
    assert (done.stdout, done.stderr) == (b"y\n141\n", b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_and_leaves_no_file(number: int, tmp_path: pathlib.Path) -> None:
    pipe = subprocess.PIPE
    words = [*PYTHON, "scan", "-q", "-e", "A", "--alphabet", "protein", "-", "-o", str(tmp_path / "out")]
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None and process.stderr is not None
        process.stdin.write(b">one\nAAAA\n")
        process.stdin.flush()
        for _ in range(200):  # until the temporary file exists
            if list(tmp_path.iterdir()):
                break
            time.sleep(0.05)
        assert list(tmp_path.iterdir())
        process.send_signal(number)
        assert process.stderr.read() == b"weft: interrupted\n"
        assert process.wait() == 130
    assert list(tmp_path.iterdir()) == []


LAUNCHERS = {"mpich": ["mpirun.mpich"], "openmpi": ["mpirun.openmpi", "--oversubscribe", "--quiet"]}


@pytest.mark.parametrize("mpi", LAUNCHERS)
def test_the_command_runs_as_several_ranks(mpi: str, tmp_path: pathlib.Path) -> None:
    launcher = LAUNCHERS[mpi]
    if not shutil.which(launcher[0]):
        pytest.skip(f"{launcher[0]} is not installed")
    (tmp_path / "lines").write_text("".join(f"{i * 7919 % 10007}\n" for i in range(10000)))
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    words = [*launcher, "-n", "3", *PYTHON, "sort", "-n", "lines", "-o", "sorted", "-v"]
    done = subprocess.run(words, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert b"3 ranks" in done.stderr
    numbers = [int(line) for line in (tmp_path / "sorted").read_text().splitlines()]
    assert len(numbers) == 10000 and numbers == sorted(numbers)
