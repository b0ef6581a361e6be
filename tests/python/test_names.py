"""What every public name must have: words for what it is, and types of all that it takes and returns."""

import copy
import importlib
import inspect
import os
import pickle
import sys

import copse
import copse.open3d
import copse.trimesh
import numpy as np
import pytest

import oracle


def modules():
    found = [copse, copse.open3d, copse.trimesh]
    try:
        found.append(importlib.import_module("copse.torch"))
    except ImportError:
        pass
    return found


def public_objects():
    """Returns (name, object) of all that users may name: functions, classes, and members of classes."""
    for module in modules():
        names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
        for name in names:
            value = getattr(module, name)
            if not (inspect.isclass(value) or inspect.isfunction(value)):
                continue
            if not value.__module__.startswith("copse") or (module is not copse and value.__module__ != module.__name__):
                continue
            yield f"{module.__name__}.{name}", value
            if not inspect.isclass(value) or issubclass(value, BaseException):
                continue
            for member in dir(value):
                found = inspect.getattr_static(value, member)
                if member.startswith("_") or not is_ours(value, member):
                    continue
                if isinstance(found, (staticmethod, classmethod)):
                    found = found.__func__
                if inspect.isfunction(found) or isinstance(found, property):
                    yield f"{module.__name__}.{name}.{member}", found


def is_ours(kind, member):
    """Returns whether a class of the package, and not one of Python, defines a member."""
    return any(member in vars(base) and base.__module__.startswith("copse") for base in kind.__mro__)


OBJECTS = dict(public_objects())
RESULTS = [name for name, value in OBJECTS.items() if inspect.isclass(value) and issubclass(value, copse.Hits.__mro__[-2])]


def test_all_is_what_can_be_named():
    assert len(OBJECTS) > 150
    assert sorted(copse.__all__) == copse.__all__ and len(set(copse.__all__)) == len(copse.__all__)
    assert os.path.exists(os.path.join(os.path.dirname(copse.__file__), "py.typed"))


@pytest.mark.parametrize("name", OBJECTS)
def test_words(name):
    words = inspect.getdoc(OBJECTS[name])
    assert words and len(words) > 10, f"{name} has no description"
    if name.rpartition(".")[0] in RESULTS and isinstance(OBJECTS[name], property) and not name.endswith("records"):
        assert "int" in words or "float" in words, f"{name} is an array of which type?"


@pytest.mark.parametrize("name", [name for name, value in OBJECTS.items() if inspect.isfunction(value)])
def test_types(name):
    parts = inspect.signature(OBJECTS[name])
    assert parts.return_annotation is not inspect.Signature.empty, f"{name} returns what?"
    for part in parts.parameters.values():
        if part.name not in ("self", "cls"):
            assert part.annotation is not inspect.Parameter.empty, f"{name}: {part.name} has no type"


USES = """
import copse
import numpy as np

scene = copse.Scene(np.zeros((3, 3), np.float32), np.zeros((1, 3), np.int32), quality="fast")
rays = np.zeros((4, 8), np.float32)
hits: copse.Hits = scene.cast_rays(rays, t_max=3.0)
several: copse.Hits = scene.all_hits(rays)[1]
instances = copse.Instances(scene, np.eye(4)[None])
placed: copse.InstanceHits = instances.first_k(rays, k=2, cull="back")
nearest: copse.InstanceNearest = instances.closest_points(rays)
deep: copse.NestedHits = copse.NestedInstances([instances], np.eye(4)[None]).cast_rays(rays)
moved: copse.InstanceHits = copse.MotionInstances([scene], [1, 2]).cast_rays(rays, times=0.5)
picture: np.ndarray = scene.render(camera=copse.Camera.look_at([0, 0, 1], [0, 0, 0]))
"""
MISUSES = """
import copse
import numpy as np

scene = copse.Scene(np.zeros((3, 3), np.float32), qualities="fast")
near: copse.Nearest = scene.cast_rays(np.zeros((4, 8), np.float32))
scene.cast_rays(np.zeros((4, 8), np.float32), tmax=3.0)
copse.RebuildAdvisor(3)
"""


def test_a_type_checker_knows_results_and_mistakes(tmp_path):
    api = pytest.importorskip("mypy.api")
    options = ["--enable-incomplete-feature=Unpack", "--ignore-missing-imports", "--cache-dir", str(tmp_path / "cache")]
    options += ["--python-executable", sys.executable]
    said, errors, status = api.run([*options, "-p", "copse"])
    assert status == 0, said + errors
    for name, text, count in (("uses.py", USES, 0), ("misuses.py", MISUSES, 4)):
        (tmp_path / name).write_text(text)
        said, errors, status = api.run([*options, str(tmp_path / name)])
        assert said.count(": error: ") == count, said + errors


def test_arrays_are_told_with_their_shapes():
    """A call that takes or gives arrays says their shapes."""
    for name in ("cast_rays", "occluded", "all_hits", "first_k", "closest_points", "signed_distance", "contains", "k_nearest"):
        for kind in (copse.Scene, copse.Instances):
            words = inspect.getdoc(getattr(kind, name))
            assert "(n" in words or "cast_rays" in words or "offsets" in words, f"{kind.__name__}.{name}"


def test_copies_and_pickles():
    """A copy has its own memory, or there is none: two owners of one handle would end the program."""
    scene = copse.Scene(*oracle.cube(), device="cpu")
    rays = oracle.rays(50)
    hits = scene.cast_rays(*rays)
    points = copse.KdTree(rays[0], device="cpu")
    for copied in (copy.copy(hits), copy.deepcopy(hits), pickle.loads(pickle.dumps(hits))):
        assert type(copied) is copse.Hits and copied.records.tobytes() == hits.records.tobytes()
        assert np.array_equal(copied.t, hits.t) and copied.shape == hits.shape and repr(copied) == repr(hits)
        assert copied.t.ctypes.data != hits.t.ctypes.data
        assert scene.cast_rays(*rays, out=copied) is copied
    near = pickle.loads(pickle.dumps(points.k_nearest(rays[1], 3)))
    assert np.array_equal(near.point, points.k_nearest(rays[1], 3).point)
    for copied in (copy.deepcopy(scene), copy.copy(scene)):
        assert copied.cast_rays(*rays).records.tobytes() == hits.records.tobytes()
    for alone in (
        points,
        scene.voxels(4),
        copse.Instances(scene, np.eye(4, dtype=np.float32)[None]),
        copse.Batch([copse.Geometry(*oracle.cube())], device="cpu"),
        copse.RebuildAdvisor(scene),
    ):
        for make in (copy.deepcopy, pickle.dumps):
            with pytest.raises(copse.InvalidArgument, match="can be neither copied nor pickled"):
                make(alone)
    expected, shared = points.k_nearest(rays[1], 3), copy.copy(points)  # a second name for the same memory
    del points
    assert np.array_equal(shared.k_nearest(rays[1], 3).point, expected.point)
