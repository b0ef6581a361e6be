"""Arrays of all kinds: those that are taken in place, those that are converted, those that are refused."""

import array
import sys
import types

import copse
import numpy as np
import pytest

import oracle

VERTICES, FACES = oracle.cube()
ORIGIN, DIRECTION = np.array([0.1, 0.2, 3], np.float32), np.array([0, 0, -1], np.float32)


@pytest.fixture(scope="module")
def scene():
    return copse.Scene(VERTICES, FACES, device="cpu")


class ByInterface:
    """An object that has __array_interface__ alone."""

    def __init__(self, values):
        self.values = values
        self.__array_interface__ = values.__array_interface__


class ByDlpack:
    """An object that has DLPack alone."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class OnGpu:
    """Claims to be on a GPU."""

    def __init__(self, shape, typestr="<f4", **more):
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "data": (4096, False), "version": 3, **more}


@pytest.mark.parametrize("kind", [memoryview, ByInterface, ByDlpack])
def test_other_kinds_are_taken(scene, kind):
    origins = np.tile(ORIGIN, (4, 1))
    assert np.all(scene.cast_rays(kind(origins), kind(DIRECTION)).t == 2)
    built = copse.Scene(kind(VERTICES), kind(FACES), device="cpu")
    assert np.all(built.cast_rays(origins, DIRECTION).t == 2)


def test_arrays_of_the_standard_library(scene):
    assert scene.cast_rays(array.array("f", ORIGIN), array.array("f", DIRECTION)).t[0] == 2


@pytest.mark.parametrize("faces", [FACES.astype(np.uint32), FACES.astype(np.uint16), VERTICES[FACES].reshape(-1, 3)])
def test_faces_of_all_types(faces):
    soup = (faces, None) if faces.dtype == np.float32 else (VERTICES, faces)
    assert copse.Scene(*soup, device="cpu").cast_rays(ORIGIN, DIRECTION).t[0] == 2


def test_nothing_is_copied():
    vertices = VERTICES.copy()
    geometry = copse.Geometry(vertices, FACES)
    assert geometry._positions.address == vertices.ctypes.data and geometry._indices.address == FACES.ctypes.data


@pytest.mark.parametrize(
    "vertices, faces, words",
    [
        (VERTICES.astype(np.float64), FACES, "vertices has the shape (8, 3) of float64 on cpu"),
        (VERTICES, FACES.astype(np.int64), "faces has the shape (12, 3) of int64 on cpu"),
        (VERTICES[:, :2], FACES, "vertices has the shape (8, 2) of float32 on cpu; (n, 3) of float32 is needed"),
        (VERTICES.tolist(), FACES, "vertices is a list; an array is needed"),
        (np.asfortranarray(VERTICES), FACES, "(4, 32) bytes apart, on cpu; packed rows at least 12 bytes apart are needed"),
        (VERTICES[::-1], FACES, "(-12, 4) bytes apart, on cpu; packed rows at least 12 bytes apart are needed"),
        (VERTICES.astype(">f4"), FACES, "vertices has the shape (8, 3) of >f4 on cpu"),
        (VERTICES.astype(np.complex64), FACES, "of complex64 on cpu; (n, 3) of float32 is needed"),
        (np.ma.masked_array(VERTICES, VERTICES > 0), FACES, "it has a mask, which is not supported"),
        (np.float32(3), FACES, "vertices has the shape () of float32"),
        (np.broadcast_to(VERTICES[0], (8, 3)), FACES, "(0, 4) bytes apart, on cpu; packed rows at least 12 bytes apart are"),
        (VERTICES, FACES.astype(bool), "faces has the shape (12, 3) of bool"),
        (VERTICES, FACES[:, :2], "faces has the shape (12, 2) of int32 on cpu; (n, 3) of int32 or uint32 or uint16"),
        (VERTICES, FACES[::2], "(24, 4) bytes apart, on cpu; packed rows without gaps are needed; convert=True"),
        (VERTICES, FACES + 1, "geometry 0: triangle 2 has the vertex 8, but there are 8 positions"),
        (VERTICES, FACES - 1, "has the vertex 4294967295"),
        (OnGpu((8, 3)), FACES, "faces are on cpu, but vertices are on cuda"),
        (OnGpu((8, 3), "<f8"), None, "of float64 on cuda"),
        (OnGpu((9, 3)), None, "are on cuda, but the scene is on cpu"),
        (OnGpu((9, 3), stream=0xABCD0), None, "vertices is used on the CUDA stream 0xabcd0"),
    ],
)
def test_others_are_refused(vertices, faces, words):
    with pytest.raises(copse.InvalidArgument) as error:
        copse.Scene(vertices, faces, device="cpu")
    assert words in str(error.value)


def test_conversion_is_asked_for(scene):
    built = copse.Scene(VERTICES.tolist(), FACES.astype(np.int64), device="cpu", convert=True)
    assert built.cast_rays([ORIGIN.tolist()], [[0, 0, -1]], convert=True).t[0] == 2
    assert copse.Scene(np.asfortranarray(VERTICES), FACES, device="cpu", convert=True).triangle_count == 12
    with pytest.raises(copse.ArrayError, match="values from 0 to 4294967303; int32 takes"):
        copse.Scene(VERTICES, FACES.astype(np.int64) + 2**32 * (FACES == 7), device="cpu", convert=True)


def test_whatever_is_a_number_is_converted():
    vertices = [
        VERTICES.astype(">f4"),
        VERTICES.astype(np.float16),
        VERTICES[::-1][::-1],
        np.ma.masked_array(VERTICES, False),
        VERTICES.view(type("Sub", (np.ndarray,), {})),
        np.frombuffer(b"x" + VERTICES.tobytes(), np.float32, offset=1, count=24).reshape(8, 3),
        VERTICES.astype(np.int8),
    ]
    faces = [FACES.astype(np.uint8), FACES.astype(np.float64), FACES[::-1], np.asfortranarray(FACES), FACES.tolist()]
    for given in vertices:
        given.flags.writeable = False
        scene = copse.Scene(given, FACES, device="cpu", convert=True)
        assert scene.cast_rays(ORIGIN, DIRECTION).t[0] == 2
    for given in faces:
        scene = copse.Scene(VERTICES, given, device="cpu", convert=True)
        assert scene.cast_rays(ORIGIN, DIRECTION).t[0] == 2
    for given, words in (
        (FACES + 0.5, "no whole numbers"),
        (np.where(FACES == 7, np.nan, FACES), "no whole numbers"),
        (np.where(FACES == 7, np.inf, FACES), "values from 0.0 to inf; int32 takes"),
        (FACES.astype(complex), "elements of the type complex128"),
        (FACES.astype(str), "elements of the type <U"),
        (FACES.astype(object), "elements of the type object"),
    ):
        with pytest.raises(copse.ArrayError, match=words):
            copse.Scene(VERTICES, given, device="cpu", convert=True)


def test_a_single_row_is_packed(scene):
    """One that all rays have may be a column of a matrix, whose numbers stand apart."""
    pose = np.eye(4, dtype=np.float32)
    pose[:3, 3] = ORIGIN
    with pytest.raises(copse.ArrayError, match=r"origins has the shape \(3,\) of float32, \(16,\) bytes apart, on cpu; packed"):
        scene.cast_rays(pose[:3, 3], DIRECTION)
    assert scene.cast_rays(pose[:3, 3], DIRECTION, convert=True).t[0] == 2
    assert scene.cast_rays(pose[:3, 3].copy(), -pose[:3, 2], convert=True).t[0] == 2


def test_a_single_row_has_any_stride(scene):
    """What NumPy says about the distance to a next row means nothing where there is none."""
    origin, direction, limit = np.tile(ORIGIN, (1, 1))[::-1], np.tile(DIRECTION, (1, 1))[::-1], np.ones(1, np.float32)[::-1]
    assert origin.strides == (-12, 4)
    for more in ({}, {"convert": True}):
        assert scene.cast_rays(origin, direction, **more).t[0] == 2
        assert scene.cast_rays(origin, direction, t_max=limit, **more).primitive[0] == -1
        assert scene.closest_points(origin, **more).distance[0] == scene.closest_points(ORIGIN[None]).distance[0]
        assert copse.Scene(VERTICES, FACES[:1][::-1], device="cpu", **more).triangle_count == 1
        assert copse.KdTree(origin, device="cpu", **more).k_nearest(origin, 1).distance[0] == 0
    ray = np.array([[*ORIGIN, 0, *DIRECTION, 9]], np.float32)[::-1]
    assert ray.strides == (-32, 4) and scene.cast_rays(ray).t[0] == 2


def test_numbers_of_numpy_are_numbers(scene):
    points = np.array([[0, 0, 3]], np.float32)
    assert scene.cast_rays(ORIGIN, DIRECTION, t_max=np.float32(1)).primitive[0] == -1
    assert scene.cast_rays(ORIGIN, DIRECTION, t_min=np.int64(3)).t[0] == 4
    assert scene.closest_points(points, max_distance=np.float32(1)).primitive[0] == -1
    assert scene.k_nearest(points, np.int64(2), max_distance=np.float64(9)).distance.shape == (1, 2)
    assert copse.KdTree(points, device="cpu").count_within(points, np.float32(0.5))[0] == 1
    for k in (0, 2**31 + 1):
        with pytest.raises(copse.InvalidArgument, match=f"k is {k}; it can be 1 to 2147483648"):
            scene.k_nearest(points, k)
    with pytest.raises(TypeError):
        scene.k_nearest(points, 1.5)


def test_masks_and_ids_are_not_cut_off(scene):
    for mask in (-1, ~0, 2**32 - 1, np.uint32(1), np.int8(-1)):
        assert scene.cast_rays(ORIGIN, DIRECTION, mask=mask).t[0] == 2
    assert copse.Geometry(VERTICES, FACES, mask=~0).mask == 2**32 - 1
    placed = copse.Instances(scene, np.eye(4, dtype=np.float32)[None])
    for mask in (2**32, 2**40 + 1, -(2**31) - 1, 1.5):
        for ask in (
            lambda **options: scene.cast_rays(ORIGIN, DIRECTION, **options),
            lambda **options: placed.closest_points(ORIGIN[None], **options),
            lambda **options: copse.Geometry(VERTICES, FACES, **options),
        ):
            with pytest.raises(copse.InvalidArgument, match=f"mask is {mask}; it can be -2147483648 to 4294967295"):
                ask(mask=mask)
    for number in (-1, 2**31, 1.7):
        with pytest.raises(copse.InvalidArgument, match=f"id is {number}; it can be 0 to 2147483647"):
            copse.Geometry(VERTICES, FACES, id=number)
    with pytest.raises(copse.InvalidArgument, match="capacity is 18446744073709551621; it can be 0 to"):
        copse.Scene(VERTICES, FACES, device="cpu", capacity=2**64 + 5)


def test_rays_that_do_not_fit(scene):
    with pytest.raises(copse.ArrayError, match="there are 3 directions for 5 rays"):
        scene.cast_rays(np.zeros((5, 3), np.float32), np.ones((3, 3), np.float32))
    with pytest.raises(copse.ArrayError, match=r"t_max has the shape \(4,\)"):
        scene.cast_rays(np.zeros((5, 3), np.float32), DIRECTION, t_max=np.ones(4, np.float32))
    with pytest.raises(copse.ArrayError, match="origins is on cuda, but the scene is on cpu"):
        scene.cast_rays(OnGpu((5, 3)), OnGpu((5, 3)))
    for other in (OnGpu((5, 3), "<f8"), OnGpu((5, 3), strides=(4, 20))):  # it cannot be copied
        with pytest.raises(copse.ArrayError, match="needed$"):
            scene.cast_rays(other, DIRECTION)
        with pytest.raises(copse.ArrayError, match="origins is a OnGpu; convert=True copies arrays of PyTorch and CuPy"):
            scene.cast_rays(other, DIRECTION, convert=True)
    with pytest.raises(copse.ArrayError, match="directions is on cpu, but origins is on cuda"):
        scene.cast_rays(OnGpu((5, 3)), DIRECTION)
    with pytest.raises(copse.ArrayError, match="there are 0 origins for 5 rays"):
        scene.cast_rays(np.zeros((0, 3), np.float32), np.ones((5, 3), np.float32))
    with pytest.raises(TypeError, match="tmax"):
        scene.cast_rays(ORIGIN, DIRECTION, tmax=3)
    with pytest.raises(copse.InvalidArgument, match="cull is 'left'"):
        scene.cast_rays(ORIGIN, DIRECTION, cull="left")
    with pytest.raises(copse.InvalidArgument, match="k is 17; it can be 1 to 16"):
        scene.first_k(ORIGIN, DIRECTION, k=17)
    with pytest.raises(copse.InvalidArgument, match="2 kinds of regions"):
        scene.overlaps(boxes=np.zeros((1, 6), np.float32), spheres=np.zeros((1, 4), np.float32))
    with pytest.raises(copse.InvalidArgument, match="device is 'gpu'"):
        copse.Scene(VERTICES, FACES, device="gpu")


def test_results_into_arrays_of_the_caller(scene):
    origins = np.tile(ORIGIN, (6, 1))
    first = scene.cast_rays(origins + np.float32(5), DIRECTION)
    assert scene.cast_rays(origins, DIRECTION, out=first) is first and np.all(first.t == 2)
    occluded = np.zeros(6, bool)
    assert scene.occluded(origins, DIRECTION, out=occluded) is occluded and occluded.all()
    with pytest.raises(copse.ArrayError, match=r"out has the shape \(5,\)"):
        scene.occluded(origins, DIRECTION, out=np.zeros(5, bool))
    with pytest.raises(copse.ArrayError, match="out is a ndarray"):
        scene.cast_rays(origins, DIRECTION, out=np.zeros(6))
    read_only = np.zeros(6, bool)
    read_only.flags.writeable = False
    with pytest.raises(copse.ArrayError, match="out is read-only"):
        scene.occluded(origins, DIRECTION, out=read_only)
    for wrong in (np.zeros(12, bool)[::2], np.zeros(6)):  # a copy of it would be of no use
        with pytest.raises(copse.ArrayError, match="needed$"):
            scene.occluded(origins, DIRECTION, out=wrong)
    with pytest.raises(copse.ArrayError, match="out is .* but the results have the shape"):
        scene.cast_rays(origins[:3], DIRECTION, out=first)


def test_nothing_and_nan(scene):
    empty = np.zeros((0, 3), np.float32)
    assert len(scene.cast_rays(empty, empty)) == 0 and scene.contains(empty).shape == (0,)
    assert len(scene.cast_rays(empty, DIRECTION)) == 0 and len(scene.cast_rays(ORIGIN, empty)) == 0
    offsets, hits = scene.all_hits(empty, empty)
    assert offsets.tolist() == [0] and len(hits) == 0
    nothing = copse.Scene(empty, device="cpu")
    assert nothing.cast_rays(ORIGIN, DIRECTION).primitive[0] == -1
    nan = np.full((1, 3), np.nan, np.float32)
    assert scene.cast_rays(nan, DIRECTION).primitive[0] == -1
    assert np.isinf(scene.closest_points(nan).distance[0])


def test_torch_tensors_on_the_host(scene):
    torch = pytest.importorskip("torch")
    origins = torch.from_numpy(np.tile(ORIGIN, (4, 1)))
    hits = scene.cast_rays(origins, torch.from_numpy(DIRECTION))
    assert isinstance(hits.t, torch.Tensor) and bool((hits.t == 2).all())
    assert scene.occluded(origins, torch.from_numpy(DIRECTION)).dtype == torch.bool
    doubled = origins.double().t().contiguous().t()  # two reasons to copy
    with pytest.raises(copse.ArrayError, match=r"origins has the shape \(4, 3\) of float64 on cpu"):
        scene.cast_rays(doubled, torch.from_numpy(DIRECTION))
    assert bool((scene.cast_rays(doubled, torch.from_numpy(DIRECTION), convert=True).t == 2).all())
    with pytest.raises(copse.ArrayError, match="packed rows are needed"):
        scene.cast_rays(doubled.float(), torch.from_numpy(DIRECTION))
    faces = torch.from_numpy(np.repeat(FACES, 2, axis=0)[::2])
    with pytest.raises(copse.ArrayError, match="packed rows without gaps are needed; convert=True"):
        copse.Scene(torch.from_numpy(VERTICES), faces, device="cpu")
    assert copse.Scene(torch.from_numpy(VERTICES), faces, device="cpu", convert=True).triangle_count == 12
    column = torch.from_numpy(np.tile(ORIGIN, (4, 1)).T.copy())[:, 3]
    with pytest.raises(copse.ArrayError, match=r"\(16,\) bytes apart, on cpu; packed rows are needed"):
        scene.cast_rays(column, torch.from_numpy(DIRECTION))
    assert scene.cast_rays(column, torch.from_numpy(DIRECTION), convert=True).t[0] == 2
    with pytest.raises(copse.ArrayError, match="sparse_coo"):
        scene.cast_rays(origins.to_sparse(), torch.from_numpy(DIRECTION))
    with pytest.raises(copse.ArrayError, match="origins is on meta"):
        scene.cast_rays(origins.to("meta"), torch.from_numpy(DIRECTION))
    with pytest.raises(copse.ArrayError, match="values from 0 to 4294967296; int32"):
        copse.Scene(torch.from_numpy(VERTICES), torch.tensor([[0, 1, 2**32]]), device="cpu", convert=True)
    for given, words in (
        (torch.from_numpy(FACES) + 0.5, "values of torch.float32 that are no whole numbers"),
        (torch.from_numpy(FACES) + 0j, "elements of the type torch.complex64"),
    ):
        with pytest.raises(copse.ArrayError, match=words):
            copse.Scene(torch.from_numpy(VERTICES), given, device="cpu", convert=True)


def test_results_of_libraries_that_stand_in(scene, monkeypatch):
    """JAX's arrays on the host: they are read in place, and results are copied to its kind."""
    like_jax = type("ArrayImpl", (np.ndarray,), {"__module__": "jaxlib.xla_extension"})

    def asarray(values):
        return np.array(values).view(like_jax)

    functions = types.SimpleNamespace(asarray=asarray, where=lambda *parts: asarray(np.where(*parts)))
    monkeypatch.setitem(sys.modules, "jax", types.SimpleNamespace(numpy=functions))
    monkeypatch.setitem(sys.modules, "jax.numpy", functions)
    origins = asarray(np.tile(ORIGIN, (2, 1)))
    assert type(scene.cast_rays(origins, asarray(DIRECTION)).t) is like_jax
    occluded = scene.occluded(origins, asarray(DIRECTION))
    assert type(occluded) is like_jax and occluded.all()
    offsets, found = scene.overlaps(spheres=asarray(np.array([[0, 0, 0, 9], [9, 9, 9, 1]], np.float32)))
    assert type(found) is like_jax and offsets.tolist() == [0, 12, 12] and sorted(found.tolist()) == list(range(12))
    distance = scene.signed_distance(asarray(np.array([[0, 0, 3], [0, 0, 0.5]], np.float32)))
    assert type(distance) is like_jax and distance.tolist() == [2, -0.5]


