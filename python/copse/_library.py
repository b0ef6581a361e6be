"""The shared library of the C interface, and its functions. copse/c.h describes them."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char_p, c_float, c_int32, c_uint32, c_uint64, c_void_p
from typing import Any, Dict, List, Tuple

from ._errors import BY_STATUS, InternalError

_P = c_void_p  # handles and arrays
_U64, _I32 = c_uint64, c_int32
_ARRAY = [_P, _I32]  # an address and where it is
_COUNTED = [_P, _U64, _I32]  # an address, a count and where it is

# Functions that return a status, and the types of their arguments.
_CALLS: Dict[str, List[Any]] = {
    "copse_context_create": [_P, POINTER(_P)],
    "copse_context_wait": [_P],
    "copse_buffer_create": [_P, _U64, POINTER(_P)],
    "copse_upload": [_P, _P, _P, _U64],
    "copse_download": [_P, _P, _P, _U64],
    "copse_mesh_load": [c_char_p, POINTER(_P)],
    "copse_mesh_parse": [c_char_p, _U64, c_char_p, POINTER(_P)],
    "copse_mesh_geometry": [_P, _U64, _P],
    "copse_tree_build": [_P, _P, _U64, _P, POINTER(_P)],
    "copse_tree_of_accel": [_P, _P, POINTER(_P)],
    "copse_tree_stats": [_P, _P, _P],
    "copse_tree_checksum": [_P, _P, POINTER(_U64)],
    "copse_tree_nodes": [_P, _P, POINTER(_P), POINTER(_U64)],
    "copse_tree_triangles": [_P, _P, POINTER(_P), POINTER(_U64)],
    "copse_tree_walk": [_P, _P, _P, _P, _P, _U64],
    "copse_tree_visits": [_P, _P, _P, *_ARRAY],
    "copse_accel_build": [_P, _P, _U64, _P, POINTER(_P)],
    "copse_accel_rebuild": [_P, _P, _P, _U64],
    "copse_accel_refit": [_P, _P, _P, _U64],
    "copse_accel_compact": [_P, _P],
    "copse_accel_stats": [_P, _P, _P],
    "copse_accel_save": [_P, _P, c_char_p, _P, _U64],
    "copse_accel_load": [_P, c_char_p, POINTER(_P), POINTER(_P)],
    "copse_accel_map": [_P, c_char_p, c_int32, POINTER(_P), POINTER(_P)],
    "copse_accel_render": [_P, _P, _P, _P, _P],
    "copse_scene_render": [_P, _P, _P, _U64, *_COUNTED, _P, _P, _P],
    "copse_accel_build_in_slices": [_P, _P, _P, _U64, _P, POINTER(_P)],
    "copse_mapped_mesh_open": [c_char_p, POINTER(_P)],
    "copse_mapped_mesh_records": [_P, _P],
    "copse_mapped_mesh_build_in_slices": [_P, _P, _P, _P, POINTER(_P)],
    "copse_mapped_mesh_save": [_P, _P, _P, c_char_p],
    "copse_accel_refit_or_rebuild": [_P, _P, _P, _U64, _P],
    "copse_advisor_create": [_P, _P, _P, POINTER(_P)],
    "copse_advisor_note_build": [_P, _P, _P],
    "copse_advisor_history": [_P, _P, _P],
    "copse_camera_look_at": [_P, _P, _P, c_float, c_float, _P],
    "copse_camera_frame": [_P, _P, c_float, c_float, _P],
    "copse_save_png": [c_char_p, _P, c_uint32, c_uint32],
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
    "copse_scene_stats": [_P, _P, _P],
    "copse_nested_build": [_P, _P, _U64, *_COUNTED, _P, POINTER(_P)],
    "copse_devices_create": [_P, POINTER(_P)],
    "copse_devices_wait": [_P],
    "copse_replicated_build": [_P, _P, _U64, _P, POINTER(_P)],
    "copse_replicated_rebuild": [_P, _P, _U64],
    "copse_replicated_refit": [_P, _P, _U64],
    "copse_replicated_closest_hits": [_P, _P, *_ARRAY, _P],
    "copse_replicated_any_hits": [_P, _P, *_ARRAY, _P],
    "copse_replicated_nearest_points": [_P, *_COUNTED, c_float, *_ARRAY],
    "copse_replicated_k_nearest": [_P, *_COUNTED, c_uint32, c_float, *_ARRAY],
    "copse_replicated_points_inside": [_P, *_COUNTED, *_ARRAY],
    "copse_motion_transforms_of": [_P, _U64, _P],
    "copse_motion_scene_build": [_P, _P, _U64, _P, _U64, _P, _P, POINTER(_P)],
    "copse_motion_scene_rebuild": [_P, _P, _P],
    "copse_motion_scene_refit": [_P, _P, _P],
}

# Rays and questions have the same arguments for all structures, but for masks.
_RAYS_AND_RESULTS = [_P, _P, _P, *_ARRAY, _P]
_CALLS["copse_tree_closest_hits"] = _CALLS["copse_tree_any_hits"] = _RAYS_AND_RESULTS
_MASKS: List[Tuple[str, List[Any]]] = [("", []), ("scene_", [c_uint32]), ("nested_", [c_uint32])]
for _of, _mask in _MASKS:
    _CALLS[f"copse_{_of}closest_hits"] = _CALLS[f"copse_{_of}any_hits"] = _RAYS_AND_RESULTS
    _CALLS[f"copse_{_of}first_hits"] = [_P, _P, _P, c_uint32, *_ARRAY, *_ARRAY, _P]
    _CALLS[f"copse_{_of}find_hits"] = [_P, _P, _P, *_ARRAY, *_COUNTED, _P]
    _CALLS[f"copse_{_of}nearest_points"] = [_P, _P, *_COUNTED, c_float, *_mask, *_ARRAY]
    _CALLS[f"copse_{_of}k_nearest"] = [_P, _P, *_COUNTED, c_uint32, c_float, *_mask, *_ARRAY]
    _CALLS[f"copse_{_of}points_inside"] = [_P, _P, *_COUNTED, *_mask, *_ARRAY]
    _CALLS[f"copse_{_of}find_overlaps"] = [_P, _P, _I32, *_COUNTED, *_mask, *_ARRAY, *_COUNTED]
for _of in ("motion", "motion_scene"):
    _CALLS[f"copse_{_of}_closest_hits"] = _CALLS[f"copse_{_of}_any_hits"] = [_P, _P, _P, *_ARRAY, c_float, *_ARRAY, _P]
for _of in ("scene", "nested"):
    _CALLS[f"copse_{_of}_rebuild"] = _CALLS[f"copse_{_of}_refit"] = [_P, _P, *_COUNTED]

# Functions that return a value.
_VALUES: Dict[str, Tuple[List[Any], Any]] = {
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
    "copse_nested_instance_count": ([_P], _U64),
    "copse_nested_level_count": ([_P], c_uint32),
    "copse_nested_size_bytes": ([_P], _U64),
    "copse_points_count": ([_P], _U64),
    "copse_points_size_bytes": ([_P], _U64),
    "copse_voxels_words": ([_P], _P),
    "copse_bricks_keys": ([_P], _P),
    "copse_bricks_words": ([_P], _P),
    "copse_bricks_values": ([_P], _P),
    "copse_gpu_count": ([], c_uint32),
    "copse_devices_count": ([_P], c_uint32),
    "copse_devices_backend": ([_P], _I32),
    "copse_replicated_triangle_count": ([_P], _U64),
    "copse_replicated_size_bytes": ([_P], _U64),
    "copse_motion_triangle_count": ([_P], _U64),
    "copse_motion_key_count": ([_P], c_uint32),
    "copse_motion_size_bytes": ([_P], _U64),
    "copse_motion_scene_instance_count": ([_P], _U64),
    "copse_motion_scene_key_count": ([_P], c_uint32),
    "copse_motion_scene_size_bytes": ([_P], _U64),
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
}

_HANDLES = "context buffer mesh accel scene nested points voxels bricks motion batch worlds scene_file motion_scene devices "
_HANDLES += "replicated advisor tree mapped_mesh"
_VALUES.update({f"copse_{kind}_destroy": ([_P], None) for kind in _HANDLES.split()})


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


