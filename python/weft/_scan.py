"""Search sequences for motifs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

from . import _core
from ._motif_matches import MotifMatches
from ._motifs import Motifs
from ._sequences import Sequences, batch_of
from ._types import Counts, Progress, SequencesLike, Stream, Text

Rule = Literal["ps-scan", "starts", "ends"]
StrandChoice = Literal["forward", "reverse", "both"]


class ScanTotals(NamedTuple):
    """Totals over all batches that a `Scanner` has searched.

    Attributes
    ----------
    sequences, residues, matches : int
        Numbers of sequences, of their residues, and of matches.
    by_motif : array of uint64
        Number of matches of each motif.

    Examples
    --------
    >>> import weft
    >>> scanner = weft.Scanner(weft.Motifs(["R-G-D", "A-x"]))
    >>> scanner.count(["MARGD", "RGDRGD"])
    >>> scanner.totals
    ScanTotals(sequences=2, residues=11, matches=4, by_motif=array([3, 1], dtype=uint64))
    """

    sequences: int
    residues: int
    matches: int
    by_motif: Counts


@dataclass(frozen=True, eq=False)
class DeviceMatches:
    """Matches of motifs in the memory of a GPU, one weft.DeviceArray for each field, in the order of `scan`.

    Attributes
    ----------
    sequence, motif : DeviceArray of uint32
        Number of the sequence and of the motif of each match.
    begin, end : DeviceArray of uint64
        Residues [begin, end) of the sequence.
    strand : DeviceArray of uint8
        0: forward, 1: reverse.
    """

    sequence: Any
    motif: Any
    begin: Any
    end: Any
    strand: Any


def _batch(seqs: SequencesLike | Text) -> tuple[tuple[Any, Any], Sequences]:
    """Return the columns that the extension module takes, and the batch that they are of."""
    batch = batch_of(seqs)
    return (batch.data, batch.offsets), batch


def _list_of(motifs: Motifs) -> _core.MotifList:
    """Return what the extension module takes as motifs."""
    if not isinstance(motifs, Motifs):
        given = type(motifs).__name__
        raise TypeError(f"motifs must be a weft.Motifs, not {given}: pass weft.Motifs(patterns)")
    return motifs._list


def scan(
    motifs: Motifs,
    seqs: SequencesLike | Text,
    *,
    rule: Rule = "ps-scan",
    overlap: bool = True,
    included: bool = False,
    max_x: int | None = None,
    strand: StrandChoice = "forward",
    circular: bool = False,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> MotifMatches:
    """Return all matches of motifs in sequences.

    Parameters
    ----------
    motifs : Motifs
        Motifs to search for.
    seqs : Sequences, list of str or bytes, Arrow array of strings, (data, offsets), str, bytes or array
        Sequences to search. A str, bytes or array of uint8 is one sequence. A list is
        copied, and so is an Arrow array unless it is one chunk of large_string or large_binary.
    rule : {"ps-scan", "starts", "ends"}
        Which matches are reported. ps-scan: those that ps_scan.pl reports; starts: one for each position
        where a match starts; ends: one for each position where a match ends, with the largest begin.
    overlap : bool
        False: a match starts at or after the end of the previous match (``--no-overlap``).
    included : bool
        True: also report matches that end no later than the previous match (``--included``).
    max_x : int, optional
        Maximum number of X of a sequence that the letters and the ``[..]`` of a motif accept in a match
        (``--max-x``); negative: any number. None: 0, as in ``weft scan`` without the flag. None and 0 differ
        only for motifs from a file: with 0, the search does not try a match that needs an X.
    strand : {"forward", "reverse", "both"}
        Strands to search. All but "forward" need motifs of alphabet "dna".
    circular : bool
        True: the sequences are circles of DNA, and matches may extend over the origin.
    device : str
        "auto", "cpu", "gpu" or "gpu:N".
    engine : str
        Name of an engine (``weft devices --engines`` lists them), or "auto".
    threads : int
        Number of threads of the CPU; 0: all.
    progress : callable, bool or None
        Function of (done, total), in residues of the strands that are searched; True: a bar of tqdm.
    stream : int or object with __cuda_stream__, optional
        CUDA stream, for sequences in the memory of a GPU.

    Returns
    -------
    MotifMatches
        Columns sequence, motif, begin, end and strand, ordered by sequence, motif, begin and end. Positions
        are from 0 and half-open. For sequences in the memory of a GPU, DeviceMatches.

    Raises
    ------
    ValueError
        An option does not exist, or does not apply to the rule.
    weft.InputError
        An option does not apply to the alphabet, or the engine is unknown or does not apply.
    weft.UnavailableError
        There is no such GPU.

    Examples
    --------
    >>> import weft
    >>> matches = weft.scan(weft.Motifs("N-{P}-[ST]-{P}"), ["MNGSA", "NNTSNP"])
    >>> matches.records.tolist()
    [(0, 0, 1, 5, 0), (1, 0, 0, 4, 0), (1, 0, 1, 5, 0)]
    """
    options = (rule, bool(overlap), bool(included), max_x, strand, bool(circular))
    held = _list_of(motifs)
    if _core.is_device_batch(seqs):
        run = (device, engine, threads, progress, stream)
        on_gpu: Any = DeviceMatches(*_core.scan_on_gpu(held, seqs, options, run))
        return cast(MotifMatches, on_gpu)
    pair, batch = _batch(seqs)
    records: Any = _core.scan(held, pair, options, (device, engine, threads, progress, stream))
    return MotifMatches(records, motifs, batch, max_x=max_x, circular=circular)


def scan_count(
    motifs: Motifs,
    seqs: SequencesLike | Text,
    *,
    rule: Rule = "ps-scan",
    overlap: bool = True,
    included: bool = False,
    max_x: int | None = None,
    strand: StrandChoice = "forward",
    circular: bool = False,
    device: str = "auto",
    engine: str = "auto",
    threads: int = 0,
    progress: Progress = None,
    stream: Stream = None,
) -> Counts:
    """Return the number of matches of each motif in all sequences, without keeping the matches.

    Parameters
    ----------
    motifs, seqs, rule, overlap, included, max_x, strand, circular, device, engine, threads, progress, stream
        As for `scan`.

    Returns
    -------
    ndarray of uint64
        As many items as motifs.

    Raises
    ------
    ValueError, weft.InputError, weft.UnavailableError
        As `scan`.

    Examples
    --------
    >>> import weft
    >>> weft.scan_count(weft.Motifs(["R-G-D", "A-x"]), ["MARGD", "RGDRGD"]).tolist()
    [3, 1]
    """
    options = (rule, bool(overlap), bool(included), max_x, strand, bool(circular))
    run = (device, engine, threads, progress, stream)
    return cast(Counts, _core.scan_count(_list_of(motifs), _batch(seqs)[0], options, run))


class Scanner:
    """A search of one batch of sequences after another, which keeps totals.

    Parameters
    ----------
    motifs, rule, overlap, included, max_x, strand, circular, device, engine, threads, progress, stream
        As for `scan`, for all batches.

    Examples
    --------
    >>> import weft
    >>> scanner = weft.Scanner(weft.Motifs("R-G-D"))
    >>> [len(scanner.feed(batch)) for batch in (["MARGD"], ["RGDRGD", "A"])]
    [1, 2]
    >>> scanner.totals.sequences, scanner.totals.matches
    (3, 3)
    """

    __slots__ = ("motifs", "_options", "_run", "_matches")

    motifs: Motifs

    def __init__(
        self,
        motifs: Motifs,
        *,
        rule: Rule = "ps-scan",
        overlap: bool = True,
        included: bool = False,
        max_x: int | None = None,
        strand: StrandChoice = "forward",
        circular: bool = False,
        device: str = "auto",
        engine: str = "auto",
        threads: int = 0,
        progress: Progress = None,
        stream: Stream = None,
    ) -> None:
        self.motifs = motifs
        self._options = (rule, bool(overlap), bool(included), max_x, strand, bool(circular))
        self._run = (device, engine, threads, progress, stream)
        self._matches = _core.MatchStream(_list_of(motifs), self._options)

    def feed(self, seqs: SequencesLike | Text) -> MotifMatches:
        """Return the matches in a batch, and add them to the totals.

        Parameters
        ----------
        seqs
            As for `scan`. A sequence must not be split over batches.

        Returns
        -------
        MotifMatches
            The sequences of each batch are numbered from 0.

        Examples
        --------
        >>> import weft
        >>> scanner = weft.Scanner(weft.Motifs("R-G-D"))
        >>> scanner.feed(["MARGD"]).begin.tolist(), scanner.feed(["A", "RGDRGD"]).begin.tolist()
        ([2], [0, 3])
        """
        pair, batch = _batch(seqs)
        records: Any = self._matches.feed(pair, self._run)
        return MotifMatches(records, self.motifs, batch, max_x=self._options[3], circular=self._options[5])

    def count(self, seqs: SequencesLike | Text) -> None:
        """Add the matches in a batch to the totals, without keeping them.

        Parameters
        ----------
        seqs
            As for `feed`.

        Examples
        --------
        >>> import weft
        >>> scanner = weft.Scanner(weft.Motifs("R-G-D"))
        >>> for batch in (["MARGD"], ["A", "RGDRGD"]):
        ...     scanner.count(batch)
        >>> scanner.totals.matches
        3
        """
        self._matches.count(_batch(seqs)[0], self._run)

    @property
    def totals(self) -> ScanTotals:
        """Totals over all batches so far."""
        return ScanTotals(*self._matches.totals())

    def __repr__(self) -> str:
        totals = self.totals
        searched = f"{totals.matches} matches in {totals.sequences} sequences"
        return f"weft.Scanner({len(self.motifs)} motifs: {searched})"
