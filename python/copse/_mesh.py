"""Triangles of files."""

from __future__ import annotations

import os
from ctypes import byref, c_void_p
from typing import List, Optional, Tuple, Union

import numpy as np

from ._context import Handle
from ._geometry import Geometry
from ._library import call, library
from ._structs import GeometryStruct


class OfLibrary:
    """An array in the memory of an object of the library, which it keeps."""

    def __init__(
        self, owner: Handle, address: Optional[int], shape: tuple, typestr: str, is_constant: bool = False
    ):
        self.owner = owner
        self.__array_interface__ = {"shape": shape, "typestr": typestr, "data": (address, is_constant), "version": 3}


def geometry_of_file(file: Handle, struct: GeometryStruct) -> Geometry:
    """Returns a geometry whose arrays view the memory of a file and keep it."""

    def view(address: Optional[int], count: int, typestr: str) -> np.ndarray:
        return np.asarray(OfLibrary(file, address, (count, 3), typestr)) if count else np.empty((0, 3), typestr)

    vertices = view(struct.positions, struct.position_count, "<f4")
    faces = view(struct.indices, struct.triangle_count, "<u4")
    return Geometry(vertices, faces, id=struct.id & 0x7FFFFFFF, mask=struct.mask)


def geometries_of(mesh: Handle) -> List[Geometry]:
    """Returns the geometries of a mesh. Their arrays view its memory and keep it."""
    geometries = []
    for number in range(library.copse_mesh_geometry_count(mesh.address)):
        struct = GeometryStruct(position_stride=12, index_bytes=4)
        call("copse_mesh_geometry", mesh.address, number, byref(struct))
        geometries.append(geometry_of_file(mesh, struct))
    return geometries


def load_mesh(path: Union[str, "os.PathLike[str]"]) -> Tuple[np.ndarray, np.ndarray]:
    """Returns (vertices, faces) of an OBJ, PLY, STL or OFF file, perhaps packed by gzip."""
    made = c_void_p()
    call("copse_mesh_load", os.fsencode(path), byref(made))
    return _arrays_of(made)


def parse_mesh(data: bytes, name: str = "mesh") -> Tuple[np.ndarray, np.ndarray]:
    """Returns (vertices, faces) of the bytes of such a file. name: stands in front of the messages of errors."""
    made = c_void_p()
    call("copse_mesh_parse", data, len(data), os.fsencode(name), byref(made))
    return _arrays_of(made)


def _arrays_of(made: c_void_p) -> Tuple[np.ndarray, np.ndarray]:
    geometry = geometries_of(Handle("mesh", made.value))[0]
    return geometry.vertices, geometry.faces
