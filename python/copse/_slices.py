"""Trees over more triangles than a GPU has memory for."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, List

from ._build import check_device
from ._context import Handle, automatic_device, context_of
from ._errors import InvalidArgument, check_range
from ._geometry import Geometry, geometries_of_caller, structs_of
from ._library import call
from ._mapped_mesh import MappedGeometry, MappedMesh
from ._scene import Scene
from ._structs import SlicedBuildOptions


def build_in_slices(
    vertices: Any,
    faces: Any = None,
    *,
    memory_bytes: int = 0,
    hploc_radius: int = 0,
    device: str = "auto",
    convert: bool = False,
) -> Scene:
    """Returns a Scene on the CPU whose tree a GPU has made piece by piece, for triangles that do not fit its memory. The
    mesh takes no memory of the host either if it is a MappedMesh.

    Rays through it are slower than through one of Scene(..., device="cpu"); hits are the same, bit for bit. A rebuild makes it
    "balanced".

    vertices, faces, convert: as Geometry takes them, on the host; or a list of Geometry objects, or a MappedMesh
    memory_bytes: the most memory of the device that the build may take; 0: no limit, so one piece
    hploc_radius: 0: the tree is an LBVH, which is built fastest; 1 to 8: an H-PLOC tree, whose clusters search so many
                  places for their nearest neighbour. Rays through it are faster; 4 is a good choice
    device:       where pieces are built: "auto": the GPU if one answers, else the CPU; "cpu", "cuda" or "cuda:N"
    """
    check_range("memory_bytes", memory_bytes, 0, 2**64 - 1)
    check_range("hploc_radius", hploc_radius, 0, 8)
    host, made = context_of("cpu"), c_void_p()
    builder = context_of(automatic_device() if device == "auto" else device)
    contexts = (host.address, builder.address)
    options = SlicedBuildOptions(memory_bytes=memory_bytes, hploc_radius=hploc_radius)
    geometries: List[Geometry]
    if isinstance(vertices, MappedMesh):
        if faces is not None:
            raise InvalidArgument("faces are given, but a MappedMesh has its own")
        geometries, mesh = [MappedGeometry(vertices)], vertices._handle.address
        call("copse_mapped_mesh_build_in_slices", *contexts, mesh, byref(options), byref(made))
    else:
        geometries = geometries_of_caller(vertices, faces, convert)
        check_device(host, geometries)
        counted = (structs_of(geometries), len(geometries))
        call("copse_accel_build_in_slices", *contexts, *counted, byref(options), byref(made))
    scene = Scene.__new__(Scene)
    scene._context, scene._handle, scene.quality = host, Handle("accel", made.value), "balanced"
    scene._keep(geometries)
    return scene
