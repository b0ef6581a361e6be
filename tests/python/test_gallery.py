"""Every script of the gallery runs, and draws a picture."""

import glob
import os
import runpy
import struct
import sys
import zlib

import numpy as np
import pytest

HEIGHT = 48
FOLDER = os.environ.get("COPSE_GALLERY", os.path.join(os.path.dirname(__file__), "..", "..", "examples", "python", "gallery"))
SCRIPTS = sorted(name for name in glob.glob(os.path.join(FOLDER, "*.py")) if not name.endswith("gallery.py"))


def test_there_are_twelve():
    assert len(SCRIPTS) == 12


def pixels_of(path):
    """Returns the colours of a PNG file of 8 bits, and checks the sums of its chunks."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, parts = 8, {}
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", data, at + 8 + size)[0] == zlib.crc32(kind + body)
        parts[kind] = body
        at += size + 12
    width, height = struct.unpack_from(">II", parts[b"IHDR"])
    return np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)[:, 1:].reshape(height, width, 3)


@pytest.mark.filterwarnings("ignore::copse.NoGpuWarning")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: os.path.basename(path)[:-3])
def test_scripts(script, tmp_path, monkeypatch, capsys):
    if "torch" in os.path.basename(script):
        pytest.importorskip("torch")
    picture = str(tmp_path / "picture.png")
    monkeypatch.setattr(sys, "argv", [script, picture, str(HEIGHT)])
    monkeypatch.syspath_prepend(FOLDER)
    runpy.run_path(script, run_name="__main__")
    pixels = pixels_of(picture)
    assert pixels.shape[0] >= HEIGHT and pixels.shape[1] >= HEIGHT
    colours = np.unique(pixels.reshape(-1, 3), axis=0)
    assert len(colours) >= 6 and capsys.readouterr().out
