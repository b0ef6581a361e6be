"""Arrays that stand in memory in any way are read right, or refused. With convert=True all are read right."""

import copse
import numpy as np
import pytest

import oracle

SOUP = oracle.soup()
ORIGINS, DIRECTIONS = (part[:40] for part in oracle.rays(2000))
RECORDS = np.hstack([ORIGINS, np.full((40, 1), 0.25, np.float32), DIRECTIONS, np.full((40, 1), 9, np.float32)])
FIRST_WORLD = np.zeros(40, np.int32)
BOXES = np.hstack([ORIGINS - np.float32(0.3), ORIGINS + np.float32(0.3)])


def layouts(values):
    """Returns views of copies of an array: with gaps, reversed, in another order, unaligned, and of other types."""
    views = [values.copy(), np.asfortranarray(values), values.copy()[::-1], np.broadcast_to(values[:1], values.shape)]
    for axis in range(values.ndim):
        for step in (1, 2, 3, -1, -2):
            shape = list(values.shape)
            shape[axis] = values.shape[axis] * abs(step) + 3
            room, where = np.full(shape, 77, values.dtype), [slice(None)] * values.ndim
            end = values.shape[axis] * abs(step)
            where[axis] = slice(1, 1 + end, step) if step > 0 else slice(end, 0, step)
            room[tuple(where)] = values
            views.append(room[tuple(where)])
    record = np.dtype([("before", "u1"), ("values", values.dtype, values.shape[1:]), ("after", "u1")])
    for aligned in (False, True):
        records = np.zeros(len(values), np.dtype(record.descr, align=aligned))
        records["values"] = values
        views.append(records["values"])
    unaligned = np.frombuffer(b"x" + values.tobytes(), values.dtype, offset=1).reshape(values.shape)
    return [*views, unaligned, values.astype(values.dtype.newbyteorder()), values.astype(np.float64)]


@pytest.fixture(scope="module")
def calls():
    """Calls by name: an array of one argument, and what the call makes of it."""
    scene = copse.Scene(*SOUP, device="cpu")
    motion = copse.MotionScene([SOUP[0], SOUP[0] + np.float32(0.5)], SOUP[1], device="cpu")
    tree = copse.KdTree(ORIGINS, device="cpu")
    worlds = copse.Worlds(scene, np.eye(4, dtype=np.float32)[None], [0, 1])
    places = BOXES[:, :3].copy()
    turned = np.tile(np.eye(4, dtype=np.float32), (3, 1, 1))
    turned[:, :3, 3] = ORIGINS[:3]

    def of_parts(*parts, **more):
        return scene.cast_rays(*parts, **more).records

    return {
        "vertices": (SOUP[0], lambda a, **c: copse.Scene(a, SOUP[1], device="cpu", **c).cast_rays(ORIGINS, DIRECTIONS).records),
        "faces": (SOUP[1], lambda a, **c: copse.Scene(SOUP[0], a, device="cpu", **c).cast_rays(ORIGINS, DIRECTIONS).records),
        "origins": (ORIGINS, lambda a, **c: of_parts(a, DIRECTIONS, **c)),
        "one of them": (ORIGINS[:1], lambda a, **c: of_parts(a, DIRECTIONS[:1], **c)),
        "one for all": (ORIGINS[0], lambda a, **c: of_parts(a, DIRECTIONS, **c)),
        "directions": (DIRECTIONS, lambda a, **c: of_parts(ORIGINS, a, **c)),
        "one direction": (DIRECTIONS[0], lambda a, **c: of_parts(ORIGINS, a, **c)),
        "t_max": (np.linspace(0, 3, 40, dtype=np.float32), lambda a, **c: of_parts(ORIGINS, DIRECTIONS, t_max=a, **c)),
        "masks": (np.arange(40, dtype=np.uint32), lambda a, **c: of_parts(ORIGINS, DIRECTIONS, masks=a, **c)),
        "rays": (RECORDS, lambda a, **c: of_parts(a, **c)),
        "rays of worlds": (RECORDS, lambda a, **c: worlds.cast_rays(a, FIRST_WORLD, **c).records),
        "worlds": (FIRST_WORLD, lambda a, **c: worlds.cast_rays(RECORDS, a, **c).records),
        "times": (
            np.linspace(0, 1, 40, dtype=np.float32),
            lambda a, **c: motion.cast_rays(ORIGINS, DIRECTIONS, times=a, **c).records,
        ),
        "points": (ORIGINS, lambda a, **c: scene.closest_points(a, **c).records),
        "boxes": (BOXES, lambda a, **c: np.concatenate(scene.overlaps(boxes=a, **c))),
        "points of a tree": (ORIGINS, lambda a, **c: copse.KdTree(a, device="cpu", **c).k_nearest(places, 3).records),
        "queries": (places, lambda a, **c: tree.k_nearest(a, 3, **c).records),
        "transforms": (turned, lambda a, **c: copse.Instances(scene, a, **c).cast_rays(ORIGINS, DIRECTIONS).records),
    }


def test_every_layout_is_read_right_or_refused(calls):
    for name, (values, ask) in calls.items():
        taken = refused = 0
        for number, view in enumerate(layouts(values)):
            expected = ask(np.array(view, values.dtype, order="C", copy=True)).tobytes()
            assert ask(view, convert=True).tobytes() == expected, (name, number)
            try:
                assert ask(view).tobytes() == expected, (name, number)
                taken += 1
            except copse.InvalidArgument:
                refused += 1
        assert taken > 0 and refused > 0, name


def test_rows_with_gaps_are_refused_where_they_follow_each_other(calls):
    """The faces in PyVista's arrays have such gaps."""
    for name in ("faces", "points", "queries", "masks", "times", "rays of worlds", "worlds"):
        values, ask = calls[name]
        given, argument = np.repeat(values, 2, axis=0)[::2], name.partition(" ")[0]
        assert not given.flags.c_contiguous
        with pytest.raises(copse.ArrayError, match=f"{argument} has .* packed rows without gaps are needed; convert=True"):
            ask(given)
        assert ask(given, convert=True).tobytes() == ask(values).tobytes(), name
