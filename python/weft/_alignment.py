"""An alignment of two texts, and its picture."""

from __future__ import annotations

import os
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _core

Metric = Literal["lcs", "indel", "edit", "affine"]


class Plot:
    """A picture of an alignment, which a notebook shows.

    Attributes
    ----------
    svg : str
        The picture as SVG.

    Examples
    --------
    >>> import weft
    >>> weft.align("GATTACA", "GATCACA").plot().svg[:4]
    '<svg'
    """

    __slots__ = ("_alignment", "_names")

    def __init__(self, alignment: Alignment, a_name: str, b_name: str) -> None:
        self._alignment = alignment
        self._names = (a_name, b_name)

    def _draw(self, kind: str) -> bytes:
        path = self._alignment
        return _core.plot_path(path.runs, path.a_length, path.b_length, *self._names, kind)

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        return self._draw("svg").decode()

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file whose ending names the format: .svg, .png, or .html, a page to zoom in.

        Parameters
        ----------
        path : str or os.PathLike
            Name of the file.

        Raises
        ------
        ValueError
            The name has another ending, or weft was built without support for .png.

        Examples
        --------
        >>> import os, tempfile, weft
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     name = os.path.join(folder, "path.svg")
        ...     weft.align("GATTACA", "GATCACA").plot().save(name)
        ...     os.path.getsize(name) > 0
        True
        """
        name = os.fspath(path)
        image = self._draw(os.path.splitext(name)[1].lstrip("."))
        with open(name, "wb") as file:
            file.write(image)


class Alignment:
    """An alignment of two texts, which `align` returns.

    If several alignments are optimal, every engine, device and number of threads returns the same one.

    Attributes
    ----------
    runs : structured array
        Runs of equal steps, from the first symbols to the last: ``op`` (``b"="`` match, ``b"X"``
        substitution, ``b"I"`` insertion: symbols of b, ``b"D"`` deletion: symbols of a) and ``length``.
    value : int
        The length, distance or penalty that the metric computes.
    identity : float
        Metrics "lcs" and "indel": matches / the longer length. Metric "edit": 1 - distance / the longer
        length. Metric "affine": matches / all steps.
    matches, substitutions, insertions, deletions : int
        Number of steps of each kind.
    a_length, b_length : int
        Sizes of the texts.

    Examples
    --------
    >>> import weft
    >>> found = weft.align("kitten", "sitting", metric="edit")
    >>> found.distance, found.cigar()
    (3, '1X3=1X1=1I')
    >>> found.opcodes()[["op", "a_begin", "a_end"]][0].item()
    (b'X', 0, 1)
    """

    __slots__ = (
        "a_length",
        "b_length",
        "deletions",
        "identity",
        "insertions",
        "matches",
        "metric",
        "runs",
        "substitutions",
        "value",
    )

    def __init__(self, metric: Metric, fields: tuple[Any, ...]) -> None:
        self.metric: Metric = metric
        self.runs: npt.NDArray[np.void] = fields[0]
        self.value: int = fields[1]
        self.identity: float = fields[2]
        self.matches: int = fields[3]
        self.substitutions: int = fields[4]
        self.insertions: int = fields[5]
        self.deletions: int = fields[6]
        self.a_length: int = fields[7]
        self.b_length: int = fields[8]

    def _fields(self) -> tuple[Any, ...]:
        numbers = "identity matches substitutions insertions deletions a_length b_length"
        return tuple(getattr(self, name) for name in ("runs", "value", *numbers.split()))

    @property
    def distance(self) -> int:
        """The number of differences; for metric "affine" the penalty.

        Examples
        --------
        >>> import weft
        >>> weft.align("ABCBDAB", "BDCABA").distance
        5
        """
        if self.metric == "lcs":
            return self.insertions + self.deletions
        return self.value

    def cigar(self) -> str:
        """Return the runs as a CIGAR string.

        Examples
        --------
        >>> import weft
        >>> weft.align("GATTACA", "GATCA", metric="edit").cigar()
        '2=1D1=1D2='
        """
        return _core.cigar(self.runs)

    def opcodes(self) -> npt.NDArray[np.void]:
        """Return the runs with their positions, as difflib's get_opcodes() does, in columns.

        Returns
        -------
        structured array
            ``op`` as in `runs`, and the symbols ``a[a_begin:a_end]`` and ``b[b_begin:b_end]`` of each run.

        Examples
        --------
        >>> import weft
        >>> weft.align("ab", "b").opcodes()["a_end"].tolist()
        [1, 2]
        """
        return _core.opcodes(self.runs)

    def plot(self, *, a_name: str = "a", b_name: str = "b") -> Plot:
        """Return a picture of the alignment: the path as a dot plot, with the identity along a.

        Parameters
        ----------
        a_name, b_name : str
            Titles of the axes.

        Examples
        --------
        >>> import weft
        >>> weft.align("GATTACA", "GATCACA").plot(a_name="wild type")  # doctest: +ELLIPSIS
        <weft...Plot object at ...>
        """
        return Plot(self, a_name, b_name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Alignment):
            return NotImplemented
        return (
            self.metric == other.metric
            and self._fields()[1:] == other._fields()[1:]
            and np.array_equal(self.runs, other.runs)
        )

    __hash__ = None  # type: ignore[assignment]  # it holds an array

    def __reduce__(self) -> tuple[Any, ...]:
        return Alignment, (self.metric, self._fields())

    def __repr__(self) -> str:
        value = f"{self.metric}={self.value}"
        return f"<weft.Alignment {value} identity={self.identity:.4f} runs={len(self.runs)}>"
