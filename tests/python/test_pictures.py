"""Cameras and pictures, compared with rays through their pixels."""

import os

import copse
import numpy as np
import pytest

import oracle
from test_answers import DEVICES

WIDTH, HEIGHT = 48, 36
EMPTY = np.zeros((0, 3), np.float32)


@pytest.fixture(scope="module", params=DEVICES)
def device(request):
    return request.param


@pytest.fixture(scope="module")
def scene(device):
    return copse.Scene(*oracle.soup(), device=device)


def test_a_camera_that_looks_at_a_point():
    camera = copse.Camera.look_at([1, 2, 7], [1, 2, 3], up=[0, 5, 0], field_of_view=90, aspect=1.5)
    assert np.allclose(camera.eye, [1, 2, 7]) and np.allclose(camera.forward, [0, 0, -1], atol=1e-6)
    assert np.allclose(camera.right, [1.5, 0, 0], atol=1e-6) and np.allclose(camera.up, [0, 1, 0], atol=1e-6)
    rays = camera.rays(3, 2).reshape(2, 3, 8)
    assert np.all(rays[..., :3] == camera.eye) and np.all(rays[..., 3] == 0) and np.all(np.isinf(rays[..., 7]))
    assert np.allclose(np.linalg.norm(rays[..., 4:7], axis=-1), 1)
    directions = rays[..., 4:7] / -rays[..., 6:7]
    assert np.allclose(directions[0, 0], [-1, 0.5, -1]) and np.allclose(directions[1, 2], [1, -0.5, -1])


def test_a_camera_that_frames_a_box():
    camera = copse.Camera.frame([-1, -2, 0.5], [3, 1, 4], aspect=WIDTH / HEIGHT)
    corners = np.array([[x, y, z] for x in (-1, 3) for y in (-2, 1) for z in (0.5, 4)]) - camera.eye
    depth = corners @ camera.forward
    s, t = (corners @ axis / (axis @ axis) / depth for axis in (camera.right, camera.up))
    assert depth.min() > 0 and 0.85 < max(np.abs(s).max(), np.abs(t).max()) < 1


def test_pictures_show_what_rays_hit(scene, device):
    stats = scene.stats()
    camera = copse.Camera.frame(stats.lower, stats.upper, aspect=WIDTH / HEIGHT)
    hits = scene.cast_rays(camera.rays(WIDTH, HEIGHT))
    primitive, t = hits.primitive.reshape(HEIGHT, WIDTH), hits.t.reshape(HEIGHT, WIDTH)
    found = primitive >= 0
    nothing = copse.Scene(EMPTY, device=device)
    assert found.mean() > 0.1 and not found.all()
    for shading in ("normal", "primitive", "distance", "ambient_occlusion"):
        picture = scene.render(WIDTH, HEIGHT, camera, shading=shading)
        assert picture.shape == (HEIGHT, WIDTH, 4) and picture.dtype == np.uint8 and np.all(picture[..., 3] == 255)
        background = nothing.render(WIDTH, HEIGHT, camera, shading=shading)
        assert np.array_equal((picture != background).any(axis=-1), found)
    assert np.array_equal(scene.render(WIDTH, HEIGHT), scene.render(WIDTH, HEIGHT, camera))  # the camera of no camera

    # The colour of a distance goes from (1, 0.97, 0.9) at the nearest hit to (0.1, 0.12, 0.22) at the farthest.
    picture = scene.render(WIDTH, HEIGHT, camera, shading="distance")
    far = ((t - t[found].min()) / (t[found].max() - t[found].min()))[found][:, None]
    expected = 255 * ((1 - far) * [1, 0.97, 0.9] + far * [0.1, 0.12, 0.22])
    assert np.abs(picture[found][:, :3] - expected).max() < 1

    # A lamp at the eye: the brightness of a triangle is that of the angle at which it is seen. Its colour is its own.
    picture = scene.render(WIDTH, HEIGHT, camera, shading="primitive")[found].astype(float)
    vertices, faces = scene.vertices, scene.faces
    a, b, c = (vertices[faces[primitive[found], k]].astype(np.float64) for k in range(3))
    normal = np.cross(b - a, c - a)
    directions = camera.rays(WIDTH, HEIGHT).reshape(HEIGHT, WIDTH, 8)[found][:, 4:7]
    light = 0.16 + 0.84 * np.abs((normal * directions).sum(-1)) / np.linalg.norm(normal, axis=-1)
    for number in np.unique(primitive[found]):
        mine = primitive[found] == number
        colour = picture[mine][:, :3] / light[mine, None]
        assert np.abs(colour - colour.mean(axis=0)).max() < 4


