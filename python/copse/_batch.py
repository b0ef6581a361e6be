"""Trees of many small meshes, built together."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, List, Sequence

from . import _arrays
from ._build import check_device
from ._context import Handle, context_of, device_for
from ._device import OnDevice
from ._geometry import Geometry, device_of, structs_of
from ._library import call, library
from ._results import place_of
from ._structs import HOST
from ._versions import Versioned


class Batch(Versioned, OnDevice):
    """Trees of many meshes, built together: thousands of small ones take about as long as one mesh of as many triangles.
    Instances and Worlds take its meshes.

    meshes: Geometry objects, any sizes. Their arrays are read again by refit() and rebuild(): write new vertices to the
            same arrays
    device: as for Scene
    """

    def __init__(self, meshes: Sequence[Geometry], *, device: str = "auto"):
        self.meshes: List[Geometry] = list(meshes)
        device, on_stream = device_for(device, device_of(self.meshes))
        self._context = context_of(device, *on_stream)
        check_device(self._context, self.meshes)
        made = c_void_p()
        call("copse_batch_build", self._context.address, structs_of(self.meshes), len(self.meshes), byref(made))
        self._handle = Handle("batch", made.value)
        self._note_versions(self.meshes)

    def __len__(self) -> int:
        return len(self.meshes)

    def __repr__(self) -> str:
        return f"<copse.Batch of {len(self)} meshes, {self.triangle_count} triangles, on {self.device}>"

    @property
    def triangle_count(self) -> int:
        """The number of triangles."""
        return library.copse_batch_triangle_count(self._handle.address)

    @property
    def size_bytes(self) -> int:
        """Bytes of all its memory."""
        return library.copse_batch_size_bytes(self._handle.address)

    def refit(self, moved: Any = None) -> None:
        """Fits the trees to the vertices that are in the arrays now. Refit or rebuild instances and worlds after it.

        moved: (meshes,) int32 or uint32; meshes with a 0 stay as they are. None: all have moved
        """
        context, address, memory, _ = moved_words(self, moved, len(self))
        call("copse_batch_refit", context.address, self._handle.address, address, memory)
        self._note_versions(self.meshes)

    def rebuild(self) -> None:
        """Builds all trees anew over the triangles that are in the arrays now."""
        context = self._context_for(device_of(self.meshes))
        call("copse_batch_rebuild", context.address, self._handle.address)
        self._note_versions(self.meshes)


def moved_words(of: OnDevice, moved: Any, count: int) -> tuple:
    """Returns (context, address, memory, owner) of the words that say what has moved."""
    if moved is None:
        return of._context, None, HOST, None
    array = _arrays.read("moved", moved, [(count,)], ("int32", "uint32"), convert=None, packed=True)
    place_of(of._context, ("moved", array))
    return of._context_for(array), array.address or None, array.memory, array
