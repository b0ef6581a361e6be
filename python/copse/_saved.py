"""Scenes in files, and in pickles."""

from __future__ import annotations

import os
import tempfile
from ctypes import byref, c_void_p
from typing import Union

from ._context import Handle, automatic_device, context_of
from ._device import OnDevice
from ._geometry import structs_of
from ._library import call
from ._mapped_mesh import mapped_mesh_of
from ._mesh import geometries_of
from ._versions import Versioned


class Saved(Versioned, OnDevice):
    """What can be written to a .copse file: a Scene."""

    quality: str

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the tree and its triangles to a .copse file, which load(), C, C++ and the command line read."""
        name, mapped = os.fsencode(path), mapped_mesh_of(self.geometries)
        context, accel = self._context.address, self._handle.address
        if mapped is not None:
            call("copse_mapped_mesh_save", context, mapped._handle.address, accel, name)
            return
        structs = structs_of(self.geometries)
        call("copse_accel_save", context, accel, name, structs, len(self.geometries))

    def __getstate__(self) -> dict:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.copse")
            self.save(path)
            with open(path, "rb") as file:
                return {"file": file.read(), "device": self.device, "quality": self.quality}

    def __setstate__(self, state: dict) -> None:
        device = state["device"]
        if device != "cpu":
            device = automatic_device()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.copse")
            with open(path, "wb") as file:
                file.write(state["file"])
            self._load(path, device)
        self.quality = state["quality"]

    def _load(self, path: Union[str, "os.PathLike[str]"], device: str, mmap: bool = False) -> None:
        self._context = context_of(device)
        accel, mesh = c_void_p(), c_void_p()
        if mmap:
            call("copse_accel_map", self._context.address, os.fsencode(path), 0, byref(accel), byref(mesh))
        else:
            call("copse_accel_load", self._context.address, os.fsencode(path), byref(accel), byref(mesh))
        self._handle, self.quality = Handle("accel", accel.value), "balanced"
        self._keep(geometries_of(Handle("mesh", mesh.value)))
