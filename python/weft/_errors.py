"""The exceptions of weft."""

from __future__ import annotations

import os


class Error(Exception):
    """Base class of the failures that depend on input, files or the machine.

    A mistake in a call, such as an array of two dimensions, raises ValueError or TypeError.
    """


class InputError(Error, ValueError):
    """A malformed pattern or value, or an engine that does not exist or does not apply."""


class ParseError(InputError):
    """Malformed text in a file or pattern.

    Attributes
    ----------
    source : str
        Name of the file, or "pattern".
    line, column : int
        Where the fault is, from 1; 0 if unknown.
    """

    def __init__(self, message: str, source: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(message, source, line, column)
        self.source = source
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return str(self.args[0])


class UnavailableError(Error):
    """The requested GPU or engine does not exist on this machine."""


class OutOfMemoryError(Error, MemoryError):
    """The call needs more memory, on the host or on a GPU, than is available or than its limit allows."""


class DeviceError(Error):
    """A CUDA call failed.

    Attributes
    ----------
    code : int
        The number of the error, a cudaError_t.
    """

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message, code)
        self.code = code

    def __str__(self) -> str:
        return str(self.args[0])


class FileError(Error, OSError):
    """A file cannot be opened, read, written or renamed.

    The exception for a file that does not exist is also FileNotFoundError, and the exception for a file that
    may not be used is also PermissionError.

    Attributes
    ----------
    errno : int
        The system's error number; 0 if there is none.
    """

    def __str__(self) -> str:
        return str(self.strerror)


class MissingFileError(FileError, FileNotFoundError):
    """A file does not exist."""


class FileAccessError(FileError, PermissionError):
    """A file may not be read or written."""


def file_error(number: int, message: str) -> FileError:
    """Return the exception for an error number of the system."""
    try:
        kind = type(OSError(number, os.strerror(number)))
    except ValueError:
        kind = OSError
    chosen = {FileNotFoundError: MissingFileError, PermissionError: FileAccessError}.get(kind, FileError)
    return chosen(number, message)
