"""A use of each public name, with the types that its results have. test_types.py runs it and passes it to mypy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import weft


def exceptions(fault: weft.ParseError) -> tuple[str, int, int]:
    kinds: list[type[weft.Error]] = [
        weft.Error,
        weft.InputError,
        weft.ParseError,
        weft.UnavailableError,
        weft.OutOfMemoryError,
        weft.DeviceError,
        weft.FileError,
        weft.MissingFileError,
        weft.FileAccessError,
    ]
    version: str = weft.__version__
    assert version and all(issubclass(each, Exception) for each in kinds)
    return fault.source, fault.line, fault.column


def comparisons() -> list[int]:
    a, b = np.frombuffer(b"ABCBDAB", np.uint8), b"BDCABA"
    lcs: int = weft.lcs_length(a, b, device="cpu", threads=1)
    indel: int = weft.indel_distance("ABCBDAB", b)
    edit: int = weft.edit_distance(bytearray(b"ABCBDAB"), memoryview(b), progress=lambda done, total: None)
    return [lcs, indel, edit]


def alignments() -> weft.Alignment:
    alignment: weft.Alignment = weft.align("GATTACA", "GATACA", metric="edit")
    distance: int = alignment.distance
    identity: float = alignment.identity
    cigar: str = alignment.cigar()
    opcodes: npt.NDArray[np.void] = alignment.opcodes()
    plot: weft.Plot = alignment.plot(a_name="first", b_name="second")
    picture: str = plot.svg
    plot.save("path.svg")
    assert (distance, len(opcodes) > 0) == (1, True) and 0 < identity < 1 and cigar and picture
    return alignment


def distances() -> npt.NDArray[np.uint64]:
    matrix: npt.NDArray[np.uint64] = weft.all_pairs(["GATTACA", "GATACA"], metric="indel")
    triangle: npt.NDArray[np.uint64] = weft.all_pairs(["GATTACA", "GATACA"], metric="indel", condensed=True)
    assert matrix[0, 1] == triangle[0]
    return matrix


def transforms() -> bytes | npt.NDArray[np.uint8] | Any:
    order = weft.suffix_array("banana")
    prefixes = weft.lcp_array("banana", order)
    rows = weft.collection_suffix_array(["banana", "ananas"])
    transform: weft.BWT = weft.bwt("banana", form="sentinel")
    primary_index: int = transform.primary_index
    assert len(order) == len(prefixes) == 6 and len(rows) >= 12 and primary_index == 4
    assert transform.inverse() == b"banana"
    return weft.inverse_bwt(transform)


def searches() -> tuple[weft.Hits, weft.Matches]:
    index: weft.FMIndex = weft.FMIndex.build(["GATTACA", "GATTA"], names=["chr1", "chr2"], alphabet="dna")
    index.save("genome.wfi")
    opened: weft.FMIndex = weft.FMIndex.open("genome.wfi")
    names: tuple[str, ...] = opened.names
    letters: bytes = opened.extract("chr1", 3)
    count: int = opened.count("ATTA")
    counts: npt.NDArray[np.uint64] = opened.count(["ATTA", "GG"])
    assert (names, letters, count) == (("chr1", "chr2"), b"TACA", 2) and len(counts) == 2
    hits: weft.Hits = opened.locate("ATTA", max_hits=10)
    begins: npt.NDArray[np.uint64] = hits.begin
    assert len(begins) == len(hits)
    return hits, opened.matches(["GATT"], min_length=4)


if __name__ == "__main__":
    assert exceptions(weft.ParseError("wrong", "pattern", 1, 2)) == ("pattern", 1, 2)
    assert comparisons() == [4, 5, 5]
    alignments()
    distances()
    assert transforms() == b"banana"
    searches()
