"""The package in a process: without a GPU, after a fork, on several threads, for many calls."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Callable

import numpy as np
import pytest
import weft

RunPython = Callable[..., str]
LONG = "ACGTTGCA" * 5000


def test_import_takes_less_than_half_a_second_after_numpy(run_python: RunPython) -> None:
    # The time of the processor, because other programs may use it, too.
    program = (
        "import time, numpy; start = time.process_time(); import weft; print(time.process_time() - start)"
    )
    assert min(float(run_python(program)) for _ in range(3)) < 0.5


def test_import_needs_numpy_alone(run_python: RunPython) -> None:
    program = """
import sys
before = set(sys.modules)
import numpy
with_numpy = set(sys.modules)
import weft
new = {name.partition(".")[0] for name in set(sys.modules) - with_numpy}
print(*(sorted(new - {"numpy", "weft"} - set(sys.stdlib_module_names))))
"""
    assert run_python(program).split() == []


def test_without_a_visible_gpu(run_python: RunPython) -> None:
    program = """
import weft
assert weft.lcs_length("ABCBDAB", "BDCABA") == 4
assert weft.lcs_length("ABCBDAB", "BDCABA", device="cpu") == 4
try:
    weft.lcs_length("ABCBDAB", "BDCABA", device="gpu")
except weft.UnavailableError as error:
    print(error)
"""
    assert run_python(program, CUDA_VISIBLE_DEVICES="").strip() != ""


def test_fork_after_use(run_python: RunPython) -> None:
    program = """
import os, weft
text = "ACGTTGCA" * 2000
length = weft.lcs_length(text, text[1:], threads=2)
child = os.fork()
if child == 0:
    os._exit(0 if weft.lcs_length(text, text[1:], threads=2) == length else 1)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0
assert weft.lcs_length(text, text[1:], threads=2) == length
"""
    run_python(program)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes(method: str) -> None:
    expected = weft.lcs_length(LONG[:999], LONG[1:1000])
    with multiprocessing.get_context(method).Pool(2) as pool:
        pairs = [(LONG[:999], LONG[1:1000])] * 4
        assert pool.starmap(weft.lcs_length, pairs) == [expected] * 4


def test_two_threads_at_once() -> None:
    texts = [LONG[i : i + 3000] for i in range(8)]
    expected = [weft.lcs_length(text, LONG[:3000]) for text in texts]
    with ThreadPoolExecutor(2) as pool:
        for _ in range(20):
            assert list(pool.map(lambda text: weft.lcs_length(text, LONG[:3000]), texts)) == expected


def test_other_threads_run_during_a_long_call() -> None:
    done = threading.Event()
    counted = 0

    def count() -> None:
        nonlocal counted
        while not done.wait(0.001):
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        random = np.random.default_rng(1)
        a, b = (random.choice(np.frombuffer(b"ACGT", np.uint8), 200_000) for _ in range(2))
        before = counted
        weft.lcs_length(a, b, device="cpu", threads=1)
        during = counted - before
    finally:
        done.set()
        thread.join()
    assert during > 3


def test_exceptions_of_several_threads() -> None:
    def fail(_: int) -> str:
        with pytest.raises(weft.InputError) as caught:
            weft.lcs_length("A", "B", engine="none-such")
        return str(caught.value)

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(fail, range(200)))) == 1


GROWTH = """
import gc
import numpy as np
import weft

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

array = np.frombuffer(b"ACGTTGCA" * 4, np.uint8)

def call():
    {call}

for _ in range(2000):
    call()
before = resident()
for _ in range({count}):
    call()
print(resident() - before)
"""


@pytest.mark.parametrize(
    ("call", "count"),
    [
        ("weft.lcs_length('ABCBDAB', b'BDCABA')", 100_000),
        ("weft.lcs_length(array, array[::-1])", 100_000),
        ("weft.lcs_length('ABCBDAB', 'BDCABA', progress=lambda done, total: None)", 6_000),
        (
            "try: weft.lcs_length('A', 'B', engine='none-such')\n    except weft.InputError: pass",
            20_000,
        ),
        ("try: weft.lcs_length('A', array.reshape(4, 8))\n    except ValueError: pass", 20_000),
    ],
    ids=["texts", "arrays", "progress", "errors of the library", "errors of arguments"],
)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
def test_memory_does_not_grow(run_python: RunPython, call: str, count: int) -> None:
    assert int(run_python(GROWTH.format(call=call, count=count))) < 1 << 20
