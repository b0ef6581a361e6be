"""The shared library of the C interface: its structs and functions. copse/c.h describes them."""

from __future__ import annotations

import ctypes
import os
import struct
from ctypes import POINTER, c_char_p, c_double, c_float, c_int32, c_size_t, c_uint32, c_uint64, c_void_p

from ._errors import BY_STATUS, InternalError

HOST, CONTEXT = 0, 1
ALL_BITS = 0xFFFFFFFF


class Struct(ctypes.Structure):
    """A struct that begins with its size."""

    def __init__(self, **members):
        super().__init__(struct_size=ctypes.sizeof(type(self)), **members)


class ContextOptions(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("backend", c_int32),
        ("device", c_int32),
        ("stream", c_void_p),
        ("has_stream", c_int32),
        ("workers", c_uint32),
        ("validate", c_int32),
        ("check_every_launch", c_int32),
    ]


class GeometryStruct(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("positions", c_void_p),
        ("position_count", c_uint64),
        ("position_stride", c_uint64),
        ("indices", c_void_p),
        ("triangle_count", c_uint64),
        ("index_bytes", c_uint32),
        ("memory", c_int32),
        ("id", c_uint32),
        ("mask", c_uint32),
    ]


class BuildOptions(Struct):
    _fields_ = [("struct_size", c_size_t), ("quality", c_int32), ("capacity", c_uint64)]


class StatsStruct(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("source_count", c_uint64),
        ("left_out_count", c_uint64),
        ("node_count", c_uint64),
        ("leaf_count", c_uint64),
        ("depth", c_uint32),
        ("sah_cost", c_double),
        ("lower", c_float * 3),
        ("upper", c_float * 3),
        ("used_bytes", c_uint64),
        ("size_bytes", c_uint64),
    ]


# struct copse_rays, as bytes. That is quicker than a ctypes.Structure. Members: struct_size, count, memory; then address and
# stride of origins, directions, t_min and t_max.
_RAYS = struct.Struct("@NQi4xQQQQQQQQ")


def rays_struct(count: int, memory: int, *addresses_and_strides: int) -> bytes:
    """Returns a struct copse_rays. An address of 0 is NULL."""
    return _RAYS.pack(_RAYS.size, count, memory, *addresses_and_strides)


class TraceOptions(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("masks", c_void_p),
        ("masks_memory", c_int32),
        ("mask", c_uint32),
        ("cull", c_int32),
    ]


class SelfOverlapOptions(Struct):
    _fields_ = [("struct_size", c_size_t), ("exact_triangles", c_int32), ("with_adjacent", c_int32)]


class PointsOptions(Struct):
    _fields_ = [("struct_size", c_size_t), ("structure", c_int32), ("cell_size", c_float)]


class GridShape(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("lower", c_double * 3),
        ("voxel_size", c_double),
        ("resolution", c_uint32 * 3),
        ("bricks", c_uint32 * 3),
        ("brick_count", c_uint64),
        ("voxel_count", c_uint64),
        ("band", c_float),
    ]


_P = c_void_p  # handles and arrays
_U64, _I32 = c_uint64, c_int32
_ARRAY = [_P, _I32]  # an address and where it is
_COUNTED = [_P, _U64, _I32]  # an address, a count and where it is

