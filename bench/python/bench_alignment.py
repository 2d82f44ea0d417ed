"""Time weft's comparisons in Python beside rapidfuzz and edlib, in the same run.

Run it with the package installed: python bench/python/bench_alignment.py [--repeats 5]. A row is the median of
the repeats, which alternate between the two libraries, with the ratio of the medians and the spread of weft's
times. The results are compared before anything is timed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any, Callable

import edlib
import numpy as np
import rapidfuzz

import weft


def median_times(first: Callable[[], Any], second: Callable[[], Any], repeats: int) -> tuple[float, float, float]:
    """Return the median seconds of both functions, and the spread of the first (largest / smallest)."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for function, taken in zip((first, second), times):
            begin = time.perf_counter()
            function()
            taken.append(time.perf_counter() - begin)
    return statistics.median(times[0]), statistics.median(times[1]), max(times[0]) / min(times[0])


def row(case: str, peer: str, first: Callable[[], Any], second: Callable[[], Any], repeats: int) -> None:
    """Print a row of the table."""
    ours, theirs, spread = median_times(first, second, repeats)
    print(f"| {case} | {ours * 1e3:.4g} ms | {peer} | {theirs * 1e3:.4g} ms | {theirs / ours:.2f}x | {spread:.2f} |", flush=True)


def mutated(text: np.ndarray[Any, Any], part: float, random: np.random.Generator) -> bytes:
    """Return the text with this part of its letters changed, removed or doubled."""
    kind = random.random(len(text))
    copies = np.ones(len(text), np.int64)
    copies[kind < part / 3] = 0
    copies[(kind >= part / 3) & (kind < 2 * part / 3)] = 2
    letters = text.copy()
    changed = (kind >= 2 * part / 3) & (kind < part)
    letters[changed] = random.choice(np.frombuffer(b"ACGT", np.uint8), int(changed.sum()))
    return np.repeat(letters, copies).tobytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats: int = parser.parse_args().repeats
    random = np.random.default_rng(1)
    dna = np.frombuffer(b"ACGT", np.uint8)
    print("| case | weft | peer | time | ratio | spread |\n| --- | --- | --- | --- | --- | --- |")

    short = ("ABCBDAB", "BDCABA")
    similarity = rapidfuzz.distance.LCSseq.similarity
    assert weft.lcs_length(*short) == similarity(*short)
    calls = 20_000

    def many(function: Callable[[str, str], int]) -> Callable[[], None]:
        def run() -> None:
            for _ in range(calls):
                function(*short)

        return run

    row(f"lcs_length of 7 and 6 letters, {calls} calls", "rapidfuzz", many(weft.lcs_length), many(similarity), repeats)

    size = 100_000
    a = random.choice(dna, size)
    for name, b in (("random", random.choice(dna, size).tobytes()), ("1 % different", mutated(a, 0.01, random))):
        text = a.tobytes()
        expected = edlib.align(text.decode(), b.decode())["editDistance"]
        assert weft.edit_distance(text, b) == expected, (weft.edit_distance(text, b), expected)
        for threads in (1, 0):
            row(
                f"edit_distance of {size} bases, {name}, {'one thread' if threads else 'all threads'}",
                "edlib",
                lambda: weft.edit_distance(text, b, threads=threads),
                lambda: edlib.align(text.decode(), b.decode()),
                repeats,
            )

    batch = [random.choice(dna, 1000).tobytes() for _ in range(1000)]
    texts = [text.decode() for text in batch]
    indel = rapidfuzz.distance.Indel.distance
    part = rapidfuzz.process.cdist(texts[:50], texts[:50], scorer=indel)
    assert np.array_equal(weft.all_pairs(batch[:50], metric="indel"), part)

    def half_of_pairs() -> None:
        for i, text in enumerate(texts[1:], 1):
            rapidfuzz.process.cdist([text], texts[:i], scorer=indel, workers=1)

    row(
        "all_pairs of 1,000 x 1,000 bases, indel, one thread",
        "rapidfuzz cdist, half of the matrix",
        lambda: weft.all_pairs(batch, metric="indel", condensed=True, threads=1),
        half_of_pairs,
        max(1, repeats // 2),
    )


if __name__ == "__main__":
    main()
