"""Names for the types of arguments."""

from __future__ import annotations

from typing import Any, Callable, Protocol, Sequence, Union, runtime_checkable

import numpy as np
import numpy.typing as npt


@runtime_checkable
class DLPackArray(Protocol):
    """An array of another library, on the host or on a GPU."""

    def __dlpack__(self, *, stream: Any = ...) -> Any: ...

    def __dlpack_device__(self) -> Any: ...


@runtime_checkable
class CudaArray(Protocol):
    """An array in the memory of a GPU."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...


@runtime_checkable
class ArrowStream(Protocol):
    """A column of strings of PyArrow, polars, pandas or DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = ...) -> object: ...


@runtime_checkable
class ArrowArray(Protocol):
    """An array of strings of PyArrow."""

    def __arrow_c_array__(self, requested_schema: object | None = ...) -> Any: ...


class SequenceBatch(Protocol):
    """An object with the three columns of a batch, such as weft.Sequences."""

    @property
    def data(self) -> Any: ...

    @property
    def offsets(self) -> Any: ...

    @property
    def names(self) -> Any: ...


NumberArray = Union[npt.NDArray[Any], DLPackArray, CudaArray]
Text = Union[str, bytes, bytearray, memoryview, NumberArray]
SequencesLike = Union[SequenceBatch, Sequence[Text], ArrowStream, ArrowArray, "tuple[Text, NumberArray]"]
Progress = Union[bool, Callable[[int, int], object], None]
Stream = Any
Counts = npt.NDArray[np.uint64]
