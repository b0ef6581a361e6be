"""Several GPUs of one machine, which share rays and questions."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Optional, Sequence

from ._build import build_options, check_device
from ._context import Handle, context_of
from ._errors import InvalidArgument, check_range
from ._geometry import Geometry, are_geometries, device_of, geometries_of_caller, structs_of
from ._library import call, library
from ._questions import Answering
from ._rays import Rays, Traceable
from ._records import Hits, Nearest, Neighbours
from ._results import Place
from ._structs import DevicesOptions
from ._versions import Versioned

_BACKENDS = {"auto": 0, "cpu": 1, "cuda": 2}


def gpu_count() -> int:
    """Returns how many GPUs answer."""
    return library.copse_gpu_count()


class Devices:
    """Several GPUs of one machine, for ReplicatedScene.

    count:  how many; 0: all GPUs, or one device of the CPU
    device: "cuda"; "auto": GPUs if one answers, else the CPU; or "cpu": 1 to 64 devices that share its cores. They do not make
            it faster: they show on any machine what a program does on several devices
    """

    def __init__(self, count: int = 0, *, device: str = "auto"):
        if device not in _BACKENDS:
            raise InvalidArgument(f'device is {device!r}; it can be "auto", "cpu" or "cuda"')
        check_range("count", count, 0, 2**32 - 1)
        made = c_void_p()
        call("copse_devices_create", byref(DevicesOptions(backend=_BACKENDS[device], count=count)), byref(made))
        self._handle = Handle("devices", made.value)
        self.device = "cuda:0" if library.copse_devices_backend(made) == _BACKENDS["cuda"] else "cpu"  #: the first one

    def __len__(self) -> int:
        return library.copse_devices_count(self._handle.address)

    def __repr__(self) -> str:
        return f"<copse.Devices: {len(self)}, the first is {self.device}>"

    def wait(self) -> None:
        """Waits for all work of all devices."""
        call("copse_devices_wait", self._handle.address)


class ReplicatedScene(Versioned, Traceable[Hits], Answering):
    """Triangles in a tree that each of several devices has. They share large batches of rays and points; answers equal those
    of a Scene, bit for bit. Arrays are on the host or on the first device. Calls wait for the answers.

    vertices, faces, convert: as Geometry takes them; or a list of Geometry objects
    devices: None: all GPUs
    quality, capacity, splits: as for Scene
    """

    _PREFIX = "copse_replicated_"
    _HITS, _NEAREST, _NEIGHBOURS, _OVERLAPS = Hits, Nearest, Neighbours, None

    def __init__(
        self,
        vertices: Any,
        faces: Any = None,
        *,
        devices: Optional[Devices] = None,
        quality: str = "balanced",
        capacity: int = 0,
        splits: float = 1,
        convert: bool = False,
    ):
        self.devices = Devices() if devices is None else devices
        self._context = context_of(self.devices.device)
        options = build_options(quality, capacity, splits)
        geometries = geometries_of_caller(vertices, faces, convert)
        self._wait_for(geometries)
        made = c_void_p()
        counted = (structs_of(geometries), len(geometries))
        call("copse_replicated_build", self.devices._handle.address, *counted, byref(options), byref(made))
        self._handle = Handle("replicated", made.value)
        self._keep(geometries)

    def __repr__(self) -> str:
        return f"<copse.ReplicatedScene of {self.triangle_count} triangles on {len(self.devices)} devices>"

    @property
    def triangle_count(self) -> int:
        """The number of triangles."""
        return library.copse_replicated_triangle_count(self._handle.address)

    @property
    def size_bytes(self) -> int:
        """Bytes of memory on all devices together."""
        return library.copse_replicated_size_bytes(self._handle.address)

    def refit(self, vertices: Any, *, convert: bool = False) -> None:
        """Fits the tree to vertices that have moved: as many as before, or a list of geometries with the same triangles."""
        self._change("refit", vertices, None, convert)

    def rebuild(self, vertices: Any, faces: Any = None, *, convert: bool = False) -> None:
        """Builds a new tree in the same memory. faces: None: the same as before."""
        self._change("rebuild", vertices, faces, convert)

    def _change(self, what: str, vertices: Any, faces: Any, convert: bool) -> None:
        if faces is None and not are_geometries(vertices) and len(self.geometries) == 1:
            geometries = [self.geometries[0].moved(vertices, convert)]
        else:
            geometries = geometries_of_caller(vertices, faces, convert)
        self._wait_for(geometries)
        call(self._PREFIX + what, self._handle.address, structs_of(geometries), len(geometries))
        self._keep(geometries)

    def _wait_for(self, geometries: Sequence[Geometry]) -> None:
        """Waits for what writes arrays on the first device: the devices have streams of their own."""
        check_device(self._context, geometries)
        array = device_of(geometries)
        if array is not None:
            self._context_for(array).wait()

    def closest_points(
        self, points: Any, *, max_distance: float = float("inf"), out: Optional[Nearest] = None, convert: bool = False
    ) -> Nearest:
        """Returns the point of the surface that is nearest to each point, as Scene.closest_points."""
        return self._closest_points(points, max_distance, out, convert)

    def contains(self, points: Any, *, out: Any = None, convert: bool = False) -> Any:
        """Returns (n,) bool: True where a point is inside the closed mesh, as Scene.contains."""
        return self._contains(points, out, convert)

    def signed_distance(self, points: Any, *, convert: bool = False) -> Any:
        """Returns (n,) float32: the distance to the surface of a closed mesh, negative inside, as Scene.signed_distance."""
        return self._signed_distance(points, convert)

    def k_nearest(
        self,
        points: Any,
        k: int,
        *,
        max_distance: float = float("inf"),
        out: Optional[Neighbours] = None,
        convert: bool = False,
    ) -> Neighbours:
        """Returns the k triangles nearest to each point, (n, k), nearest first, as Scene.k_nearest."""
        return self._k_nearest(points, k, max_distance, out, convert)

    def _trace(self, what: str, rays: Rays, *arguments: Any) -> None:
        self._run(what, rays.place, rays.struct, *arguments, rays.options())

    def _call(self, what: str, place: Place, *arguments: Any) -> None:
        self._run(what, place, *arguments)

    def _run(self, what: str, place: Place, *arguments: Any) -> None:
        if place.is_device:
            place.context.wait()
        call(self._PREFIX + what, self._handle.address, *arguments)
        if place.is_device:
            self.devices.wait()
