"""Structs of the C interface. copse/c.h describes them."""

from __future__ import annotations

import ctypes
import struct
from ctypes import c_double, c_float, c_int32, c_size_t, c_uint32, c_uint64, c_void_p

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


class DevicesOptions(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("backend", c_int32),
        ("count", c_uint32),
        ("workers", c_uint32),
        ("without_peer_access", c_int32),
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
    _fields_ = [("struct_size", c_size_t), ("quality", c_int32), ("capacity", c_uint64), ("splits", c_double)]


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


class Part(ctypes.Structure):
    _fields_ = [("accel", c_void_p), ("scene", c_void_p), ("nested", c_void_p)]


# struct copse_rays, as bytes. That is quicker than a ctypes.Structure. Members: struct_size, count, memory; then address and
# stride of origins, directions, t_min and t_max.
_RAYS = struct.Struct("@NQi4xQQQQQQQQ")


def rays_struct(count: int, memory: int, *addresses_and_strides: int) -> bytes:
    """Returns a struct copse_rays. An address of 0 is NULL."""
    return _RAYS.pack(_RAYS.size, count, memory, *addresses_and_strides)


class MotionInstancesStruct(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("transforms", c_void_p),
        ("count", c_uint64),
        ("key_count", c_uint32),
        ("memory", c_int32),
        ("accels", c_void_p),
        ("masks", c_void_p),
        ("ids", c_void_p),
        ("flags", c_void_p),
    ]


class MotionSceneOptions(Struct):
    _fields_ = [("struct_size", c_size_t), ("quality", c_int32), ("tree_count", c_uint32), ("capacity", c_uint64)]


class TraceOptions(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("masks", c_void_p),
        ("masks_memory", c_int32),
        ("mask", c_uint32),
        ("cull", c_int32),
    ]


class CameraStruct(ctypes.Structure):
    _fields_ = [("eye", c_float * 3), ("forward", c_float * 3), ("right", c_float * 3), ("up", c_float * 3)]


class SceneMeshStruct(ctypes.Structure):
    _fields_ = [("geometries", c_void_p), ("geometry_count", c_uint64), ("colours", c_void_p)]


class RenderOptions(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("width", c_uint32),
        ("height", c_uint32),
        ("shading", c_int32),
        ("ambient_rays", c_uint32),
        ("ambient_distance", c_float),
        ("heat_limit", c_uint32),
    ]


class RebuildRule(Struct):
    _fields_ = [("struct_size", c_size_t), ("max_growth", c_double), ("max_refits", c_uint32)]


class TreeHistoryStruct(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("built_cost", c_double),
        ("cost", c_double),
        ("refits_since_build", c_uint32),
        ("refit_count", c_uint32),
        ("rebuild_count", c_uint32),
    ]


class SlicedBuildOptions(Struct):
    _fields_ = [("struct_size", c_size_t), ("memory_bytes", c_uint64), ("hploc_radius", c_uint32)]


class TriangleRecords(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("positions", c_void_p),
        ("vertex_count", c_uint64),
        ("position_stride", c_uint64),
        ("triangles", c_void_p),
        ("triangle_count", c_uint64),
        ("triangle_stride", c_uint64),
    ]


class TreeOptions(Struct):
    _fields_ = [("struct_size", c_size_t), ("builder", c_int32), ("layout", c_int32), ("reinsertion", c_uint32)]


class WalkStruct(Struct):
    """struct copse_walk, with the members of its hit. Numbers that are none are -1."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("t", c_float),
        ("primitive", c_int32),
        ("geometry", c_int32),
        ("u", c_float),
        ("v", c_float),
        ("leaf", c_int32),
        ("triangle_tests", c_uint32),
        ("node_count", c_uint64),
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
