"""Errors, threads, forks, memory, and the end of the program."""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading

import copse
import numpy as np
import pytest

import oracle

ORIGIN, DIRECTION = np.array([0.1, 0.2, 3], np.float32), np.array([0, 0, -1], np.float32)


def test_exceptions_have_codes_and_words():
    with pytest.raises(copse.BadFile, match="nowhere.ply") as error:
        copse.load_mesh("nowhere.ply")
    assert isinstance(error.value, (copse.Error, OSError))
    assert issubclass(copse.OutOfMemory, MemoryError) and issubclass(copse.InvalidArgument, ValueError)
    with pytest.raises(copse.InvalidArgument, match="quality is 'great'"):
        copse.Scene(*oracle.cube(), device="cpu", quality="great")


def test_meshes_of_files():
    vertices, faces = copse.load_mesh(os.path.join(os.environ["COPSE_ASSETS"], "testball.ply"))
    assert vertices.dtype == np.float32 and faces.shape[1] == 3 and faces.max() < len(vertices)
    scene = copse.Scene(vertices, faces, device="cpu")
    assert scene.cast_rays(ORIGIN, DIRECTION).primitive[0] >= 0


def test_the_report_and_the_warning():
    assert "cpu:" in copse.device_report()
    code = (
        "import copse, numpy as np, warnings\n"
        "v = np.eye(3, dtype=np.float32)\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    scenes = [copse.Scene(v) for _ in range(3)]\n"
        "print(scenes[0].device, len(seen), *[(w.category.__name__, w.filename, w.lineno) for w in seen])\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() in ("cpu 1 ('NoGpuWarning', '<string>', 5)", "cuda:0 0")


def test_threads_share_a_scene():
    scene = copse.Scene(*oracle.soup(), device="cpu")
    rays = oracle.rays(2000)
    expected = scene.cast_rays(*rays).records
    wrong = []

    def work():
        for _ in range(20):
            if not np.array_equal(scene.cast_rays(*rays).records, expected):
                wrong.append(1)
            try:
                scene.refit([copse.Geometry(rays[0][:9])])
                wrong.append(2)
            except copse.InvalidArgument as error:
                if "copse_accel_refit: refit: 3 triangles" not in str(error):
                    wrong.append(3)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_fork_is_told():
    scene = copse.Scene(*oracle.cube(), device="cpu")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            scene.cast_rays(ORIGIN, DIRECTION)
        except copse.ForkError as error:
            code = 0 if "spawn" in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert scene.cast_rays(ORIGIN, DIRECTION).t[0] == 2


def test_a_fork_makes_its_own():
    """The threads of the parent are not in the child, and the child does not wait for them."""
    rays = oracle.rays(20000)
    expected = copse.Scene(*oracle.cube(), device="cpu").cast_rays(*rays).records
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(60)  # ends a child that hangs
            code = 0 if np.array_equal(copse.Scene(*oracle.cube(), device="cpu").cast_rays(*rays).records, expected) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_processes_get_scenes_and_results():
    code = (
        "import multiprocessing, copse, numpy as np, test_life\n"
        "if __name__ == '__main__':\n"
        "    scene = copse.Scene(*test_life.oracle.cube(), device='cpu')\n"
        "    with multiprocessing.get_context('spawn').Pool(2) as pool:\n"
        "        found = pool.map(test_life.cast_at, [(scene, x) for x in (0.0, 0.5, 5.0)])\n"
        "    print([type(hits).__name__ for hits in found], [float(hits.t[0]) for hits in found])\n"
    )
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "main.py"), "w") as file:
            file.write(code)
        paths = [here, os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
        run = subprocess.run([sys.executable, "main.py"], cwd=folder, env=environment, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "['Hits', 'Hits', 'Hits'] [2.0, 2.0, inf]\n"), run.stderr


def cast_at(scene_and_x):
    scene, x = scene_and_x
    return scene.cast_rays(np.array([[x, 0.2, 3]], np.float32), DIRECTION)


def test_the_program_ends_with_scenes_alive():
    code = (
        "import copse, numpy as np\n"
        "v = np.eye(3, dtype=np.float32)\n"
        "scene = copse.Scene(v, device='cpu')\n"
        "kept = copse.Instances(scene, np.eye(4, dtype=np.float32)[None])\n"
        "hits = kept.cast_rays(v, v)\n"
        "print('end')\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "end\n", "")


def test_scenes_are_freed():
    vertices, faces = oracle.cube()
    for _ in range(200):
        copse.Scene(vertices, faces, device="cpu", quality="fast")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(10000):
        copse.Scene(vertices, faces, device="cpu", quality="fast").cast_rays(ORIGIN, DIRECTION)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 4096, f"{grown} KiB more after 10000 scenes"
