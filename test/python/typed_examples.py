"""Uses of each public name, with the types of their results. test_types.py runs this file and checks its types."""

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


def sorts() -> list[npt.NDArray[np.int64]]:
    numbers = np.array([3, 1, 2], np.int64)
    ascending = weft.sort(numbers)
    descending = weft.sort(numbers, descending=True, device="cpu", threads=1)
    order = weft.argsort(numbers)
    keys, values = weft.sort_by_key(numbers, np.array([30.0, 10.0, 20.0]))
    segments = weft.segmented_sort(numbers, np.array([0, 2, 3], np.uint64))
    largest = weft.top_k(numbers, 1)
    in_order: bool = weft.is_sorted(ascending)
    assert in_order and (numbers[order] == ascending).all() and (keys == ascending).all() and values[0] == 10
    return [ascending, descending, segments, largest]


def sorted_file() -> str:
    with open("numbers.txt", "w") as file:
        file.write("10\n9\n")
    weft.sort_file("numbers.txt", "sorted.txt", numeric=True)
    with open("sorted.txt") as file:
        return file.read()


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


def searches() -> tuple[weft.Hits, weft.ExactMatches]:
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


def batches() -> weft.Sequences:
    with open("proteins.fa", "w") as file:
        file.write(">first\nMARGD\n>second\nRGDRGD\n")
    proteins: weft.Sequences = weft.read_sequences("proteins.fa")
    pair = weft.Sequences(b"GATTACATTA", np.array([0, 7, 10]), ["first", "second"])
    residues: bytes = pair[1]
    part: weft.Sequences = pair[:1]
    listed: weft.Sequences = weft.Sequences.from_list(["MARGD", b"RGDRGD"], names=["first", "second"])
    names: list[list[str]] = [batch.names for batch in weft.iter_sequences("proteins.fa", residues=5)]
    assert (residues, len(part), names) == (b"TTA", 1, [["first"], ["second"]]) and listed == proteins
    return proteins


def scans() -> weft.MotifMatches:
    motifs: weft.Motifs = weft.Motifs(["R-G-D", "A-x"], names=["rgd", "ax"])
    matches: weft.MotifMatches = weft.scan(motifs, batches(), overlap=False)
    begins: npt.NDArray[np.uint64] = matches.begin
    counts: npt.NDArray[np.uint64] = weft.scan_count(motifs, ["MARGD", "RGDRGD"])
    scanner: weft.Scanner = weft.Scanner(motifs)
    for batch in weft.iter_sequences("proteins.fa"):
        scanner.count(batch)
    totals: weft.ScanTotals = scanner.totals
    assert (len(begins), counts.tolist(), totals.matches) == (4, [3, 1], 4)
    matches.write("matches.gff3", format="gff3")
    return matches[matches.motif == 0]


def on_gpu(column: weft.DeviceArray, hits: weft.DeviceHits, matches: weft.DeviceMatches) -> list[Any]:
    """Return columns in the memory of a GPU. Only a machine with a GPU has the arguments."""
    return [column, hits.begin, matches.sequence]


if __name__ == "__main__":
    assert exceptions(weft.ParseError("wrong", "pattern", 1, 2)) == ("pattern", 1, 2)
    assert [each.tolist() for each in sorts()] == [[1, 2, 3], [3, 2, 1], [1, 3, 2], [3]]
    assert sorted_file() == "9\n10\n"
    assert comparisons() == [4, 5, 5]
    alignments()
    distances()
    assert transforms() == b"banana"
    searches()
    assert scans().begin.tolist() == [2, 0, 3]
    assert callable(on_gpu)
