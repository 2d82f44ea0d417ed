"""Cells per second of rapidfuzz's LCSseq.similarity on random bases: the yardstick for weft's lcs on one core."""
import random
import statistics
import time

from rapidfuzz import __version__
from rapidfuzz.distance import LCSseq

SIZE = 200_000
random.seed(1)
a, b = ("".join(random.choices("ACGT", k=SIZE)) for _ in range(2))
times = []
for _ in range(5):
    start = time.perf_counter()
    length = LCSseq.similarity(a, b)
    times.append(time.perf_counter() - start)
rate = [SIZE * SIZE / t / 1e9 for t in times]
print(f"rapidfuzz {__version__} LCSseq, {SIZE} x {SIZE} random bases, length {length}: "
      f"median {statistics.median(rate):.1f} G cells/s ({min(rate):.1f}-{max(rate):.1f})")
