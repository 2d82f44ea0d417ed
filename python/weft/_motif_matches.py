"""The matches of motifs in sequences, as columns."""

from __future__ import annotations

import html
import os
from typing import Any, Iterator, Literal

import numpy as np
import numpy.typing as npt

from . import _core
from ._motifs import Motifs
from ._sequences import Path, Sequences, require
from ._types import Counts, Progress

Format = Literal["tsv", "pff", "scan", "fasta", "gff3", "bed", "jsonl", "html"]
_HOST = ("auto", "auto", 0)
_SHOWN = 20_000  # matches in the page that a notebook shows
_STRANDS = ["+", "-"]


class MotifMatches:
    """The matches of motifs in a batch of sequences, as columns.

    `scan` and `Scanner.feed` return objects of this type, ordered by sequence, motif, begin and end.

    Attributes
    ----------
    records : ndarray
        Structured array with the fields of the columns below. ``np.asarray(matches)`` returns it too.
    motifs : Motifs
        The motifs that were searched for.
    sequences : Sequences
        The sequences that were searched.
    circular : bool
        Whether the sequences are circles, so that the end of a match may exceed the size of its sequence.

    Examples
    --------
    >>> import weft
    >>> matches = weft.scan(weft.Motifs("R-G-D"), ["MARGD", "RGDRGD"])
    >>> matches.sequence.tolist(), matches.begin.tolist(), matches.end.tolist()
    ([0, 1, 1], [2, 0, 3], [5, 3, 6])
    >>> matches.to_tsv().splitlines()[1]
    '0\\t3\\t5\\t+\\tUSER001\\tR-G-D\\tRGD'
    """

    __slots__ = ("records", "motifs", "sequences", "circular", "_max_x")

    records: npt.NDArray[Any]
    motifs: Motifs
    sequences: Sequences
    circular: bool

    def __init__(
        self,
        records: npt.NDArray[Any],
        motifs: Motifs,
        sequences: Sequences,
        *,
        max_x: int | None = None,
        circular: bool = False,
    ) -> None:
        self.records, self.motifs, self.sequences = records, motifs, sequences
        self.circular, self._max_x = circular, max_x

    @property
    def sequence(self) -> npt.NDArray[np.uint32]:
        """Index of the sequence of each match, as uint32."""
        return self._column("sequence")

    @property
    def motif(self) -> npt.NDArray[np.uint32]:
        """Index of the motif of each match, as uint32."""
        return self._column("motif")

    @property
    def begin(self) -> Counts:
        """Position of the first residue of each match in its sequence, from 0, as uint64."""
        return self._column("begin")

    @property
    def end(self) -> Counts:
        """Position after the last residue of each match, as uint64."""
        return self._column("end")

    @property
    def strand(self) -> npt.NDArray[np.uint8]:
        """Strand of each match, as uint8: 0 forward, 1 reverse. Positions are in the sequence as given."""
        return self._column("strand")

    def _column(self, name: str) -> npt.NDArray[Any]:
        column: npt.NDArray[Any] = self.records[name]
        return column

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: slice | npt.NDArray[Any]) -> MotifMatches:
        """Return some of the matches: those of a slice, a mask or an array of indices."""
        chosen = self.records[index]
        if chosen.ndim != 1:
            raise TypeError("MotifMatches has columns: pass a slice, a mask or indices, or use .records")
        return MotifMatches(chosen, self.motifs, self.sequences, max_x=self._max_x, circular=self.circular)

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("MotifMatches has columns, such as .begin; .records.tolist() makes a list of tuples")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        array = self.records if dtype is None else self.records.astype(dtype)
        return array.copy() if copy else array

    def __repr__(self) -> str:
        searched = f"{len(self.motifs)} motifs in {len(self.sequences)} sequences"
        return f"weft.MotifMatches({len(self)} of {searched})"

    def _text(
        self, records: npt.NDArray[Any], format: str, path: bytes | None = None, progress: Progress = None
    ) -> str:
        """Return the text of the records, or write it to a file and return an empty str."""
        batch = self.sequences
        columns = (batch.data, batch.offsets, batch.names, batch.descriptions)
        sources = (self.motifs.source, batch.source)
        run = (*_HOST, progress, None)
        text: Any = _core.write_matches(
            self.motifs._list, self._max_x, records, columns, format, self.circular, sources, path, run
        )
        return text or ""

    def to_tsv(self) -> str:
        """Return the matches as ``weft scan`` prints them: a table with a header, positions from 1.

        Returns
        -------
        str
            The text of the table. A sequence without a name has its number, from 0, as its name.

        Examples
        --------
        >>> import weft
        >>> print(weft.scan(weft.Motifs("R-G-D"), "MARGD").to_tsv().expandtabs(16).rstrip())
        sequence        begin           end             strand          motif           name            match
        0               3               5               +               USER001         R-G-D           RGD
        """
        return self._text(self.records, "tsv")

    def write(self, path: Path, *, format: Format = "tsv", progress: Progress = None) -> None:
        """Write the matches to a file, byte for byte as ``weft scan --format`` writes them.

        The file appears when it is complete.

        Parameters
        ----------
        path : str, bytes or path
            "-" is standard output.
        format : {"tsv", "pff", "scan", "fasta", "gff3", "bed", "jsonl", "html"}
            One of the formats of ``weft scan --format``.
        progress : callable, bool or None
            Function of (done, total), in matches; True: a bar of tqdm.

        Raises
        ------
        weft.FileError
            The file cannot be written.
        ValueError
            There is no such format, or `records` has been changed and does not fit the sequences.

        Examples
        --------
        >>> import os, tempfile, weft
        >>> path = os.path.join(tempfile.mkdtemp(), "matches.bed")
        >>> weft.scan(weft.Motifs("R-G-D"), "MARGD").write(path, format="bed")
        >>> open(path).read()
        '0\\t2\\t5\\tUSER001\\t0\\t.\\n'
        """
        self._text(self.records, format, os.fsencode(path), progress)

    def _repr_html_(self) -> str:
        """Return the page of ``weft scan --format html`` in a frame, for a notebook."""
        records, note = self.records, ""
        if len(records) > _SHOWN:
            records = records[:_SHOWN]
            note = f"<p>The first {_SHOWN:,} of {len(self):,} matches:</p>"
        page = html.escape(self._text(records, "html"))
        style = "width:100%;height:640px;border:0"
        return f'{note}<iframe sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'

    def to_pandas(self) -> Any:
        """Return a pandas.DataFrame with a row for each match.

        Returns
        -------
        pandas.DataFrame
            The columns sequence, motif, begin, end, strand ("+" or "-"), motif_name and, if the sequences
            have names, sequence_name.

        Raises
        ------
        ImportError
            pandas is not installed.

        Examples
        --------
        >>> import weft
        >>> table = weft.scan(weft.Motifs("R-G-D", names=["rgd"]), ["MARGD", "RGDRGD"]).to_pandas()
        >>> table[["sequence", "begin", "strand", "motif_name"]].values.tolist()
        [[0, 2, '+', 'rgd'], [1, 0, '+', 'rgd'], [1, 3, '+', 'rgd']]
        """
        pandas = require("pandas", "to_pandas")
        frame = pandas.DataFrame({name: self.records[name] for name in ("sequence", "motif", "begin", "end")})
        frame["strand"] = pandas.Categorical.from_codes(self.strand.astype(np.int8), _STRANDS)
        frame["motif_name"] = np.array(self.motifs.names, dtype=object)[self.motif]
        if self.sequences.names:
            frame["sequence_name"] = np.array(self.sequences.names, dtype=object)[self.sequence]
        return frame

    def to_arrow(self) -> Any:
        """Return a pyarrow.Table with a row for each match.

        Returns
        -------
        pyarrow.Table
            The columns of `to_pandas`. Names and strands are dictionary-encoded.

        Raises
        ------
        ImportError
            PyArrow is not installed.

        Examples
        --------
        >>> import weft
        >>> table = weft.scan(weft.Motifs("R-G-D"), ["MARGD", "RGDRGD"]).to_arrow()
        >>> table.num_rows, table["begin"].to_pylist(), table["strand"].to_pylist()
        (3, [2, 0, 3], ['+', '+', '+'])
        """
        arrow = require("pyarrow", "to_arrow")

        def encoded(codes: npt.NDArray[Any], values: list[str]) -> Any:
            return arrow.DictionaryArray.from_arrays(arrow.array(codes), arrow.array(values, arrow.string()))

        numbers = ("sequence", "motif", "begin", "end")
        columns = {name: arrow.array(np.ascontiguousarray(self._column(name))) for name in numbers}
        columns["strand"] = encoded(self.strand.astype(np.int8), _STRANDS)
        columns["motif_name"] = encoded(self.motif.astype(np.int32), self.motifs.names)
        if self.sequences.names:
            columns["sequence_name"] = encoded(self.sequence.astype(np.int64), self.sequences.names)
        return arrow.table(columns)
