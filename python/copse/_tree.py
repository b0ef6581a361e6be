"""A look into trees."""

from __future__ import annotations

from ctypes import byref, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any, NamedTuple, Tuple

import numpy as np

from ._build import Stats, check_device
from ._context import Handle, context_of, device_for
from ._errors import InvalidArgument, check_range
from ._geometry import device_of, geometries_of_caller, structs_of
from ._library import call
from ._mesh import OfLibrary
from ._rays import RayOptions, Traceable
from ._records import Hits, Records, records_for
from ._structs import StatsStruct, TreeOptions, WalkStruct

if TYPE_CHECKING:
    from typing_extensions import Unpack

_BUILDERS = ("lbvh", "hploc", "sah")
_LAYOUTS = ("bvh2", "bvh4", "cbvh4", "cbvh8")
_NODE = np.dtype(
    [
        ("lower", "<f4", (3,)),
        ("upper", "<f4", (3,)),
        ("parent", "<i4"),
        ("depth", "<i4"),
        ("first_child", "<i4"),
        ("child_count", "<i4"),
        ("first_triangle", "<i4"),
        ("triangle_count", "<i4"),
    ]
)
_TRIANGLE = np.dtype([("primitive", "<i4"), ("geometry", "<i4")])


class Visits(Records):
    """How much rays visit on the way to their closest hits."""

    _dtype = np.dtype([("nodes", "<i4"), ("triangles", "<i4")])

    @property
    def nodes(self) -> Any:
        """int32. The leaves of the layout bvh2 are nodes, those of other layouts are not."""
        return self._field("nodes")

    @property
    def triangles(self) -> Any:
        """int32. Triangles that the ray is tested against."""
        return self._field("triangles")


class Walk(NamedTuple):
    """The path of a ray through a tree to its closest hit."""

    nodes: np.ndarray  #: int32: the nodes that it visits, in order, leaves too
    leaf: int  #: the node that has the triangle of the hit, or -1
    triangle_tests: int
    t: float  #: of the hit; infinite on a miss
    primitive: int  #: number of the triangle in its geometry, or -1
    geometry: int  #: id of the geometry, or -1


class Tree(Traceable[Hits]):
    """A tree by a builder and in a layout of your choice, to study it or to compare it. For rays alone a Scene is better.

    vertices, faces, convert: as Geometry takes them; or a list of geometries in place of vertices
    builder:     "lbvh", "hploc" or "sah"
    layout:      "bvh2", "bvh4", "cbvh4", which a Scene has, or "cbvh8"
    reinsertion: passes that move large subtrees to better places, 0 to 16
    device:      "auto": where the vertices are, else the GPU if one answers, else the CPU; "cpu", "cuda" or "cuda:N"
    """

    _PREFIX = "copse_tree_"
    _HITS = Hits

    def __init__(
        self,
        vertices: Any,
        faces: Any = None,
        *,
        builder: str = "hploc",
        layout: str = "cbvh4",
        reinsertion: int = 0,
        device: str = "auto",
        convert: bool = False,
    ):
        check_range("reinsertion", reinsertion, 0, 16)
        options = TreeOptions(
            builder=_place_of("builder", builder, _BUILDERS),
            layout=_place_of("layout", layout, _LAYOUTS),
            reinsertion=reinsertion,
        )
        geometries = geometries_of_caller(vertices, faces, convert)
        device, on_stream = device_for(device, device_of(geometries))
        self._context = context_of(device, *on_stream)
        check_device(self._context, geometries)
        made = c_void_p()
        structs = structs_of(geometries)
        call("copse_tree_build", self._context.address, structs, len(geometries), byref(options), byref(made))
        self._handle = Handle("tree", made.value)

    @classmethod
    def _of_accel(cls, context: Any, accel: Handle) -> "Tree":
        tree = cls.__new__(cls)
        made = c_void_p()
        call("copse_tree_of_accel", context.address, accel.address, byref(made))
        tree._context, tree._handle = context, Handle("tree", made.value)
        return tree

    def __repr__(self) -> str:
        return f"<copse.Tree of {len(self.nodes)} nodes on {self.device}>"

    @property
    def nodes(self) -> np.ndarray:
        """All nodes, on the host, with fields lower, upper, parent (-1 at the root), depth, first_child, child_count,
        first_triangle and triangle_count. The root is first, then all levels. The children of a node are nodes[first_child:
        first_child + child_count]; a leaf has triangles[first_triangle: first_triangle + triangle_count]."""
        return self._array("nodes", _NODE)

    @property
    def triangles(self) -> np.ndarray:
        """The triangles of all leaves, on the host, with fields primitive and geometry."""
        return self._array("triangles", _TRIANGLE)

    def _array(self, name: str, dtype: np.dtype) -> np.ndarray:
        address, count = c_void_p(), c_uint64()
        call(self._PREFIX + name, self._context.address, self._handle.address, byref(address), byref(count))
        if count.value == 0:
            return np.empty(0, dtype)
        bytes_ = OfLibrary(self._handle, address.value, (count.value * dtype.itemsize,), "|u1", is_constant=True)
        return np.asarray(bytes_).view(dtype)

    def stats(self) -> Stats:
        """Measures the tree. In node_count, the leaves of the layout bvh2 are nodes, those of other layouts are not."""
        struct = StatsStruct()
        call("copse_tree_stats", self._context.address, self._handle.address, byref(struct))
        return Stats._of(struct)

    @property
    def checksum(self) -> int:
        """A checksum, equal on all devices and machines. `copse build` prints it, in hexadecimal."""
        checksum = c_uint64()
        call("copse_tree_checksum", self._context.address, self._handle.address, byref(checksum))
        return checksum.value

    def visits(
        self, origins: Any, directions: Any = None, *, out: Any = None, **options: Unpack[RayOptions]
    ) -> Visits:
        """Returns how much every ray visits, which tells where the tree is expensive. Devices differ by a few visits.

        Arguments are those of cast_rays, without mask, masks and cull.
        """
        for name in ("mask", "masks", "cull"):
            if name in options:
                raise InvalidArgument(f"{name} is given, but visits are counted for all triangles")
        rays = self._rays(origins, directions, **options)
        visits = records_for(Visits, out, rays.place, (rays.count,))
        call(self._PREFIX + "visits", rays.place.context.address, self._handle.address, rays.struct, *visits._target)
        return visits

    def walk(self, origin: Any, direction: Any, *, t_min: float = 0.0, t_max: float = float("inf")) -> Walk:
        """Returns the path of one ray to its closest hit. It runs on the host.

        origin, direction: three numbers each
        """
        ray = np.empty(8, np.float32)
        ray[:3], ray[3], ray[4:7], ray[7] = origin, t_min, direction, t_max
        nodes, struct = np.empty(256, np.int32), WalkStruct()
        while True:
            where = (ray.ctypes.data, byref(struct), nodes.ctypes.data, len(nodes))
            call("copse_tree_walk", self._context.address, self._handle.address, *where)
            if struct.node_count <= len(nodes):
                break
            nodes = np.empty(struct.node_count, np.int32)
        return Walk(
            nodes[: struct.node_count],
            *(struct.leaf, struct.triangle_tests, struct.t, struct.primitive, struct.geometry),
        )


def _place_of(what: str, name: str, names: Tuple[str, ...]) -> int:
    if name not in names:
        known = ", ".join(f'"{each}"' for each in names[:-1])
        raise InvalidArgument(f'{what} is {name!r}; it can be {known} or "{names[-1]}"')
    return names.index(name)
