"""The columns of hits and of matches."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ._types import Counts

Strands = npt.NDArray[np.int8]


def _frame(columns: dict[str, Any]) -> Any:
    import pandas  # type: ignore[import-untyped,unused-ignore]

    return pandas.DataFrame(columns)


def _table(columns: dict[str, Any]) -> Any:
    import pyarrow  # type: ignore[import-untyped,unused-ignore]

    return pyarrow.table(columns)


@dataclass(frozen=True, eq=False, repr=False)
class Hits:
    """Occurrences of patterns in the records of an index, one array for each field.

    The hits of pattern p are the entries ``offsets[p]`` to ``offsets[p + 1]``, in the order of record, begin
    and strand (the forward strand first). Positions count letters of a record from 0; ends are exclusive.

    Attributes
    ----------
    pattern : array of uint64
        Number of the pattern of each hit.
    record, begin, end : array of uint64
        Number of the record of each hit, and the letters [begin, end) of it.
    strand : array of int8
        1 if the pattern occurs, -1 if its reverse complement does.
    distance : array of uint8
        Number of differences.
    offsets : array of uint64
        Where the hits of each pattern begin; one entry more than there are patterns.
    totals : array of uint64
        Number of hits of each pattern, including hits that are not listed. After ``locate_near``, an array
        of two dimensions: ``totals[p, d]`` is the number of hits of pattern p with d differences.

    Examples
    --------
    >>> import weft
    >>> hits = weft.FMIndex.build(["GATTACA", "CCATTA"]).locate(["ATTA", "GG"])
    >>> hits
    <weft.Hits: 2 hits of 2 patterns>
    >>> hits.begin.tolist(), hits.end.tolist(), hits.totals.tolist()
    ([1, 2], [5, 6], [2, 0])
    """

    record: Counts
    begin: Counts
    end: Counts
    strand: Strands
    distance: npt.NDArray[np.uint8]
    offsets: Counts
    totals: Counts

    @cached_property
    def pattern(self) -> Counts:
        """Number of the pattern of each hit."""
        sizes = np.diff(self.offsets).astype(np.intp)
        return np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes)

    def __len__(self) -> int:
        return len(self.record)

    def __repr__(self) -> str:
        return f"<weft.Hits: {len(self)} hits of {len(self.offsets) - 1} patterns>"

    def _columns(self) -> dict[str, Any]:
        names = ("pattern", "record", "begin", "end", "strand", "distance")
        return {name: getattr(self, name) for name in names}

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame with a row for each hit, without ``offsets`` and ``totals``.

        Examples
        --------
        >>> import weft
        >>> table = weft.FMIndex.build(["GATTACA"]).locate("ATTA").to_pandas()
        >>> table.shape[0]
        1
        """
        return _frame(self._columns())

    def to_arrow(self) -> Any:
        """Return a pyarrow.Table with a row for each hit, without ``offsets`` and ``totals``.

        Examples
        --------
        >>> import weft
        >>> table = weft.FMIndex.build(["GATTACA"]).locate("ATTA").to_arrow()
        >>> table.num_rows
        1
        """
        return _table(self._columns())


@dataclass(frozen=True, eq=False, repr=False)
class ExactMatches:
    """Exact matches between queries and the records of an index, one array for each field.

    The matches are ordered by query, strand (the forward strand first), position in the strand, record and
    begin. Positions count letters from 0.

    Attributes
    ----------
    query, query_begin : array of uint64
        Number of the query of each match, and where the match begins in it, as it was given.
    record, begin : array of uint64
        Number of the record of each match, and where the match begins in it.
    length : array of uint64
        Number of letters.
    strand : array of int8
        1 if the letters of the query equal those of the record, -1 if their reverse complement does.

    Examples
    --------
    >>> import weft
    >>> matches = weft.FMIndex.build(["GATTACA"]).matches(["CCATTA"], min_length=4)
    >>> matches
    <weft.ExactMatches: 1 matches>
    >>> matches.query_begin.tolist(), matches.begin.tolist(), matches.length.tolist()
    ([2], [1], [4])
    """

    query: Counts
    query_begin: Counts
    record: Counts
    begin: Counts
    length: Counts
    strand: Strands

    def __len__(self) -> int:
        return len(self.query)

    def __repr__(self) -> str:
        return f"<weft.ExactMatches: {len(self)} matches>"

    def _columns(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame with a row for each match.

        Examples
        --------
        >>> import weft
        >>> table = weft.FMIndex.build(["GATTACA"]).matches(["GATT"], min_length=4).to_pandas()
        >>> table.shape[0]
        1
        """
        return _frame(self._columns())

    def to_arrow(self) -> Any:
        """Return a pyarrow.Table with a row for each match.

        Examples
        --------
        >>> import weft
        >>> table = weft.FMIndex.build(["GATTACA"]).matches(["GATT"], min_length=4).to_arrow()
        >>> table.num_rows
        1
        """
        return _table(self._columns())


@dataclass(frozen=True, eq=False)
class DeviceHits:
    """Occurrences of patterns in the memory of a GPU, one weft.DeviceArray for each field.

    Attributes
    ----------
    record, begin : DeviceArray of uint64
        Number of the record of each hit, and the position in it where the pattern begins.
    offsets : DeviceArray of uint64
        Where the hits of each pattern begin; one entry more than there are patterns.
    totals : DeviceArray of uint64
        Number of occurrences of each pattern, including occurrences that are not listed.
    """

    record: Any
    begin: Any
    offsets: Any
    totals: Any
