"""Time weft.suffix_array beside pydivsufsort, in the same run.

Run it with the package installed: python bench/python/bench_suffix_array.py [--size 20000000] [--repeats 5].
Both libraries sort on one thread of the CPU. A row has the medians of the repeats, which alternate between
the two, their ratio, and the spread of weft's times. The results are compared before anything is timed.
"""

from __future__ import annotations

import argparse
import statistics
import time
from functools import partial
from typing import Any, Callable

import numpy as np
import pydivsufsort  # type: ignore[import-untyped,unused-ignore]

import weft


def texts(size: int) -> dict[str, Any]:
    """Return the texts: random DNA, and random words, which are about as frequent as those of English."""
    random = np.random.default_rng(1)
    letters = np.frombuffer(b"ACGT", np.uint8)
    vowels_and_others = np.frombuffer(b"eeetaaonisrhlducmpfgwybvk", np.uint8)
    words = [random.choice(vowels_and_others, length).tobytes() for length in random.integers(1, 10, 20_000)]
    ranks = random.zipf(1.2, size // 4) % len(words)
    prose = b" ".join([words[rank] for rank in ranks])[:size]
    return {"random DNA": letters[random.integers(0, 4, size)].tobytes(), "words": prose}


def seconds(sort: Callable[[], object]) -> float:
    """Return the time of one call."""
    start = time.perf_counter()
    sort()
    return time.perf_counter() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=20_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    print("| case | weft | peer | time | ratio | spread |\n| --- | --- | --- | --- | --- | --- |")
    for name, text in texts(given.size).items():
        sorts: list[Callable[[], Any]] = [
            partial(weft.suffix_array, text, device="cpu", threads=1),
            partial(pydivsufsort.divsufsort, text),
        ]
        assert np.array_equal(sorts[0](), sorts[1]())
        times = [[seconds(sort) for sort in sorts] for _ in range(given.repeats)]
        mine = [pair[0] for pair in times]
        ours, theirs = (statistics.median(column) for column in zip(*times))
        spread = max(mine) / min(mine)
        case = f"suffix_array, {len(text):,} bytes of {name}"
        ratio = theirs / ours
        print(f"| {case} | {ours:.2f} s | pydivsufsort | {theirs:.2f} s | {ratio:.2f}x | {spread:.2f} |")


if __name__ == "__main__":
    main()
