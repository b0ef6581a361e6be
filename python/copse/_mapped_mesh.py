"""Meshes that stay in their files."""

from __future__ import annotations

import os
from ctypes import byref, c_void_p
from typing import Optional, Sequence, Union

import numpy as np

from ._array import CPU, Array
from ._context import Handle
from ._errors import ArrayError
from ._geometry import Geometry
from ._library import call
from ._mesh import OfLibrary
from ._structs import ALL_BITS, GeometryStruct, TriangleRecords


class MappedMesh:
    """The mesh of a binary PLY file, in the pages of the file, for build_in_slices(). It may be larger than memory.

    The file is read once, to check each index and each vertex. It must be little-endian, with x, y and z as float, one behind
    the other, and with three corners per face, whose indices have 32 bits. While the mesh or an array of it is there, the file
    must not change. If another program cuts it short, reading it ends this program with SIGBUS.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]):
        made = c_void_p()
        call("copse_mapped_mesh_open", os.fsencode(path), byref(made))
        self._handle = Handle("mapped_mesh", made.value)
        self._records = TriangleRecords()
        call("copse_mapped_mesh_records", self._handle.address, byref(self._records))

    def __repr__(self) -> str:
        return f"<copse.MappedMesh of {self._records.triangle_count} triangles>"

    @property
    def vertices(self) -> np.ndarray:
        """(n, 3) float32: a view of the file, which cannot be written. Rows are as far apart as they are there."""
        records = self._records
        return self._view(records.positions, records.vertex_count, records.position_stride, "<f4")

    @property
    def faces(self) -> np.ndarray:
        """(m, 3) uint32: a view of the file, which cannot be written. Rows are as far apart as they are there."""
        records = self._records
        return self._view(records.triangles, records.triangle_count, records.triangle_stride, "<u4")

    def _view(self, address: Optional[int], count: int, stride: int, dtype: str) -> np.ndarray:
        if count == 0:
            return np.empty((0, 3), dtype)
        pages = np.asarray(OfLibrary(self._handle, address, ((count - 1) * stride + 12,), "|u1", is_constant=True))
        return np.ndarray((count, 3), dtype, pages, strides=(stride, 4))


class MappedGeometry(Geometry):
    """The triangles of a mesh in its file, which a scene was made of."""

    def __init__(self, mesh: MappedMesh):
        self.mesh, self.vertices, self.faces, self.id, self.mask = mesh, mesh.vertices, mesh.faces, 0, ALL_BITS
        self._positions, self._indices = _array_of(self.vertices), _array_of(self.faces)

    def _struct(self) -> GeometryStruct:
        raise ArrayError("the triangles are in a MappedMesh; this call needs them in memory: copse.load_mesh reads them")


def _array_of(view: np.ndarray) -> Array:
    return Array(view.ctypes.data, view.shape, view.strides, CPU, 0, "numpy", view, view.itemsize)


def mapped_mesh_of(geometries: Sequence[Geometry]) -> Optional[MappedMesh]:
    """Returns the mesh in its file that a scene was made of, or None."""
    only = geometries[0] if len(geometries) == 1 else None
    return only.mesh if isinstance(only, MappedGeometry) else None
