"""Triangles of the caller, as the library takes them."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np

from . import _arrays
from ._arrays import CPU, Array
from ._errors import ArrayError, InvalidArgument
from ._structs import ALL_BITS, GeometryStruct

_POINTS = [(None, 3)]


class Geometry:
    """The triangles of one geometry. It refers to the arrays and copies nothing.

    vertices: (n, 3) float32; rows may stand at any multiple of 4 bytes
    faces:    (m, 3) int32, uint32 or uint16, or None: then every three vertices are a triangle
    id:       the number that hits report, below 2^31
    mask:     rays pass over the triangles if their mask shares no bit with it
    convert:  copy arrays of other types, in place of an error
    """

    def __init__(
        self,
        vertices: Any,
        faces: Any = None,
        *,
        id: int = 0,
        mask: int = ALL_BITS,
        convert: bool = False,
    ):
        self.vertices, self.faces = vertices, faces
        self.id, self.mask = _whole_number("id", id, 0, (1 << 31) - 1), mask_of(mask)
        self._positions: Array = _arrays.read("vertices", vertices, _POINTS, convert=convert)
        self._indices: Optional[Array] = None
        if faces is not None:
            self._indices = _arrays.read("faces", faces, _POINTS, ("int32", "uint32", "uint16"), convert, packed=True)
            if (self._indices.device == CPU) != (self._positions.device == CPU):
                raise ArrayError(
                    f"faces are on {self._indices.device}, but vertices are on {self._positions.device}"
                )

    def moved(self, vertices: Any, convert: bool = False) -> "Geometry":
        """Returns the same triangles with other vertices."""
        return Geometry(vertices, self.faces, id=self.id, mask=self.mask, convert=convert)

    @property
    def triangle_count(self) -> int:
        """The number of triangles."""
        return self._positions.count // 3 if self._indices is None else self._indices.count

    def _struct(self) -> GeometryStruct:
        positions, indices = self._positions, self._indices
        struct = GeometryStruct(
            positions=positions.address or None,
            position_count=positions.count,
            position_stride=positions.row_bytes,
            memory=positions.memory,
            id=self.id,
            mask=self.mask,
        )
        if indices is not None:
            struct.indices, struct.triangle_count = indices.address or None, indices.count
            struct.index_bytes = indices.item_bytes
        return struct


def mask_of(value: int) -> int:
    """Returns the 32 bits of a mask of a caller, for whom -1 and ~0 are all bits."""
    return _whole_number("mask", value, -1 << 31, ALL_BITS) & ALL_BITS


def _whole_number(name: str, value: int, least: int, most: int) -> int:
    if not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise InvalidArgument(f"{name} is {value!r}; it can be {least} to {most}")
    return int(value)


def are_geometries(value: Any) -> bool:
    """Returns whether a caller gave Geometry objects in place of vertices."""
    return isinstance(value, (list, tuple)) and all(isinstance(each, Geometry) for each in value)


def geometries_of_caller(vertices: Any, faces: Any, convert: bool) -> List[Geometry]:
    """Returns the geometries of a caller, or one of vertices and faces."""
    return list(vertices) if are_geometries(vertices) else [Geometry(vertices, faces, convert=convert)]


def structs_of(geometries: Sequence[Geometry]):
    """Returns geometries as an array for the library."""
    return (GeometryStruct * max(len(geometries), 1))(*[geometry._struct() for geometry in geometries])


def device_of(geometries: Sequence[Geometry]) -> Optional[Array]:
    """Returns the first array on a GPU, or None."""
    on_gpu: List[Array] = [g._positions for g in geometries if g._positions.device != CPU]
    return on_gpu[0] if on_gpu else None
