"""Arrays of CuPy, Numba and JAX on a GPU, each where it is installed."""

import copse
import numpy as np
import pytest

import oracle

if "not used" in copse.device_report():
    pytest.skip("no GPU answers", allow_module_level=True)

SOUP, RAYS = oracle.soup(), oracle.rays(2000)
EXPECTED = copse.Scene(*SOUP, device="cpu").cast_rays(*RAYS).records


def check(to_gpu, from_gpu):
    scene = copse.Scene(*(to_gpu(part) for part in SOUP))
    assert scene.device == "cuda:0"
    rays = [to_gpu(part) for part in RAYS]
    hits = scene.cast_rays(*rays)
    assert hits.records.tobytes() == EXPECTED.tobytes()
    assert np.array_equal(from_gpu(hits.t), EXPECTED["t"])  # a field, 20 bytes from number to number
    assert np.array_equal(from_gpu(scene.occluded(*rays)), EXPECTED["primitive"] >= 0)
    with pytest.raises(copse.ArrayError, match="of float64 on cuda"):
        scene.cast_rays(to_gpu(RAYS[0].astype(np.float64)), rays[1])


def test_cupy():
    cupy = pytest.importorskip("cupy")
    check(cupy.asarray, lambda field: cupy.asarray(field).get())
    cube = [copse.Scene(*(kind(part) for part in oracle.cube())) for kind in (cupy.asarray, np.asarray)]
    distance = cube[0].signed_distance(cupy.asarray(RAYS[0]))
    assert isinstance(distance, cupy.ndarray) and np.array_equal(distance.get(), cube[1].signed_distance(RAYS[0]))
    with cupy.cuda.Stream(non_blocking=True) as stream:
        scene = copse.Scene(*(cupy.asarray(part) for part in SOUP))
        t = cupy.asarray(scene.cast_rays(*(cupy.asarray(part) for part in RAYS)).t).copy()
        stream.synchronize()
    assert np.array_equal(t.get(), EXPECTED["t"])


def test_conversion_of_cupy():
    """Arrays are copied on the GPU, with the same answers. What int32 cannot hold is refused."""
    cupy = pytest.importorskip("cupy")
    vertices, faces = (cupy.asarray(part) for part in oracle.cube())
    origins, directions = (cupy.asarray(part) for part in RAYS)
    expected = copse.Scene(vertices, faces).cast_rays(origins, directions).records.tobytes()
    wide = cupy.zeros((len(faces), 5), cupy.int32)
    wide[:, 1:4] = faces
    with pytest.raises(copse.ArrayError, match="packed rows without gaps are needed; convert=True copies it"):
        copse.Scene(vertices, wide[:, 1:4])
    with_gaps = (wide[:, 1:4], wide.view(cupy.uint32)[:, 1:4])
    for given in (faces.astype(cupy.int64), faces.astype(cupy.float64), cupy.asfortranarray(faces), *with_gaps):
        scene = copse.Scene(vertices.astype(cupy.float64), given, convert=True)
        hits = scene.cast_rays(origins.astype(cupy.float64), cupy.asfortranarray(directions), convert=True)
        assert isinstance(hits.t, cupy.ndarray) and hits.records.tobytes() == expected
    column = cupy.tile(origins[0][:, None], 4)[:, 3]
    assert column.strides == (16,)
    with pytest.raises(copse.ArrayError, match=r"of float32, \(16,\) bytes apart, on cuda:0; packed rows are needed"):
        scene.cast_rays(column, directions)
    one = [scene.cast_rays(each, directions, convert=True).records.tobytes() for each in (column, origins[0])]
    assert one[0] == one[1]
    one = [scene.cast_rays(origins[:1][::step], directions[0]).records.tobytes() for step in (-1, 1)]
    assert one[0] == one[1]
    for given, words in (
        (faces + 0.5, "values of float64 that are no whole numbers"),
        (faces + 0j, "elements of the type complex128"),
        (faces.astype(cupy.int64) + 2**32, "int32 takes -2147483648 to 2147483647"),
    ):
        with pytest.raises(copse.ArrayError, match=words):
            copse.Scene(vertices, given, convert=True)


def test_numba():
    cuda = pytest.importorskip("numba.cuda")
    if not cuda.is_available():
        pytest.skip("Numba sees no GPU")
    check(cuda.to_device, lambda field: cuda.as_cuda_array(field).copy_to_host())


def test_jax():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX sees no GPU")
    jax.config.update("jax_enable_x64", True)

    def to_gpu(values):
        array = jax.numpy.asarray(values)
        array.block_until_ready()
        return array

    scene = copse.Scene(*(to_gpu(part) for part in SOUP))
    hits = scene.cast_rays(*(to_gpu(part) for part in RAYS))
    assert hits.records.tobytes() == EXPECTED.tobytes()
    occluded = jax.dlpack.from_dlpack(scene.occluded(*(to_gpu(part) for part in RAYS)))
    assert np.array_equal(np.asarray(occluded), EXPECTED["primitive"] >= 0)


def test_dlpack_given_and_taken():
    cupy = pytest.importorskip("cupy")

    class OnlyDlpack:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    wide = cupy.zeros((len(RAYS[0]), 5), cupy.float32)
    wide[:, 1:4] = cupy.asarray(RAYS[0])
    scene = copse.Scene(OnlyDlpack(cupy.asarray(SOUP[0])), OnlyDlpack(cupy.asarray(SOUP[1])))
    hits = scene.cast_rays(OnlyDlpack(wide[:, 1:4]), OnlyDlpack(cupy.asarray(RAYS[1])))
    assert scene.device == "cuda:0" and hits.records.tobytes() == EXPECTED.tobytes()
    for name in ("t", "primitive"):  # 20 bytes from number to number
        field = getattr(hits, name)
        assert isinstance(field, copse.DeviceArray)
        assert np.array_equal(cupy.from_dlpack(field).get(), EXPECTED[name])
    kept = cupy.from_dlpack(hits.t)
    del hits, field
    assert np.array_equal(kept.get(), EXPECTED["t"])
    field = scene.cast_rays(OnlyDlpack(wide[:, 1:4]), OnlyDlpack(cupy.asarray(RAYS[1]))).t
    field.__dlpack__()  # a capsule that is not taken gives its memory back
    for other in (cupy.zeros((3, 3)), cupy.asfortranarray(wide[:, 1:4])):  # it cannot be copied
        with pytest.raises(copse.ArrayError, match="on cuda:0; .*needed$"):
            scene.cast_rays(OnlyDlpack(other), OnlyDlpack(cupy.asarray(RAYS[1])))
        with pytest.raises(copse.ArrayError, match="origins is a OnlyDlpack; convert=True copies arrays of PyTorch and CuPy"):
            scene.cast_rays(OnlyDlpack(other), OnlyDlpack(cupy.asarray(RAYS[1])), convert=True)
