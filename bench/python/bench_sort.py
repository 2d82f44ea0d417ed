"""Time weft.sort against numpy.sort and polars, and print a table in Markdown.

    python bench/python/bench_sort.py --sizes 1e6,1e7 --rounds 7 --threads 1

Each round sorts the same random numbers once with each library, in alternating order. The table has medians,
with the fastest and the slowest run in brackets. Polars reads the number of its threads from the environment
when it is imported, so one process measures one number of threads; numpy.sort has one thread.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from typing import Any, Callable

import numpy as np
import numpy.typing as npt

DTYPES = ["uint64", "float64", "int32"]
Sorter = Callable[[], object]
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def numbers(dtype: str, size: int) -> npt.NDArray[Any]:
    """Return random numbers: uniform over the type, or normal if it is floating-point."""
    source = np.random.default_rng(1)
    if dtype.startswith("float"):
        return source.normal(size=size).astype(dtype)
    limits = np.iinfo(dtype)
    return source.integers(limits.min, limits.max, size, dtype, endpoint=True)


def sorters(x: npt.NDArray[Any], threads: int) -> dict[str, Sorter]:
    """Return the functions to compare, by the name of their column."""
    import weft

    out = np.empty_like(x)

    def sort_in_place() -> object:
        np.copyto(out, x)
        return weft.sort(out, out=out, threads=threads)

    found: dict[str, Sorter] = {
        "weft.sort(x)": lambda: weft.sort(x, threads=threads),
        "copy, weft.sort(y, out=y)": sort_in_place,
        "numpy.sort": lambda: np.sort(x),
    }
    try:
        import polars
    except ImportError:
        return found
    series = polars.Series(x)
    found["polars"] = lambda: series.sort()
    return found


def measure(functions: dict[str, Sorter], rounds: int, clock: Callable[[], float]) -> dict[str, list[float]]:
    """Return the times of each function in milliseconds, after one run that does not count."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    names = list(functions)
    for number in range(-1, rounds):
        for name in names if number % 2 == 0 else reversed(names):
            start = clock()
            functions[name]()
            if number >= 0:
                times[name].append(1e3 * (clock() - start))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1e6,1e7", help="numbers to sort, separated by commas")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=0, help="0: all")
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu: the time of all threads")
    given = parser.parse_args()
    if given.threads > 0:
        os.environ["POLARS_MAX_THREADS"] = str(given.threads)
    columns: list[str] = []
    for dtype in DTYPES:
        for size in (int(float(text)) for text in given.sizes.split(",")):
            functions = sorters(numbers(dtype, size), given.threads)
            times = measure(functions, given.rounds, CLOCKS[given.clock])
            if not columns:
                columns = list(times)
                print("| numbers | type |", " | ".join(f"{name}, ms" for name in columns), "| numpy / weft |")
                print("| ---: | --- |" + " ---: |" * (len(columns) + 1))
            medians = {name: statistics.median(values) for name, values in times.items()}
            spreads = {name: f"{min(values):.3g} - {max(values):.3g}" for name, values in times.items()}
            cells = [f"{medians[name]:.3g} ({spreads[name]})" for name in columns]
            ratio = medians["numpy.sort"] / medians["weft.sort(x)"]
            print(f"| {size:,} | {dtype} |", " | ".join(cells), f"| {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