def test_options_of_pictures(scene):
    short = scene.render(WIDTH, HEIGHT, shading="ambient_occlusion", ambient_rays=2, ambient_distance=1e-6)
    assert set(np.unique(short[..., 0])) <= {229, 230, 255}  # all rays escape
    far = scene.render(WIDTH, HEIGHT, shading="ambient_occlusion", ambient_rays=8, ambient_distance=10)
    assert far[..., 0].mean() < short[..., 0].mean()
    cold, hot = (scene.render(WIDTH, 200, shading="heat", heat_limit=limit)[:100].mean() for limit in (10**6, 1))
    assert hot > cold + 20


def outlines_agree(instances, camera):
    """A pixel is of an instance where a ray hits it."""
    picture = instances.render(WIDTH, HEIGHT, camera, shading="distance")
    found = (instances.cast_rays(camera.rays(WIDTH, HEIGHT)).instance >= 0).reshape(HEIGHT, WIDTH)
    return np.array_equal((picture[..., :3] != [5, 6, 13]).any(axis=-1), found) and 0.02 < found.mean() < 0.98


def test_pictures_of_instances(scene, device):
    here = np.eye(4, dtype=np.float32)[None]
    alone = copse.Instances(scene, here)
    camera = copse.Camera.look_at([0, 1, 7], [0, 0, 0], aspect=WIDTH / HEIGHT)
    for shading in ("normal", "distance", "ambient_occlusion"):
        options = {"camera": camera, "shading": shading, "ambient_distance": 0.5}
        assert np.array_equal(alone.render(WIDTH, HEIGHT, **options), scene.render(WIDTH, HEIGHT, **options))

    places = np.tile(here, (3, 1, 1))
    places[:, :3, :3] *= np.float32([0.4, -0.6, 0.5])[:, None, None]
    places[:, :3, 3] = [[-1, 0, 0], [1, 0.5, 0], [0, -1, 1]]
    scenes = [scene, copse.Scene(*oracle.cube(), device=device)]
    several = copse.Instances(scenes, places, scene_ids=[0, 1, 1])
    assert outlines_agree(several, camera)
    before = several.render(WIDTH, HEIGHT, camera)
    several.refit(places[::-1].copy(), scene_ids=[1, 1, 0])
    assert outlines_agree(several, camera)
    several.rebuild(places, scene_ids=[0, 1, 1])
    assert np.array_equal(several.render(WIDTH, HEIGHT, camera), before)
    instance = several.cast_rays(camera.rays(WIDTH, HEIGHT)).instance.reshape(HEIGHT, WIDTH)
    by_instance = several.render(WIDTH, HEIGHT, camera, shading="primitive")
    hues = [np.median(by_instance[instance == number][:, :3], axis=0) for number in range(3)]
    assert min(np.abs(hues[i] - hues[j]).max() for i in range(3) for j in range(i)) > 5

    several.colours = [[[1, 1, 1, 1]], np.array([[1, 0, 0, 1]], np.float32)]
    red = several.render(WIDTH, HEIGHT, camera)
    assert np.array_equal(red[instance <= 0], before[instance <= 0])
    assert np.array_equal(red[instance > 0][:, 0], before[instance > 0][:, 0]) and red[instance > 0][:, 1:3].max() == 0
    for wrong, words in (([[[1, 1, 1, 1]]], "colours of 1 scenes, but"), ([[[1, 1, 1]], [[1, 1, 1, 1]]], "colours of scene 0")):
        several.colours = wrong
        with pytest.raises(copse.ArrayError, match=words):
            several.render(WIDTH, HEIGHT, camera)

    batch = copse.Batch([copse.Geometry(*oracle.soup()), copse.Geometry(*oracle.cube())], device=device)
    assert outlines_agree(copse.Instances(batch, places, scene_ids=[0, 1, 1]), camera)
    of_file = copse.load_scene(os.path.join(os.environ["COPSE_ASSETS"], "grove.glb")).build(device=device)
    assert len(np.unique(of_file.render(WIDTH, HEIGHT).reshape(-1, 4), axis=0)) > 100
    named = copse.Scene.from_geometries([copse.Geometry(*oracle.cube(), id=5)], device=device)
    with pytest.raises(copse.InvalidArgument, match="geometry 0 of mesh 0 has the id 5"):
        copse.Instances(named, here).render(WIDTH, HEIGHT)


