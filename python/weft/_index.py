"""The FM-index: exact and near search in references of any size."""

from __future__ import annotations

import os
import pickle
from functools import cached_property
from typing import Any, Iterable, Iterator, Literal, Sequence, SupportsIndex, Union

from . import _core
from ._index_search import IndexSearch
from ._types import Counts, Progress, SequencesLike, Stream

Alphabet = Literal["dna", "protein", "bytes"]
Record = Union[str, SupportsIndex]
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

_DEFAULT_RUN = ("auto", "auto", 0, None, None)


class FMIndex(IndexSearch):
    """An index of reference sequences (records), in which patterns are counted and found.

    Make one with `build`, `from_fasta` or `open`. An index does not change, and several threads can search
    it at once. ``len(index)`` is the number of records, ``index[record]`` the letters of one, and
    ``name in index`` tells whether a record has the name. A pickle contains all bytes of the index.

    Alphabets: "dna" compares A, C, G and T (U is the same) of either case, and no other letter matches;
    "protein" compares letters of either case; "bytes" compares bytes.

    A record is given by its number, from 0, or by its name. Functions of a record raise KeyError for a name
    that no record has, ValueError for a name that several records have, and IndexError for a wrong number.

    The parameters that all searches have in common:

    - `p`: a pattern (str, bytes or an array of uint8), or a batch of patterns: weft.Sequences, a list of str
      or bytes, an Arrow array of strings, or (data, offsets). Batches take much less time than as many calls.
    - `device`: "auto", "cpu", "gpu" or "gpu:N"; `engine`: name of an engine, or "auto"; `threads`: 0 for all.
    - `progress`: a function of (done, total), or True for a bar of tqdm; `stream` must be None.

    Searches raise weft.InputError for an unknown engine or an index that is damaged or of the wrong alphabet,
    weft.UnavailableError if there is no such GPU, and weft.OutOfMemoryError.

    Examples
    --------
    >>> import weft
    >>> index = weft.FMIndex.build(["GATTACA", "GATTA"], names=["chr1", "chr2"])
    >>> index.count("ATTA")
    2
    >>> hits = index.locate("ATTA")
    >>> hits.record, hits.begin
    (array([0, 1], dtype=uint64), array([1, 1], dtype=uint64))
    """

    def __init__(self, core: _core.FMIndex) -> None:
        if not isinstance(core, _core.FMIndex):
            raise TypeError("use weft.FMIndex.build, from_fasta or open")
        super().__init__(core)

    @classmethod
    def build(
        cls,
        seqs: SequencesLike,
        *,
        names: Iterable[str] | None = None,
        alphabet: Literal["auto"] | Alphabet = "auto",
        sa_sample_rate: int = 0,
        bidirectional: bool = False,
        device: str = "auto",
        engine: str = "auto",
        threads: int = 0,
        progress: Progress = None,
        stream: Stream = None,
    ) -> FMIndex:
        """Build the index of a batch of sequences. It has the same bytes as that of ``weft index``.

        Parameters
        ----------
        seqs : batch of sequences
            weft.Sequences, a list of str or bytes, an Arrow array of strings, or (data, offsets).
        names : iterable of str, optional
            Names of the records; by default those of `seqs`, if it has names.
        alphabet : str
            "dna", "protein", "bytes", or "auto": DNA or protein, guessed from the letters.
        sa_sample_rate : int
            The index stores one of every `sa_sample_rate` positions, 1 to 1024. A larger rate makes the index
            smaller, and a smaller rate makes `locate` faster. 0: 4, or 8 from 2**28 letters on.
        bidirectional : bool
            Whether to store contexts, which make `locate_near` of short patterns faster; only for DNA.
        device, engine, threads, progress, stream
            As for searches; progress counts letters.

        Raises
        ------
        ValueError
            There are not as many names as sequences, or an argument is out of range.
        weft.InputError, weft.UnavailableError, weft.OutOfMemoryError
            `bidirectional` without DNA; and as searches.

        Examples
        --------
        >>> import weft
        >>> weft.FMIndex.build(["MKV", "MKL"], alphabet="protein")
        <weft.FMIndex: 2 records, 6 letters, alphabet protein>
        """
        run = (device, engine, threads, progress, stream)
        return cls(_core.FMIndex.build(seqs, names, (alphabet, sa_sample_rate, bool(bidirectional)), run))

    @classmethod
    def from_fasta(
        cls,
        paths: Path | Sequence[Path],
        *,
        alphabet: Literal["auto"] | Alphabet = "auto",
        sa_sample_rate: int = 0,
        bidirectional: bool = False,
        device: str = "auto",
        engine: str = "auto",
        threads: int = 0,
        progress: Progress = None,
        stream: Stream = None,
    ) -> FMIndex:
        """Build the index of the records of one or more files of sequences (FASTA, FASTQ; also compressed).

        The other parameters and errors are those of `build`; also raises weft.FileError and weft.ParseError
        for files that cannot be read.

        Examples
        --------
        >>> import weft
        >>> with open("genome.fa", "w") as file:
        ...     _ = file.write(">chr1\\nGATTACA\\n")
        >>> weft.FMIndex.from_fasta("genome.fa").names
        ('chr1',)
        """
        single = isinstance(paths, (str, bytes, os.PathLike))
        files = [os.fsencode(path) for path in ([paths] if single else paths)]  # type: ignore
        run = (device, engine, threads, progress, stream)
        choices = (alphabet, sa_sample_rate, bool(bidirectional))
        return cls(_core.FMIndex.build_from_files(files, choices, run))

    @classmethod
    def open(cls, path: Path) -> FMIndex:
        """Open the file of an index, which `save` or ``weft index`` wrote.

        The file is mapped into memory and checked. It must not be shortened while the index exists;
        replacing it, as `save` does, is safe.

        Raises
        ------
        weft.FileError
            The file cannot be read; FileNotFoundError (weft.MissingFileError) if it does not exist.
        weft.InputError
            The file is not an index, or it is damaged.

        Examples
        --------
        >>> import weft
        >>> weft.FMIndex.build(["GATTACA"]).save("genome.wfi")
        >>> weft.FMIndex.open("genome.wfi")
        <weft.FMIndex: 1 record, 7 letters, alphabet dna>
        """
        return cls(_core.FMIndex.open(os.fsencode(path), _DEFAULT_RUN))

    def save(self, path: Path, *, progress: Progress = None) -> None:
        """Write the index to a file, which appears when it is complete and replaces an earlier one.

        Parameters
        ----------
        path : str or path
            Name of the file.
        progress : callable, bool or None
            Function of (done, total), in bytes.

        Raises
        ------
        weft.FileError
            The file cannot be written.

        Examples
        --------
        >>> import weft
        >>> weft.FMIndex.build(["GATTACA"]).save("genome.wfi")
        """
        self._held.save(os.fsencode(path), ("auto", "auto", 0, progress, None))

    def extract(self, record: Record, begin: int = 0, end: int | None = None) -> bytes:
        """Return the letters [begin, end) of a record, in upper case except in the alphabet "bytes".

        Raises
        ------
        KeyError, IndexError
            There is no such record.
        ValueError
            The range is not within the record, or several records have the name.

        Examples
        --------
        >>> import weft
        >>> weft.FMIndex.build(["GATTACA"], names=["chr1"]).extract("chr1", 3)
        b'TACA'
        """
        return self._held.extract(record, begin, end)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the records; empty if they have none. Bytes that are not UTF-8 become surrogates."""
        return self._held.names()

    @cached_property
    def lengths(self) -> Counts:
        """Number of letters of each record."""
        lengths: Counts = self._held.lengths()
        lengths.flags.writeable = False
        return lengths

    @property
    def alphabet(self) -> Alphabet:
        """Alphabet of the index: "dna", "protein" or "bytes"."""
        return self._held.alphabet()  # type: ignore[return-value]

    @property
    def num_symbols(self) -> int:
        """Number of letters of all records."""
        return self._held.num_symbols()

    @property
    def sa_sample_rate(self) -> int:
        """The index stores one of every `sa_sample_rate` positions."""
        return self._held.sa_sample_rate()

    @property
    def has_contexts(self) -> bool:
        """Whether the index was built with ``bidirectional``."""
        return self._held.has_contexts()

    def __len__(self) -> int:
        return self._held.num_records()

    def __getitem__(self, record: Record) -> bytes:
        return self._held.extract(record, 0, None)

    def __iter__(self) -> Iterator[bytes]:
        return (self._held.extract(record, 0, None) for record in range(len(self)))

    def __contains__(self, name: object) -> bool:
        return self._held.has_name(name)

    def __repr__(self) -> str:
        records = "1 record" if len(self) == 1 else f"{len(self)} records"
        return f"<weft.FMIndex: {records}, {self.num_symbols} letters, alphabet {self.alphabet}>"

    def __copy__(self) -> FMIndex:
        return self

    def __deepcopy__(self, memo: Any) -> FMIndex:
        return self

    @classmethod
    def _from_bytes(cls, data: Any) -> FMIndex:
        return cls(_core.FMIndex.from_bytes(data, _DEFAULT_RUN))

    def __reduce_ex__(self, protocol: Any) -> Any:
        data: Any = self._held.as_array()
        return self._from_bytes, (pickle.PickleBuffer(data) if protocol >= 5 else data.tobytes(),)
