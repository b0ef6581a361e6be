"""bench/python-rays measures every way that can be imported, and the ways give the same answers."""

import importlib.util
import json
import os
import subprocess
import sys

PROGRAM = os.path.join(os.environ["COPSE_ASSETS"], "..", "bench", "python-rays")
QUESTIONS = ("camera", "all directions", "any hit", "all hits", "nearest points")


def test_ways_agree(tmp_path):
    out = tmp_path / "rays.json"
    command = [sys.executable, PROGRAM, "--rays", "3000", "--seconds", "0.5", "--cpu-time", "--out", str(out)]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    results = json.loads(out.read_text())
    context, rows = results["context"], {row["name"]: row for row in results["benchmarks"]}
    assert context["triangles"] == 80768 and context["rays"] == 3000 and context["threads"] >= 1 and context["clock"] == "processor"
    for column in ("one ray", *QUESTIONS):
        ours = rows[f"{column}/two arrays"]
        assert 1 <= ours["rays"] <= 3000 and ours["ms"] > 0 and ours["calls"] >= 3
    for way in ("C function, records", "records, out=", "copse.open3d", "copse.trimesh"):
        assert {row["column"] for row in rows.values() if row["way"] == way} >= {"one ray", "camera", "all directions"}
    for row in rows.values():  # Open3D of Debian 12 hits nothing: its rows say so
        assert row["way"] == "Open3D" or row["same"] >= 0.98, row
    for name, module in (("Open3D", "open3d"), ("trimesh, rtree", "rtree"), ("trimesh, Embree", "embreex")):
        if importlib.util.find_spec(module) is None:
            assert name in context["missing"] and f"camera/{name}" not in rows
    assert "all directions" in said.stdout and "two arrays" in said.stdout
