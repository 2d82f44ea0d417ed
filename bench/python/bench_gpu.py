"""Time weft on arrays in the memory of a GPU beside CuPy and PyTorch, in the same run.

Run it with the package, CuPy and PyTorch installed: python bench/python/bench_gpu.py. A row is the median of the
repeats, which alternate between the libraries; every result is compared before it is timed.
"""

from __future__ import annotations

import statistics
import time
from typing import Any, Callable

import cupy
import numpy as np
import torch

import weft


def median_times(functions: list[Callable[[], Any]], repeats: int) -> list[float]:
    """Return the median milliseconds of each function, which is timed until the device has finished."""
    times: list[list[float]] = [[] for _ in functions]
    for repeat in range(repeats + 1):
        for function, taken in zip(functions, times):
            cupy.cuda.Device().synchronize()
            begin = time.perf_counter()
            function()
            cupy.cuda.Device().synchronize()
            if repeat > 0:
                taken.append((time.perf_counter() - begin) * 1e3)
    return [statistics.median(taken) for taken in times]


def row(case: str, functions: dict[str, Callable[[], Any]], repeats: int = 5) -> None:
    """Print a row of the table: weft is the first."""
    times = median_times(list(functions.values()), repeats)
    cells = [f"{name} {taken:.3g} ms ({taken / times[0]:.2f}x)" for name, taken in zip(functions, times)]
    print(f"| {case} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    print("GPU:", cupy.cuda.runtime.getDeviceProperties(0)["name"].decode())
    size = 1 << 27
    for dtype in ("int64", "uint32", "float32"):
        random = cupy.random.randint(0, 1 << 31, size).astype(dtype)
        if dtype == "int64":
            random = random * 4294967291 + cupy.random.randint(0, 1 << 31, size)
        expected = cupy.sort(random)
        assert bool((cupy.asarray(weft.sort(random)) == expected).all())
        functions: dict[str, Callable[[], Any]] = {
            "weft": lambda: weft.sort(random),
            "cupy": lambda: cupy.sort(random),
        }
        if dtype != "uint32":
            tensor = torch.from_dlpack(random)
            functions["torch"] = lambda: torch.sort(tensor)
        row(f"sort of 2^27 {dtype}", functions)
        assert bool((random[cupy.asarray(weft.argsort(random))] == expected).all())
        row(
            f"argsort of 2^27 {dtype}",
            {"weft": lambda: weft.argsort(random), "cupy": lambda: cupy.argsort(random)},
        )
    small = cupy.arange(1000, dtype=cupy.uint64)[::-1].copy()
    row("sort of 1,000 uint64", {"weft": lambda: weft.sort(small), "cupy": lambda: cupy.sort(small)}, 200)
    text = np.random.default_rng(1).choice(np.frombuffer(b"ACGT", np.uint8), 100_000_000)
    d_text = cupy.asarray(text)
    row("suffix_array of 10^8 bases", {"weft": lambda: weft.suffix_array(d_text)})
    row("bwt of 10^8 bases", {"weft": lambda: weft.bwt(d_text)})
    a, b = d_text[:1_000_000], d_text[1_000_000:2_000_000]
    row("edit_distance of 10^6 bases", {"weft": lambda: weft.edit_distance(a, b)})


if __name__ == "__main__":
    main()
