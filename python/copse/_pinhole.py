"""Rays of a pinhole camera as Open3D makes them, and tensors of Open3D."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ._errors import ArrayError, InvalidArgument


def _is_tensor(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "open3d"


def to_numpy(value: Any) -> np.ndarray:
    """Returns an array, or a tensor of Open3D, as an array on the host."""
    if _is_tensor(value):
        return value.cpu().numpy()
    return np.asarray(value)


def giver(value: Any) -> Any:
    """Returns a function that makes results of the kind of the value."""
    if not _is_tensor(value):
        return lambda array: array
    from_numpy = sys.modules["open3d"].core.Tensor.from_numpy
    return lambda array: from_numpy(np.ascontiguousarray(array))


def of_matrices(intrinsic_matrix: Any, extrinsic_matrix: Any, width_px: int, height_px: int) -> Any:
    """Returns (height_px, width_px, 6) float32. See RaycastingScene.create_rays_pinhole."""
    intrinsic = np.asarray(to_numpy(intrinsic_matrix), np.float64)
    extrinsic = np.asarray(to_numpy(extrinsic_matrix), np.float64)
    if intrinsic.shape != (3, 3) or extrinsic.shape != (4, 4):
        raise ArrayError(f"the matrices have the shapes {intrinsic.shape} and {extrinsic.shape}; (3, 3) and (4, 4) are needed")
    if not abs(np.linalg.det(intrinsic)) > 0:
        raise InvalidArgument(f"the intrinsic matrix has the determinant {np.linalg.det(intrinsic)}; it cannot be inverted")
    _check_pixels(width_px, height_px)
    rotation, translation = extrinsic[:3, :3], extrinsic[:3, 3]
    x, y = np.meshgrid(np.arange(width_px) + 0.5, np.arange(height_px) + 0.5)
    pixels = np.stack([x, y, np.ones_like(x)], axis=-1)
    rays = np.empty((height_px, width_px, 6), np.float32)
    rays[..., :3] = -rotation.T @ translation
    rays[..., 3:] = pixels @ (rotation.T @ np.linalg.inv(intrinsic)).T
    return giver(intrinsic_matrix)(rays)


def of_view(fov_deg: float, center: Any, eye: Any, up: Any, width_px: int, height_px: int) -> Any:
    """Returns (height_px, width_px, 6) float32. See RaycastingScene.create_rays_pinhole."""
    if not 0 < fov_deg < 180:
        raise InvalidArgument(f"fov_deg is {fov_deg}; it can be more than 0 and less than 180")
    _check_pixels(width_px, height_px)
    at, position, upwards = (np.asarray(to_numpy(v), np.float64) for v in (center, eye, up))
    forward = _of_length_1("center minus eye", at - position)
    across = _of_length_1("the product of up and the direction of view", np.cross(upwards, forward))
    focal = 0.5 * width_px / np.tan(0.5 * np.radians(fov_deg))
    intrinsic = np.array([[focal, 0, 0.5 * width_px], [0, focal, 0.5 * height_px], [0, 0, 1]])
    extrinsic = np.eye(4)
    extrinsic[:3, :3] = np.stack([across, np.cross(forward, across), forward])
    extrinsic[:3, 3] = -extrinsic[:3, :3] @ position
    return giver(center)(of_matrices(intrinsic, extrinsic, width_px, height_px))


def _of_length_1(name: str, vector: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vector)
    if not 0 < length < np.inf:
        raise InvalidArgument(f"{name} has the length {length}; it needs a direction")
    return vector / length


def _check_pixels(width_px: int, height_px: int) -> None:
    for name, value in (("width_px", width_px), ("height_px", height_px)):
        if value < 1:
            raise InvalidArgument(f"{name} is {value}; it can be 1 or more")
