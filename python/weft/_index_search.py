"""The searches of an FM-index."""

from __future__ import annotations

from typing import Any, Literal, overload

from . import _core
from ._hits import DeviceHits, Hits, ExactMatches
from ._types import Counts, Progress, SequencesLike, Stream, Text


class IndexSearch:
    """The searches of weft.FMIndex, which documents what they have in common."""

    def __init__(self, held: _core.FMIndex) -> None:
        self._held = held

    @overload
    def count(  # type: ignore[overload-overlap]
        self,
        p: Text,
        *,
        both_strands: bool = ...,
        device: str = ...,
        engine: str = ...,
        threads: int = ...,
        progress: Progress = ...,
        stream: Stream = ...,
    ) -> int: ...

    @overload
    def count(
        self,
        p: SequencesLike,
        *,
        both_strands: bool = ...,
        device: str = ...,
        engine: str = ...,
        threads: int = ...,
        progress: Progress = ...,
        stream: Stream = ...,
    ) -> Counts: ...

    def count(
        self,
        p: Text | SequencesLike,
        *,
        both_strands: bool = False,
        device: str = "auto",
        engine: str = "auto",
        threads: int = 0,
        progress: Progress = None,
        stream: Stream = None,
    ) -> int | Counts:
        """Return how often each pattern occurs, overlapping occurrences included.

        Parameters
        ----------
        p : pattern or batch of patterns
            See FMIndex. The empty pattern occurs nowhere, nor does one with letters that match nothing.
        both_strands : bool
            Whether to add the occurrences of the reverse complements; only for DNA.
        device, engine, threads, progress, stream
            See FMIndex; progress counts patterns, once for each strand.

        Returns
        -------
        int or array of uint64, shape (number of patterns,)
            A number for one pattern, and an array for a batch.

        Examples
        --------
        >>> import weft
        >>> weft.FMIndex.build(["GATTACA"]).count(["A", "TT", "C"])
        array([3, 1, 1], dtype=uint64)
        """
        run = (device, engine, threads, progress, stream)
        return self._held.count(p, bool(both_strands), run)  # type: ignore[return-value]

    def locate(
        self,
        p: Text | SequencesLike,
        *,
        max_hits: int | None = None,
        both_strands: bool = False,
        device: str = "auto",
        engine: str = "auto",
        threads: int = 0,
        progress: Progress = None,
        stream: Stream = None,
    ) -> Hits:
        """Return where each pattern occurs.

        Parameters
        ----------
        p : pattern or batch of patterns
            See FMIndex.
        max_hits : int, optional
            Maximum number of hits to list for each pattern; ``totals`` of the result counts all hits.
        both_strands : bool
            Whether to find the reverse complements too; only for DNA.
        device, engine, threads, progress, stream
            See FMIndex; progress counts patterns, once for each strand.

        Returns
        -------
        Hits
            One pattern counts as a batch of one. For patterns in the memory of a GPU, DeviceHits.

        Examples
        --------
        >>> import weft
        >>> hits = weft.FMIndex.build(["GATTACA"]).locate(["A", "TGTAA"], both_strands=True)
        >>> hits.begin, hits.strand, hits.offsets
        (array([1, 2, 3, 4, 6, 2], dtype=uint64), array([ 1, -1, -1,  1,  1, -1], dtype=int8), \
array([0, 5, 6], dtype=uint64))
        """
        run = (device, engine, threads, progress, stream)
        columns = self._held.locate(p, max_hits, bool(both_strands), run)
        on_gpu: Any = DeviceHits
        return Hits(*columns) if len(columns) == 7 else on_gpu(*columns)

    def locate_near(
        self,
        p: Text | SequencesLike,
        *,
        max_distance: int,
        metric: Literal["mismatches", "errors"] = "mismatches",
        both_strands: bool = False,
        iupac: bool = False,
        best: bool = False,
        all_ends: bool = False,
        max_hits: int | None = None,
        exact_prefix: int = 0,
        exact_suffix: int = 0,
        device: str = "auto",
        engine: str = "auto",
        threads: int = 0,
        progress: Progress = None,
        stream: Stream = None,
    ) -> Hits:
        """Return where each pattern occurs with differences, in an index of DNA.

        Parameters
        ----------
        p : pattern or batch of patterns
            See FMIndex. Patterns consist of IUPAC letters and are longer than `max_distance`.
        max_distance : int
            Maximum number of differences, 0 to 8.
        metric : str
            "mismatches": letters may differ; "errors": letters may also be missing or added.
        both_strands : bool
            Whether to find the reverse complements too.
        iupac : bool
            Whether IUPAC letters of patterns match their sets; N then matches A, C, G and T.
        best : bool
            Whether to list only those hits of each pattern that have its smallest distance.
        all_ends : bool
            With errors, whether to list a hit for each end, however much they overlap.
        max_hits : int, optional
            Maximum number of hits to list for each pattern; the hits with the smallest distances are listed.
        exact_prefix, exact_suffix : int
            Numbers of letters at the beginning and at the end of each pattern that must match exactly.
        device, engine, threads, progress, stream
            See FMIndex; progress counts patterns.

        Returns
        -------
        Hits
            Its ``totals`` have a column for each distance.

        Raises
        ------
        weft.InputError
            A pattern is too short or has other letters; and as other searches.

        Examples
        --------
        >>> import weft
        >>> hits = weft.FMIndex.build(["GATTACA"]).locate_near("GACTA", max_distance=1)
        >>> hits.begin, hits.end, hits.distance
        (array([0], dtype=uint64), array([5], dtype=uint64), array([1], dtype=uint8))
        """
        choices = (
            max_distance,
            metric,
            bool(both_strands),
            bool(iupac),
            bool(best),
            bool(all_ends),
            max_hits,
            exact_prefix,
            exact_suffix,
        )
        run = (device, engine, threads, progress, stream)
        return Hits(*self._held.locate_near(p, choices, run))

    def matches(
        self,
        queries: Text | SequencesLike,
        *,
        min_length: int = 20,
        kind: Literal["mem", "mum", "mum-ref", "smem"] = "mem",
        min_occurrences: int = 1,
        both_strands: bool = False,
        device: str = "auto",
        engine: str = "auto",
        threads: int = 0,
        progress: Progress = None,
        stream: Stream = None,
    ) -> ExactMatches:
        """Return the exact matches between queries and the records of an index of DNA.

        The kind "mem" also runs on a GPU; the result is the same.

        Parameters
        ----------
        queries : text or batch of sequences
            As the patterns of other searches.
        min_length : int
            Minimum number of letters of a match, at least 1.
        kind : str
            "mem": all maximal matches; "mum-ref": those whose letters occur once in the records; "mum":
            those whose letters also occur once in the strand of the query; "smem": matches of the stretches
            of the query that occur `min_occurrences` times and lie in no longer stretch that does.
        min_occurrences : int
            For "smem", how often a stretch must occur in the records.
        both_strands : bool
            Whether to search the reverse complements of the queries too.
        device, engine, threads, progress, stream
            See FMIndex; progress counts letters, once for each strand.

        Returns
        -------
        ExactMatches

        Examples
        --------
        >>> import weft
        >>> found = weft.FMIndex.build(["AAAGATTACAGGG"]).matches("CCGATTACATT", min_length=5)
        >>> found.query_begin, found.begin, found.length
        (array([2], dtype=uint64), array([3], dtype=uint64), array([7], dtype=uint64))
        """
        run = (device, engine, threads, progress, stream)
        choices = (min_length, kind, min_occurrences, bool(both_strands))
        return ExactMatches(*self._held.matches(queries, choices, run))
