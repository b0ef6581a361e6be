"""Cameras."""

from __future__ import annotations

from ctypes import addressof
from dataclasses import dataclass
from typing import Any, Tuple

import numpy as np

from ._errors import ArrayError, InvalidArgument, check_range
from ._library import call
from ._structs import CameraStruct


def _point(name: str, value: Any) -> np.ndarray:
    """Returns (3,) float32 of three numbers of a caller."""
    array = np.asarray(value)
    if array.shape != (3,) or array.dtype.kind not in "iuf":
        raise ArrayError(f"{name} has the shape {array.shape} of {array.dtype}; (3,) of numbers is needed")
    return np.ascontiguousarray(array, np.float32)


def check_size(width: int, height: int) -> Tuple[int, int]:
    """Returns the size of a picture. Raises InvalidArgument if it is out of range."""
    for name, value in (("width", width), ("height", height)):
        if not isinstance(value, (int, np.integer)):
            raise InvalidArgument(f"{name} is a {type(value).__name__}; a whole number of pixels is needed")
        check_range(name, value, 1, 16384)
    return int(width), int(height)


@dataclass(frozen=True, eq=False)
class Camera:
    """A pinhole camera: rays from `eye` through the centres of pixels. look_at() and frame() make one.

    eye, forward, right, up: (3,) float32: the position, and directions to the middle of the picture, from there to its right
                             edge, and from there to its upper edge
    """

    eye: np.ndarray
    forward: np.ndarray
    right: np.ndarray
    up: np.ndarray

    def __post_init__(self) -> None:
        for name in ("eye", "forward", "right", "up"):
            object.__setattr__(self, name, _point(name, getattr(self, name)))

    @classmethod
    def look_at(
        cls, eye: Any, target: Any, up: Any = (0, 1, 0), *, field_of_view: float = 40.0, aspect: float = 4 / 3
    ) -> "Camera":
        """Returns a camera at `eye` that looks at `target`.

        eye, target: (3,) numbers
        up:          (3,) numbers, which way is up in the picture; if it lies along the view, another direction replaces it
        field_of_view: vertical, in degrees, more than 0 and less than 180
        aspect:      width over height
        """
        points = [_point(name, value) for name, value in (("eye", eye), ("target", target), ("up", up))]
        struct = CameraStruct()
        addresses = [point.ctypes.data for point in points]
        call("copse_camera_look_at", *addresses, field_of_view, aspect, addressof(struct))
        return cls._of(struct)

    @classmethod
    def frame(cls, lower: Any, upper: Any, *, field_of_view: float = 40.0, aspect: float = 4 / 3) -> "Camera":
        """Returns a camera that sees all of the box from `lower` to `upper`, (3,) each, from an oblique direction, with y up.

        field_of_view, aspect: as for look_at
        """
        corners = [_point("lower", lower), _point("upper", upper)]
        struct = CameraStruct()
        addresses = [corner.ctypes.data for corner in corners]
        call("copse_camera_frame", *addresses, field_of_view, aspect, addressof(struct))
        return cls._of(struct)

    @classmethod
    def _of(cls, struct: CameraStruct) -> "Camera":
        return cls(*(np.array(part, np.float32) for part in (struct.eye, struct.forward, struct.right, struct.up)))

    def _struct(self) -> CameraStruct:
        struct = CameraStruct()
        for name in ("eye", "forward", "right", "up"):
            getattr(struct, name)[:] = getattr(self, name).tolist()
        return struct

    def rays(self, width: int, height: int) -> np.ndarray:
        """Returns (height * width, 8) float32: the rays through the pixels, row by row from the upper left, as cast_rays takes
        them. Their directions have length 1, so t is the distance from the eye. They are those of Scene.render, bit for bit.
        """
        width, height = check_size(width, height)
        half, two, one = np.float32(0.5), np.float32(2), np.float32(1)
        s = (np.arange(width, dtype=np.float32) + half) * two / np.float32(width) - one
        t = one - (np.arange(height, dtype=np.float32) + half) * two / np.float32(height)
        towards = self.forward + (s[None, :, None] * self.right + t[:, None, None] * self.up)
        x, y, z = (towards[..., axis] for axis in range(3))
        rays = np.zeros((height, width, 8), np.float32)
        rays[..., 0:3], rays[..., 7] = self.eye, np.inf
        rays[..., 4:7] = towards / np.sqrt(x * x + y * y + z * z)[..., None]
        return rays.reshape(-1, 8)