# Functions that return a status, and the types of their arguments.
_CALLS = {
    "copse_context_create": [_P, POINTER(_P)],
    "copse_context_wait": [_P],
    "copse_buffer_create": [_P, _U64, POINTER(_P)],
    "copse_upload": [_P, _P, _P, _U64],
    "copse_download": [_P, _P, _P, _U64],
    "copse_mesh_load": [c_char_p, POINTER(_P)],
    "copse_mesh_geometry": [_P, _U64, _P],
    "copse_accel_build": [_P, _P, _U64, _P, POINTER(_P)],
    "copse_accel_rebuild": [_P, _P, _P, _U64],
    "copse_accel_refit": [_P, _P, _P, _U64],
    "copse_accel_compact": [_P, _P],
    "copse_accel_stats": [_P, _P, _P],
    "copse_accel_save": [_P, _P, c_char_p, _P, _U64],
    "copse_accel_load": [_P, c_char_p, POINTER(_P), POINTER(_P)],
    "copse_closest_hits": [_P, _P, _P, *_ARRAY, _P],
    "copse_any_hits": [_P, _P, _P, *_ARRAY, _P],
    "copse_first_hits": [_P, _P, _P, c_uint32, *_ARRAY, *_ARRAY, _P],
    "copse_find_hits": [_P, _P, _P, *_ARRAY, *_COUNTED, _P],
    "copse_nearest_points": [_P, _P, *_COUNTED, c_float, *_ARRAY],
    "copse_k_nearest": [_P, _P, *_COUNTED, c_uint32, c_float, *_ARRAY],
    "copse_points_inside": [_P, _P, *_COUNTED, *_ARRAY],
    "copse_find_overlaps": [_P, _P, _I32, *_COUNTED, *_ARRAY, *_COUNTED],
    "copse_self_overlaps": [_P, _P, _P, *_COUNTED, *_ARRAY],
    "copse_points_build": [_P, _P, _U64, _U64, _I32, _P, POINTER(_P)],
    "copse_points_rebuild": [_P, _P, _P, _U64, _U64, _I32],
    "copse_points_k_nearest": [_P, _P, *_COUNTED, c_uint32, c_float, *_ARRAY],
    "copse_points_count_within": [_P, _P, *_COUNTED, c_float, *_ARRAY],
    "copse_points_find_within": [_P, _P, *_COUNTED, c_float, *_ARRAY, *_COUNTED],
    "copse_voxels_build": [_P, _P, _U64, c_uint32, _I32, POINTER(_P)],
    "copse_voxels_shape": [_P, _P, _P],
    "copse_bricks_build": [_P, _P, _U64, c_uint32, POINTER(_P)],
    "copse_distances_build": [_P, _P, _U64, c_uint32, c_float, POINTER(_P)],
    "copse_bricks_shape": [_P, _P, _P],
    "copse_motion_build": [_P, _P, _U64, _U64, _P, POINTER(_P)],
    "copse_motion_rebuild": [_P, _P, _P, _U64, _U64],
    "copse_motion_refit": [_P, _P, _P, _U64, _U64],
    "copse_motion_closest_hits": [_P, _P, _P, *_ARRAY, c_float, *_ARRAY, _P],
    "copse_motion_any_hits": [_P, _P, _P, *_ARRAY, c_float, *_ARRAY, _P],
    "copse_batch_build": [_P, _P, _U64, POINTER(_P)],
    "copse_batch_rebuild": [_P, _P],
    "copse_batch_refit": [_P, _P, *_ARRAY],
    "copse_scene_build_of_batch": [_P, _P, *_COUNTED, _P, POINTER(_P)],
    "copse_worlds_build": [_P, _P, _U64, _P, *_COUNTED, _P, _U64, _P, POINTER(_P)],
    "copse_worlds_rebuild": [_P, _P, *_COUNTED],
    "copse_worlds_refit": [_P, _P, *_COUNTED, *_ARRAY],
    "copse_worlds_closest_hits": [_P, _P, _P, *_ARRAY, *_ARRAY, _P],
    "copse_worlds_any_hits": [_P, _P, _P, *_ARRAY, *_ARRAY, _P],
    "copse_scene_file_load": [c_char_p, POINTER(_P)],
    "copse_scene_file_geometry": [_P, _U64, _U64, _P, _P],
    "copse_scene_build": [_P, _P, _U64, *_COUNTED, _P, POINTER(_P)],
    "copse_scene_rebuild": [_P, _P, *_COUNTED],
    "copse_scene_refit": [_P, _P, *_COUNTED],
    "copse_scene_stats": [_P, _P, _P],
    "copse_scene_closest_hits": [_P, _P, _P, *_ARRAY, _P],
    "copse_scene_any_hits": [_P, _P, _P, *_ARRAY, _P],
    "copse_scene_first_hits": [_P, _P, _P, c_uint32, *_ARRAY, *_ARRAY, _P],
    "copse_scene_find_hits": [_P, _P, _P, *_ARRAY, *_COUNTED, _P],
}

