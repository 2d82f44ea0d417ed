"""The progress bar that ``progress=True`` stands for."""

from __future__ import annotations

from typing import Any, Callable


def bar() -> Callable[[int, int], None]:
    """Return a function of (done, total) that shows a bar of tqdm, or nothing if tqdm is not installed."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return lambda done, total: None
    shown: list[Any] = []

    def update(done: int, total: int) -> None:
        if not shown:
            shown.append(tqdm(total=total, unit_scale=True))
        shown[0].total = total  # some calls learn the total while they run; until then it is 0
        shown[0].update(done - shown[0].n)
        if done == total > 0:
            shown[0].close()

    return update
