"""Sort, align, index and search sequences on CPUs and NVIDIA GPUs."""

from __future__ import annotations

from ._alignment import Alignment, Plot
from ._compare import align, all_pairs, edit_distance, indel_distance, lcs_length
from ._core import DeviceArray, __version__
from ._errors import (
    DeviceError,
    Error,
    FileAccessError,
    FileError,
    InputError,
    MissingFileError,
    OutOfMemoryError,
    ParseError,
    UnavailableError,
)
from ._hits import DeviceHits, ExactMatches, Hits
from ._index import FMIndex
from ._motif_matches import MotifMatches
from ._motifs import Motifs
from ._scan import DeviceMatches, Scanner, ScanTotals, scan, scan_count
from ._sequences import Sequences, iter_sequences, read_sequences
from ._sort import argsort, is_sorted, segmented_sort, sort, sort_by_key, top_k
from ._sort_file import sort_file
from ._transform import BWT, bwt, collection_suffix_array, inverse_bwt, lcp_array, suffix_array

__all__ = [
    "Alignment",
    "BWT",
    "DeviceArray",
    "DeviceError",
    "DeviceHits",
    "DeviceMatches",
    "Error",
    "ExactMatches",
    "FMIndex",
    "FileAccessError",
    "FileError",
    "Hits",
    "InputError",
    "MissingFileError",
    "MotifMatches",
    "Motifs",
    "OutOfMemoryError",
    "ParseError",
    "Plot",
    "ScanTotals",
    "Scanner",
    "Sequences",
    "UnavailableError",
    "__version__",
    "align",
    "all_pairs",
    "argsort",
    "bwt",
    "collection_suffix_array",
    "edit_distance",
    "indel_distance",
    "inverse_bwt",
    "is_sorted",
    "iter_sequences",
    "lcp_array",
    "lcs_length",
    "read_sequences",
    "scan",
    "scan_count",
    "segmented_sort",
    "sort",
    "sort_by_key",
    "sort_file",
    "suffix_array",
    "top_k",
]
