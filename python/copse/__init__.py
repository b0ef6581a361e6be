"""Copse: rays and nearest points of triangle meshes, on a GPU or on the CPU, equal bit for bit.

>>> import copse, numpy
>>> vertices, faces = copse.load_mesh("testball.ply")
>>> scene = copse.Scene(vertices, faces)                     # the GPU if one answers, else all CPU threads
>>> hits = scene.cast_rays(origins, directions)              # (n, 3) float32; .t .primitive .u .v
>>> scene.occluded(origins, directions)                      # (n,) bool
>>> scene.signed_distance(points)                            # (n,) float32, negative inside
>>> copse.save_png("ball.png", scene.render())               # a look at it

Arrays are used in place: NumPy, PyTorch, CuPy, Numba, Warp, JAX and all else that has the buffer protocol,
__array_interface__, __dlpack__ or, on a GPU, __cuda_array_interface__. Results are of the caller's kind. float32 and
packed rows are needed; other arrays are refused, unless convert=True asks for a copy.
"""

from ._advisor import RebuildAdvisor, TreeHistory
from ._batch import Batch
from ._build import Stats
from ._camera import Camera
from ._context import device_report
from ._devices import Devices, ReplicatedScene, gpu_count
from ._errors import (
    ArrayError,
    BadFile,
    Cancelled,
    Capacity,
    DeviceFailure,
    Error,
    ForkError,
    InternalError,
    InvalidArgument,
    NoDevice,
    NoGpuWarning,
    OutOfMemory,
    StaleTree,
)
from ._geometry import Geometry
from ._instances import Instances
from ._library import library as _library
from ._motion import MotionScene
from ._motion_instances import MOTION_TRANSFORM, MotionInstances, motion_transforms
from ._nested import NestedInstances
from ._points import KdTree, PointBvh, PointGrid, PointSet
from ._records import (
    Hits,
    InstanceHits,
    InstanceNearest,
    InstanceNeighbours,
    InstanceOverlaps,
    Nearest,
    Neighbours,
    NestedHits,
    NestedNearest,
    NestedNeighbours,
    NestedOverlaps,
    PointNeighbours,
)
from ._results import DeviceArray
from ._mapped_mesh import MappedMesh
from ._mesh import load_mesh, parse_mesh
from ._picture import save_png
from ._scene import Scene, load
from ._scene_file import SceneFile, SceneMesh, load_scene
from ._slices import build_in_slices
from ._tree import Tree, Visits, Walk
from ._voxels import Bricks, DistanceField, Voxels
from ._worlds import Worlds

__version__ = _library.copse_version().decode()
__all__ = [
    "ArrayError",
    "BadFile",
    "Batch",
    "Bricks",
    "Camera",
    "Cancelled",
    "Capacity",
    "DeviceArray",
    "DeviceFailure",
    "Devices",
    "DistanceField",
    "Error",
    "ForkError",
    "Geometry",
    "Hits",
    "InstanceHits",
    "InstanceNearest",
    "InstanceNeighbours",
    "InstanceOverlaps",
    "Instances",
    "InternalError",
    "InvalidArgument",
    "KdTree",
    "MOTION_TRANSFORM",
    "MappedMesh",
    "MotionInstances",
    "MotionScene",
    "Nearest",
    "Neighbours",
    "NestedHits",
    "NestedInstances",
    "NestedNearest",
    "NestedNeighbours",
    "NestedOverlaps",
    "NoDevice",
    "NoGpuWarning",
    "OutOfMemory",
    "PointBvh",
    "PointGrid",
    "PointNeighbours",
    "PointSet",
    "RebuildAdvisor",
    "ReplicatedScene",
    "Scene",
    "SceneFile",
    "SceneMesh",
    "StaleTree",
    "Stats",
    "Tree",
    "TreeHistory",
    "Visits",
    "Voxels",
    "Walk",
    "Worlds",
    "build_in_slices",
    "device_report",
    "gpu_count",
    "load",
    "load_mesh",
    "load_scene",
    "motion_transforms",
    "parse_mesh",
    "save_png",
]
