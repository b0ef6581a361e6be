"""What the scripts of the gallery share: meshes, cameras, colours, and a writer of PNG files."""

import os
import struct
import sys
import zlib

import copse
import numpy as np

ASSETS = os.path.join(os.path.dirname(__file__), "..", "..", "..", "assets")


def arguments():
    """Returns (path of the picture, its height) of the command line: OUTPUT.png [HEIGHT]."""
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(f"usage: {sys.argv[0]} OUTPUT.png [HEIGHT]")
    return sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 360


def asset(name):
    """Returns the path of a file that comes with Copse."""
    return os.path.join(os.environ.get("COPSE_ASSETS", ASSETS), name)


def cow():
    """Returns (vertices, faces) of the closed mesh spot.obj, which fits into the box from -1 to 1."""
    return copse.load_mesh(asset("spot.obj"))


def camera(eye, at, height, width=None, angle=40.0):
    """Returns (origin (3,), directions (n, 3)) of the rays through the pixels, row by row from the top."""
    width = width or height
    forward = np.subtract(at, eye) / np.linalg.norm(np.subtract(at, eye))
    right = np.cross(forward, [0, 1, 0])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    scale = np.tan(np.radians(angle / 2)) / height
    x, y = np.meshgrid(2 * np.arange(width) + 1 - width, height - 1 - 2 * np.arange(height))
    directions = forward + scale * (x[..., None] * right + y[..., None] * up)
    return np.array(eye, np.float32), directions.reshape(-1, 3).astype(np.float32)


def normals_of(hits, vertices, faces):
    """Returns (n, 3): the normals of the triangles that were hit; any where none was."""
    a, b, c = (vertices[faces[hits.primitive, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    return normal / np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-30)


def lit(normals, directions, colour=(0.85, 0.85, 0.85)):
    """Returns (n, 3) colours from 0 to 1, with a light beside the camera."""
    towards = -directions / np.linalg.norm(directions, axis=-1, keepdims=True) + np.array([0.3, 0.5, 0.2])
    towards /= np.linalg.norm(towards, axis=-1, keepdims=True)
    return np.abs((normals * towards).sum(-1, keepdims=True)) ** 0.8 * np.asarray(colour)


def scale_of(values, low, high):
    """Returns (..., 3) colours from dark blue at `low` over green to yellow at `high`."""
    stops = np.array([[0.27, 0, 0.33], [0.23, 0.32, 0.55], [0.13, 0.57, 0.55], [0.37, 0.79, 0.38], [0.99, 0.91, 0.14]])
    at = np.clip((np.asarray(values, np.float64) - low) / (high - low), 0, 1) * (len(stops) - 1)
    return np.stack([np.interp(at, np.arange(len(stops)), stops[:, k]) for k in range(3)], axis=-1)


def write_png(path, image):
    """Writes (height, width, 3) colours from 0 to 1."""
    pixels = (np.clip(image, 0, 1) * 255 + 0.5).astype(np.uint8)
    height, width = pixels.shape[:2]
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))
