"""Scenes of glTF files."""

from __future__ import annotations

import os
from ctypes import byref, c_float, c_void_p
from dataclasses import dataclass
from typing import List, Union

import numpy as np

from ._context import Handle
from ._geometry import Geometry
from ._mesh import geometry_of_file
from ._instances import Instances
from ._library import call, library
from ._placed import RECORD
from ._scene import Scene
from ._structs import GeometryStruct


@dataclass(frozen=True, eq=False)
class SceneMesh:
    """A mesh of a scene file. The number of a geometry is its id in hits."""

    name: str
    geometries: List[Geometry]
    colours: np.ndarray  #: (geometries, 4) float32: red, green, blue and alpha of their materials


@dataclass(frozen=True, eq=False)
class SceneFile:
    """The meshes of a glTF file, and where they are placed. load_scene() reads it."""

    meshes: List[SceneMesh]
    transforms: np.ndarray  #: (n, 3, 4) float32, one for each instance
    mesh_ids: np.ndarray  #: (n,) int32: which mesh each instance is of
    names: List[str]  #: of the nodes of the instances
    left_out: str  #: what was left out of the file, in words

    def build(self, *, quality: str = "balanced", device: str = "auto") -> Instances:
        """Returns the instances, with a tree for each mesh and one over their places."""
        scenes = [Scene.from_geometries(mesh.geometries, quality=quality, device=device) for mesh in self.meshes]
        instances = Instances(scenes, self.transforms, scene_ids=self.mesh_ids, quality=quality)
        instances.colours = [mesh.colours for mesh in self.meshes]
        return instances


def load_scene(path: Union[str, "os.PathLike[str]"]) -> SceneFile:
    """Returns the meshes and instances of a glTF 2.0 file, .glb or .gltf."""
    made = c_void_p()
    call("copse_scene_file_load", os.fsencode(path), byref(made))
    file = Handle("scene_file", made.value)
    meshes = [_mesh_of(file, number) for number in range(library.copse_scene_file_mesh_count(file.address))]
    count = library.copse_scene_file_instance_count(file.address)
    records = np.empty(count, RECORD)
    if count > 0:
        view = (c_float * (16 * count)).from_address(library.copse_scene_file_instances(file.address))
        records = np.frombuffer(view, RECORD).copy()
    names = [library.copse_scene_file_instance_name(file.address, i).decode(errors="replace") for i in range(count)]
    left_out = library.copse_scene_file_message(file.address).decode(errors="replace")
    return SceneFile(meshes, records["rows"].copy(), records["accel"].astype(np.int32), names, left_out)


def _mesh_of(file: Handle, number: int) -> SceneMesh:
    geometries, colours = [], []
    for part in range(library.copse_scene_file_geometry_count(file.address, number)):
        struct, colour = GeometryStruct(), (c_float * 4)()
        call("copse_scene_file_geometry", file.address, number, part, byref(struct), colour)
        geometries.append(geometry_of_file(file, struct))
        colours.append(list(colour))
    name = library.copse_scene_file_mesh_name(file.address, number).decode(errors="replace")
    return SceneMesh(name, geometries, np.array(colours, np.float32).reshape(-1, 4))
