"""Sort, align, index and search sequences on CPUs and NVIDIA GPUs."""

from __future__ import annotations

from ._alignment import lcs_length
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
    "DeviceError",
    "Error",
    "FileAccessError",
    "FileError",
    "InputError",
    "MissingFileError",
    "OutOfMemoryError",
    "ParseError",
    "UnavailableError",
    "__version__",
    "lcs_length",
]
