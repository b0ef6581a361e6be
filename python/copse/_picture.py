"""Pictures of scenes, and files of pictures."""

from __future__ import annotations

import os
from ctypes import addressof, byref
from typing import Any, Callable, Optional, Union

import numpy as np

from ._build import Stats
from ._camera import Camera, check_size
from ._device import OnDevice
from ._errors import ArrayError, InvalidArgument, check_range
from ._library import call
from ._structs import RenderOptions

SHADINGS = {"normal": 0, "primitive": 1, "distance": 2, "ambient_occlusion": 3, "heat": 4}


class Drawn(OnDevice):
    """What pictures can be made of: a Scene, or Instances."""

    stats: Callable[[], Stats]

    def _draw(self, camera: int, options: Any, pixels: int) -> None:
        """Stores a picture at the address `pixels`."""
        call("copse_accel_render", self._context.address, self._handle.address, camera, options, pixels)

    def render(
        self,
        width: int = 640,
        height: int = 480,
        camera: Optional[Camera] = None,
        *,
        shading: str = "normal",
        ambient_rays: int = 32,
        ambient_distance: float = 0.0,
        heat_limit: int = 0,
    ) -> np.ndarray:
        """Returns a picture: (height, width, 4) uint8 of red, green, blue and alpha, on the host. It is equal on all devices, bit
        for bit, but for heat.

        width, height:    pixels, 1 to 16,384 each
        camera:           None: one that sees all triangles from an oblique direction, with y up
        shading:          "normal": a lamp at the eye; "primitive": a colour for each triangle, or instance; "distance": near bright,
                          far dark; "ambient_occlusion": the share of short rays from the surface that hit nothing; "heat": the
                          number of nodes and triangles that a ray visits
        ambient_rays:     for ambient occlusion: rays per pixel, 1 to 4096
        ambient_distance: for ambient occlusion: how far these rays reach; 0: a quarter of the diagonal of the box
        heat_limit:       for heat: the visits that count as hottest; 0: the most of the picture
        """
        self.check_versions()
        width, height = check_size(width, height)
        if shading not in SHADINGS:
            raise InvalidArgument(f"shading is {shading!r}; it can be " + ", ".join(f'"{name}"' for name in SHADINGS))
        if camera is None:
            box = self.stats()
            camera = Camera.frame(box.lower, box.upper, aspect=width / height)
        if not isinstance(camera, Camera):
            raise InvalidArgument(f"camera is a {type(camera).__name__}; a copse.Camera is needed")
        check_range("ambient_rays", ambient_rays, 1, 4096)
        check_range("heat_limit", heat_limit, 0, 2**32 - 1)
        options = RenderOptions(
            width=width,
            height=height,
            shading=SHADINGS[shading],
            ambient_rays=ambient_rays,
            ambient_distance=ambient_distance,
            heat_limit=heat_limit,
        )
        pixels = np.empty((height, width, 4), np.uint8)
        eye = camera._struct()
        self._draw(addressof(eye), byref(options), pixels.ctypes.data)
        return pixels


def save_png(path: Union[str, "os.PathLike[str]"], picture: Any) -> None:
    """Writes a picture as a PNG file.

    picture: (height, width, 3) or (height, width, 4) uint8: red, green, blue and, if it is there, alpha
    """
    array = np.asarray(picture)
    if array.ndim != 3 or array.shape[2] not in (3, 4) or array.dtype != np.uint8:
        raise ArrayError(
            f"picture has the shape {array.shape} of {array.dtype}; (height, width, 3) or (height, width, 4) of uint8 is needed"
        )
    height, width = array.shape[:2]
    pixels = np.full((height, width, 4), 255, np.uint8)
    pixels[..., : array.shape[2]] = array
    call("copse_save_png", os.fsencode(path), pixels.ctypes.data, width, height)