# Functions that return a value.
_VALUES = {
    "copse_last_error": ([_P], c_char_p),
    "copse_version": ([], c_char_p),
    "copse_built_with_cuda": ([], _I32),
    "copse_context_backend": ([_P], _I32),
    "copse_context_device_name": ([_P], c_char_p),
    "copse_context_worker_count": ([_P], c_uint32),
    "copse_buffer_data": ([_P], _P),
    "copse_mesh_geometry_count": ([_P], _U64),
    "copse_mesh_message": ([_P], c_char_p),
    "copse_accel_triangle_count": ([_P], _U64),
    "copse_accel_size_bytes": ([_P], _U64),
    "copse_scene_instance_count": ([_P], _U64),
    "copse_scene_size_bytes": ([_P], _U64),
    "copse_points_count": ([_P], _U64),
    "copse_points_size_bytes": ([_P], _U64),
    "copse_voxels_words": ([_P], _P),
    "copse_bricks_keys": ([_P], _P),
    "copse_bricks_words": ([_P], _P),
    "copse_bricks_values": ([_P], _P),
    "copse_motion_triangle_count": ([_P], _U64),
    "copse_motion_key_count": ([_P], c_uint32),
    "copse_motion_size_bytes": ([_P], _U64),
    "copse_batch_triangle_count": ([_P], _U64),
    "copse_batch_size_bytes": ([_P], _U64),
    "copse_worlds_count": ([_P], _U64),
    "copse_worlds_instance_count": ([_P], _U64),
    "copse_worlds_size_bytes": ([_P], _U64),
    "copse_scene_file_mesh_count": ([_P], _U64),
    "copse_scene_file_geometry_count": ([_P, _U64], _U64),
    "copse_scene_file_mesh_name": ([_P, _U64], c_char_p),
    "copse_scene_file_instance_count": ([_P], _U64),
    "copse_scene_file_instances": ([_P], _P),
    "copse_scene_file_instance_name": ([_P, _U64], c_char_p),
    "copse_scene_file_message": ([_P], c_char_p),
    "copse_context_destroy": ([_P], None),
    "copse_buffer_destroy": ([_P], None),
    "copse_mesh_destroy": ([_P], None),
    "copse_accel_destroy": ([_P], None),
    "copse_scene_destroy": ([_P], None),
    "copse_points_destroy": ([_P], None),
    "copse_voxels_destroy": ([_P], None),
    "copse_bricks_destroy": ([_P], None),
    "copse_motion_destroy": ([_P], None),
    "copse_batch_destroy": ([_P], None),
    "copse_worlds_destroy": ([_P], None),
    "copse_scene_file_destroy": ([_P], None),
}


def _load() -> ctypes.CDLL:
    """Loads the library that COPSE_LIBRARY names, or the one beside this file, or that of the system."""
    named = os.environ.get("COPSE_LIBRARY")
    beside = os.path.join(os.path.dirname(__file__), "libcopse_c.so.0.1")
    path = named or (beside if os.path.exists(beside) else "libcopse_c.so.0.1")
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"Copse's library {path} cannot be loaded: {error}. Install the wheel of scripts/wheel, or set "
            "COPSE_LIBRARY to a libcopse_c.so"
        ) from error
    for name, arguments in _CALLS.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, c_int32
    for name, (arguments, result) in _VALUES.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, result
    return library


library = _load()


def call(name: str, *arguments) -> None:
    """Calls a function that returns a status. Raises the exception of its status. Other threads run meanwhile."""
    status = getattr(library, name)(*arguments)
    if status != 0:
        message = library.copse_last_error(None).decode(errors="replace")
        raise BY_STATUS.get(status, InternalError)(message)


