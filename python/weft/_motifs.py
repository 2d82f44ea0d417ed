"""Motifs: patterns of residue classes and gaps in the syntax of PROSITE."""

from __future__ import annotations

import os
from typing import Any, Iterable, Literal, Sequence

from . import _core
from ._sequences import Path

Alphabet = Literal["protein", "dna", "bytes"]


class Motifs:
    """Patterns in the syntax of PROSITE, parsed and ready to be searched for.

    Parameters
    ----------
    patterns : iterable of str
        Such as ``"N-{P}-[ST]-{P}"``; a single str is one pattern.
    alphabet : {"protein", "dna", "bytes"}
        Meaning of the letters. protein: amino acids in either case (B is N or D, Z is Q or E, X is unknown);
        dna: IUPAC codes in either case; bytes: bytes as they are.
    names : iterable of str, optional
        As many as patterns. Without names, each pattern is its own name, and the accessions are
        USER001, USER002 ..., as ``weft scan -e`` gives them.
    greedy : bool
        Whether a repeat such as ``x(2,4)`` tries its largest number of residues first, instead of its
        smallest number.

    Attributes
    ----------
    alphabet : str
    greedy : bool
    source : str
        Name of the file that the motifs are from, or "-e" if they are from a call.
    skipped : dict of str to int
        Entries of a PROSITE file that are not patterns: the numbers of "matrix" (profiles) and "rule".

    Raises
    ------
    weft.ParseError
        A pattern is malformed. ``.line`` is the number of the pattern, from 1, and ``.column`` is the
        position of the fault in it.

    Examples
    --------
    >>> import weft
    >>> motifs = weft.Motifs(["N-{P}-[ST]-{P}", "R-G-D"], names=["sequon", "rgd"])
    >>> len(motifs), motifs.names
    (2, ['sequon', 'rgd'])
    >>> weft.Motifs("N-[ST")
    Traceback (most recent call last):
    ...
    weft._errors.ParseError: pattern:1:3: USER001: expected a ']' that closes this bracket
      N-[ST
        ^
    """

    __slots__ = ("_list", "_from_file", "alphabet", "greedy", "source", "skipped")

    alphabet: str
    greedy: bool
    source: str
    skipped: dict[str, int]

    def __init__(
        self,
        patterns: str | Iterable[str],
        *,
        alphabet: Alphabet = "protein",
        names: Sequence[str] | None = None,
        greedy: bool = True,
    ) -> None:
        listed = [patterns] if isinstance(patterns, str) else list(patterns)
        given = None if names is None else [names] if isinstance(names, str) else list(names)
        self._set_columns((listed, given, None, None, None), alphabet, greedy, False)
        self.source = "-e"
        self.skipped = {"matrix": 0, "rule": 0}

    @classmethod
    def from_prosite(
        cls,
        path: Path,
        *,
        alphabet: Alphabet = "protein",
        greedy: bool = True,
        skip_frequent: bool = False,
    ) -> Motifs:
        """Return the patterns of a PROSITE file or of a list of patterns.

        Parameters
        ----------
        path : str, bytes or path
            A PROSITE flat file, a list with ``pattern`` or ``name<TAB>pattern`` on each line, or FASTA, plain
            or compressed; "-" is standard input.
        alphabet, greedy
            As for `Motifs`.
        skip_frequent : bool
            Leave out the motifs that PROSITE marks as frequent (``CC /SKIP-FLAG=TRUE``).

        Returns
        -------
        Motifs

        Raises
        ------
        weft.ParseError
            The file or a pattern is malformed. The error names the file, the line and the column.
        weft.FileError
            The file cannot be read.

        Examples
        --------
        >>> import os, tempfile, weft
        >>> path = os.path.join(tempfile.mkdtemp(), "motifs.txt")
        >>> _ = open(path, "w").write("sequon\\tN-{P}-[ST]-{P}\\nrgd\\tR-G-D\\n")
        >>> weft.Motifs.from_prosite(path).patterns
        ['N-{P}-[ST]-{P}', 'R-G-D']
        """
        motifs = cls.__new__(cls)
        motifs._list, matrices, rules = _core.read_motifs(
            os.fsencode(path), alphabet, bool(greedy), bool(skip_frequent)
        )
        motifs._from_file = True
        motifs.alphabet, motifs.greedy = alphabet, greedy
        motifs.source = os.fsdecode(path)
        motifs.skipped = {"matrix": matrices, "rule": rules}
        return motifs

    def _set_columns(self, columns: tuple[Any, ...], alphabet: str, greedy: bool, from_file: bool) -> None:
        self._list = _core.make_motifs(columns, alphabet, bool(greedy), from_file)
        self._from_file = from_file
        self.alphabet, self.greedy = alphabet, greedy

    @property
    def names(self) -> list[str]:
        """Name of each motif."""
        return self._list.names()

    @property
    def accessions(self) -> list[str]:
        """Accession of each motif, such as PS00001; empty if it has none."""
        return self._list.accessions()

    @property
    def descriptions(self) -> list[str]:
        """Description of each motif; empty if it has none."""
        return self._list.descriptions()

    @property
    def patterns(self) -> list[str]:
        """Pattern of each motif, as it was written."""
        return self._list.patterns()

    @property
    def frequent(self) -> list[bool]:
        """Whether PROSITE marks each motif as frequent (CC /SKIP-FLAG=TRUE)."""
        return self._list.skip_flags()

    def __len__(self) -> int:
        return len(self._list)

    def __repr__(self) -> str:
        first = f": {self.patterns[0]!r} ..." if len(self) > 0 else ""
        return f"weft.Motifs({len(self)} patterns, alphabet {self.alphabet!r}{first})"

    def __getstate__(self) -> dict[str, Any]:
        columns = (self.patterns, self.names, self.accessions, self.descriptions, self.frequent)
        made = (columns, self.alphabet, self.greedy, self._from_file)
        return {"made": made, "source": self.source, "skipped": self.skipped}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set_columns(*state["made"])
        self.source, self.skipped = state["source"], state["skipped"]