def test_devices_make_equal_pictures():
    if len(DEVICES) == 1:
        pytest.skip("no GPU answers")
    vertices, faces = oracle.soup()
    scenes = [copse.Scene(vertices, faces, device=device) for device in DEVICES]
    for shading in ("normal", "primitive", "distance", "ambient_occlusion"):
        first, second = (scene.render(shading=shading) for scene in scenes)
        assert first.tobytes() == second.tobytes()


def test_files_of_pictures(scene, tmp_path):
    picture = scene.render(WIDTH, HEIGHT)
    copse.save_png(tmp_path / "four.png", picture)
    copse.save_png(str(tmp_path / "three.png"), picture[..., :3])
    data = (tmp_path / "four.png").read_bytes()
    assert data == (tmp_path / "three.png").read_bytes() and data[:8] == b"\x89PNG\r\n\x1a\n"
    copse.save_png(tmp_path / "turned.png", picture.transpose(1, 0, 2))
    assert (tmp_path / "turned.png").read_bytes()[16:24] == bytes([0, 0, 0, HEIGHT, 0, 0, 0, WIDTH])
    for wrong in (picture[..., 0], picture[..., :2], picture.astype(np.float32)):
        with pytest.raises(copse.ArrayError, match="picture has the shape"):
            copse.save_png(tmp_path / "wrong.png", wrong)
    with pytest.raises(copse.InvalidArgument, match="no pixels"):
        copse.save_png(tmp_path / "wrong.png", picture[:0])
    with pytest.raises(copse.BadFile, match="nowhere"):
        copse.save_png(tmp_path / "nowhere" / "wrong.png", picture)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["four.png", "three.png", "turned.png"]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"width": 0}, "width is 0; it can be 1 to 16384"),
        ({"width": copse.Camera.look_at([0, 0, 1], [0, 0, 0])}, "width is a Camera; a whole number of pixels is needed"),
        ({"height": 20.5}, "height is a float; a whole number of pixels is needed"),
        ({"height": 20000}, "height is 20000; it can be 1 to 16384"),
        ({"shading": "pretty"}, "shading is 'pretty'; it can be \"normal\", \"primitive\", \"distance\""),
        ({"camera": [0, 0, 1]}, "camera is a list; a copse.Camera is needed"),
        ({"ambient_rays": 0}, "ambient_rays is 0; it can be 1 to 4096"),
        ({"ambient_distance": -1.0}, "ambient_distance is -1"),
        ({"heat_limit": -1}, "heat_limit is -1; it can be 0 to 4294967295"),
    ],
)
def test_pictures_that_cannot_be(scene, options, words):
    with pytest.raises(copse.InvalidArgument) as error:
        scene.render(**options)
    assert words in str(error.value)


def test_cameras_that_cannot_be():
    one, other = (copse.Camera.look_at([1, 1, 1], [0, 0, 0]) for _ in range(2))
    assert len({one, other, one}) == 2 and one != other  # they are told apart, and never compared by arrays
    with pytest.raises(copse.InvalidArgument, match="eye and target are both"):
        copse.Camera.look_at([1, 1, 1], [1, 1, 1])
    with pytest.raises(copse.InvalidArgument, match="the field of view is 180"):
        copse.Camera.look_at([1, 1, 1], [0, 0, 0], field_of_view=180)
    with pytest.raises(copse.InvalidArgument, match="the aspect is 0"):
        copse.Camera.frame([0, 0, 0], [1, 1, 1], aspect=0)
    with pytest.raises(copse.InvalidArgument, match="eye is .*nan"):
        copse.Camera.look_at([np.nan, 1, 1], [0, 0, 0])
    with pytest.raises(copse.ArrayError, match=r"target has the shape \(2,\)"):
        copse.Camera.look_at([1, 1, 1], [0, 0])
    with pytest.raises(copse.ArrayError, match=r"lower has the shape \(3,\) of <U1"):
        copse.Camera.frame(["a", "b", "c"], [0, 0, 0])
    with pytest.raises(copse.InvalidArgument, match="width is -3"):
        copse.Camera.frame([0, 0, 0], [1, 1, 1]).rays(-3, 4)
