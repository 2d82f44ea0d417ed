"""Sort, align, index and search sequences on CPUs and NVIDIA GPUs."""

from __future__ import annotations

from ._alignment import Alignment, Plot
from ._compare import align, all_pairs, edit_distance, indel_distance, lcs_length
from ._core import __version__
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

__all__ = [
    "Alignment",
    "DeviceError",
    "Error",
    "FileAccessError",
    "FileError",
    "InputError",
    "MissingFileError",
    "OutOfMemoryError",
    "ParseError",
    "Plot",
    "UnavailableError",
    "__version__",
    "align",
    "all_pairs",
    "edit_distance",
    "indel_distance",
    "lcs_length",
]