class OnlyDlpack(ByDlpack):
    """What JAX and others look like where NumPy's own reader refuses them."""

    def __dlpack_device__(self):
        return (1, 0)


def test_dlpack_alone(scene):
    """Strides, offsets and types go through, and the array is given back."""
    import gc
    import weakref

    wide = np.zeros((6, 5), np.float32)
    wide[:, 1:4] = ORIGIN
    assert np.all(scene.cast_rays(OnlyDlpack(wide[:, 1:4]), DIRECTION).t == 2)
    with pytest.raises(copse.ArrayError, match="of float64 on cpu"):
        scene.cast_rays(OnlyDlpack(np.zeros((2, 3))), DIRECTION)
    with pytest.raises(copse.ArrayError, match=r"\(12, 4\) bytes apart, on cpu; packed rows|bytes apart"):
        scene.cast_rays(OnlyDlpack(wide[:3, :3].T), DIRECTION)
    keeper = np.tile(ORIGIN, (3, 1)).copy()
    freed = weakref.ref(keeper)
    geometry = copse.Geometry(OnlyDlpack(keeper))
    assert geometry._positions.address == keeper.ctypes.data
    del keeper
    gc.collect()
    assert freed() is not None
    del geometry
    gc.collect()
    assert freed() is None

    class Elsewhere(ByDlpack):
        def __dlpack_device__(self):
            return (10, 0)

    with pytest.raises(copse.ArrayError, match="on the DLPack device 10"):
        scene.cast_rays(Elsewhere(wide), DIRECTION)


def test_limits_of_records_are_their_own(scene):
    records = np.zeros((2, 8), np.float32)
    with pytest.raises(copse.InvalidArgument, match="t_max is given, but rays of the shape"):
        scene.cast_rays(records, t_max=2.0)


def test_dlpack_that_we_give():
    """What is given lives until it is given back, and no longer."""
    import gc

    from copse import _dlpack

    values = np.arange(6, dtype=np.float32)

    class Giver:
        def __dlpack__(self, **_):
            return _dlpack.give(values, values.ctypes.data, (2, 3), (12, 4), values.dtype, 0)

    capsule = Giver().__dlpack__()
    assert len(_dlpack._given) == 1
    del capsule
    gc.collect()
    assert not _dlpack._given
    taken = _dlpack.Taken(Giver(), _dlpack.CPU)
    assert (taken.shape, taken.strides, taken.typestr, taken.address) == ((2, 3), (12, 4), "f4", values.ctypes.data)
    assert len(_dlpack._given) == 1
    del taken
    gc.collect()
    assert not _dlpack._given
