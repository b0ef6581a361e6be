"""An array as the library takes it, and the words for one that does not fit."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from ._errors import ArrayError
from ._structs import CONTEXT, HOST

CPU = "cpu"


class Array:
    """An array as the library takes it."""

    __slots__ = ("address", "shape", "strides", "device", "stream", "kind", "owner", "item_bytes", "stream_owner")

    def __init__(
        self,
        address: int,
        shape: tuple,
        strides: tuple,  # bytes
        device: str,  # "cpu", "cuda" if its ordinal is not known, or "cuda:N"
        stream: int,  # on CUDA: the stream that the caller works on; 0 is CUDA's default stream
        kind: str,  # the library that it is of, such as "numpy"; results are of the same kind
        owner: Any,  # keeps the memory
        item_bytes: int,
        stream_owner: Any = None,  # keeps the stream, or is a function that returns what keeps it
    ):
        self.address, self.shape, self.strides, self.device = address, shape, strides, device
        self.stream, self.kind, self.owner, self.item_bytes = stream, kind, owner, item_bytes
        self.stream_owner = stream_owner

    @property
    def memory(self) -> int:
        return HOST if self.device == CPU else CONTEXT

    @property
    def count(self) -> int:
        return self.shape[0]

    @property
    def row_bytes(self) -> int:
        """The bytes from row to row. Of a single row they are its size, since its stride may be any number."""
        return self.strides[0] if self.count > 1 else packed_strides((1,) + self.shape[1:], self.item_bytes)[0]


def kind_of(value: Any) -> str:
    """Returns the name of the library that an object is of, such as "torch"."""
    root = type(value).__module__.partition(".")[0]
    return "jax" if root == "jaxlib" else root


def _shape_text(shape: Sequence[Optional[int]]) -> str:
    return "(" + ", ".join("n" if size is None else str(size) for size in shape) + ("," if len(shape) == 1 else "") + ")"


def fits(shape: tuple, shapes: Sequence[Sequence[Optional[int]]]) -> bool:
    for wanted in shapes:
        if len(shape) == len(wanted):
            for size, want in zip(shape, wanted):
                if want is not None and want != size:
                    break
            else:
                return True
    return False


class Wanted:
    """What a call takes. The words for it are made only if something does not fit.

    convert: whether to copy an array that does not fit; None if the call cannot, since it writes into the array or has no
             such option
    packed:  whether rows follow each other without gaps
    may_overlap: whether rows may share memory, as those of numpy.broadcast_to do
    """

    def __init__(
        self,
        name: str,
        shapes: Sequence[Sequence[Optional[int]]],
        dtypes: Sequence[str],
        convert: Optional[bool],
        packed: bool,
        may_overlap: bool,
    ):
        self.name, self.shapes, self.dtypes, self.convert = name, shapes, dtypes, convert
        self.packed, self.may_overlap = packed, may_overlap

    def fits(self, shape: tuple) -> bool:
        return fits(shape, self.shapes)

    def takes_rows(self, shape: tuple, strides: tuple, itemsize: int) -> bool:
        """Returns whether the numbers of each row are packed, and the rows stand where they may."""
        if 0 in shape or len(shape) == 0:
            return True
        if len(shape) < len(self.shapes[0]):  # a single row
            shape, strides = (1,) + shape, (0,) + strides
        expected = itemsize
        for size, stride in zip(reversed(shape[1:]), reversed(strides[1:])):
            if size > 1 and stride != expected:
                return False
            expected *= size
        if shape[0] == 1:
            return True
        if self.packed:
            return strides[0] == expected
        return strides[0] >= (0 if self.may_overlap else expected) and strides[0] % min(itemsize, 4) == 0

    def refuse(self, shape: tuple, dtype: str, device: str, more: str = "") -> None:
        wanted = " or ".join(_shape_text(s) for s in self.shapes) + " of " + " or ".join(self.dtypes) + " is needed"
        raise ArrayError(f"{self.name} has the shape {tuple(shape)} of {dtype} on {device}; {wanted}{more}")

    def refuse_layout(self, shape: tuple, dtype: str, strides: tuple, device: str, can_copy: bool = True) -> None:
        """Refuses an array for its type, or else for its rows.

        can_copy: whether convert=True would help
        """
        remedy = "; convert=True copies it" if can_copy and self.convert is not None else ""
        if dtype not in self.dtypes:
            self.refuse(shape, dtype, device, remedy)
        row_bytes = packed_strides(shape, np.dtype(dtype).itemsize)[0]
        apart = " without gaps" if self.packed else "" if self.may_overlap else f" at least {row_bytes} bytes apart"
        raise ArrayError(
            f"{self.name} has the shape {tuple(shape)} of {dtype}, {tuple(strides)} bytes apart, on {device}; "
            f"packed rows{apart} are needed{remedy}"
        )


def packed_strides(shape: tuple, item_bytes: int) -> tuple:
    """Returns the bytes from element to element along each axis of a packed array."""
    strides: list = []
    for size in reversed(shape):
        strides.insert(0, item_bytes)
        item_bytes *= size
    return tuple(strides)


def check_conversion(name: str, values: Any, kind: str, dtype: str) -> None:
    """Raises ArrayError if `dtype` cannot hold what an array says: for what is no number, and for integers that do not fit.
    It waits for the device of the array.

    kind: the letter that NumPy has for the type of the values, such as "f" for floats
    """
    if kind not in "biuf":
        raise ArrayError(f"{name} has elements of the type {values.dtype}, which cannot be converted to {dtype}")
    if not np.issubdtype(np.dtype(dtype), np.integer) or 0 in values.shape:
        return
    if kind == "f" and not bool((values == values.round()).all()):
        raise ArrayError(f"{name} has values of {values.dtype} that are no whole numbers; {dtype} is needed")
    low, high, limits = values.min().item(), values.max().item(), np.iinfo(dtype)
    if low < limits.min or high > limits.max:
        raise ArrayError(f"{name} has values from {low} to {high}; {dtype} takes {limits.min} to {limits.max}")
