"""Trees by builder and layout: their nodes, walks and visits."""

import os

import copse
import numpy as np
import pytest

import oracle
from test_answers import DEVICES

LAYOUTS = ["bvh2", "bvh4", "cbvh4", "cbvh8"]


@pytest.fixture(scope="module", params=DEVICES)
def device(request):
    return request.param


def check_nodes(tree, vertices, faces):
    """The children of a node are neighbours, level by level, and each triangle is in the box of one leaf."""
    nodes, triangles = tree.nodes, tree.triangles
    assert nodes["parent"][0] == -1 and not nodes.flags.writeable
    assert np.array_equal(np.sort(triangles["primitive"]), np.arange(len(faces))) and not triangles["geometry"].any()
    inner = np.flatnonzero(nodes["child_count"])
    ends = np.cumsum(nodes["child_count"][inner]) + 1
    assert np.array_equal(nodes["first_child"][inner], np.r_[1, ends[:-1]]) and ends[-1] == len(nodes)
    assert np.array_equal(nodes["parent"][1:], np.repeat(inner, nodes["child_count"][inner]))
    assert np.array_equal(nodes["depth"][1:], nodes["depth"][nodes["parent"][1:]] + 1)
    leaves = np.flatnonzero(nodes["triangle_count"])
    assert len(leaves) + len(inner) == len(nodes) == len(leaves) + np.count_nonzero(nodes["child_count"])
    for leaf in nodes[leaves]:
        some = triangles["primitive"][leaf["first_triangle"] :][: leaf["triangle_count"]]
        corners = vertices[faces[some]].reshape(-1, 3)
        assert np.all(corners >= leaf["lower"]) and np.all(corners <= leaf["upper"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_trees(layout, device):
    vertices, faces = oracle.soup()
    origins, directions = oracle.rays()
    tree = copse.Tree(vertices, faces, layout=layout, builder="sah", device=device)
    check_nodes(tree, vertices, faces)
    expected = copse.Scene(vertices, faces, device=device).cast_rays(origins, directions)
    assert np.array_equal(tree.cast_rays(origins, directions).records, expected.records)
    assert np.array_equal(tree.occluded(origins, directions), expected.primitive >= 0)
    visits, stats = tree.visits(origins, directions), tree.stats()
    assert visits.nodes.shape == (len(origins),) and stats.source_count == len(faces)
    for i in range(30):
        walk = tree.walk(origins[i], directions[i])
        assert (walk.t, walk.primitive) == (expected.t[i], expected.primitive[i])
        assert (walk.leaf == -1) == (walk.primitive == -1) and (walk.leaf == -1 or walk.leaf in walk.nodes)
        visited = tree.nodes[walk.nodes]
        assert np.all(np.isin(visited["parent"], np.r_[-1, walk.nodes]))
        assert visited["triangle_count"].sum() == walk.triangle_tests
        if device == "cpu":
            assert visits.triangles[i] == walk.triangle_tests
    kept = tree.nodes
    del tree
    assert kept["parent"][0] == -1, "the array keeps the tree"


def test_checksums_tell_recipes_apart():
    vertices, faces = copse.load_mesh(os.path.join(os.environ["COPSE_ASSETS"], "testball.ply"))
    trees = [copse.Tree(vertices, faces, layout=layout, device="cpu") for layout in LAYOUTS]
    trees += [copse.Tree(vertices, faces, builder=builder, device="cpu") for builder in ("lbvh", "sah")]
    better = copse.Tree(vertices, faces, reinsertion=2, device="cpu")
    assert len({tree.checksum for tree in [*trees, better]}) == 7
    assert copse.Tree(vertices, faces, device="cpu").checksum == trees[2].checksum
    assert better.stats().sah_cost < trees[2].stats().sah_cost


def test_the_tree_of_a_scene(device):
    vertices, faces = oracle.soup()
    scene = copse.Scene(vertices, faces, device=device)
    tree, cost = scene.tree(), scene.stats().sah_cost
    del scene
    check_nodes(tree, vertices, faces)
    assert tree.stats().sah_cost == cost and "Tree" in repr(tree)


def test_refusals():
    vertices, faces = oracle.cube()
    tree = copse.Tree(vertices, faces, device="cpu")
    with pytest.raises(copse.InvalidArgument, match='builder is \'octree\'; it can be "lbvh", "hploc" or "sah"'):
        copse.Tree(vertices, faces, builder="octree")
    for passes in (17, -1, 2**32 + 1):
        with pytest.raises(copse.InvalidArgument, match=f"reinsertion is {passes}; it can be 0 to 16"):
            copse.Tree(vertices, faces, reinsertion=passes, device="cpu")
    with pytest.raises(copse.InvalidArgument, match="mask is given, but visits are counted for all triangles"):
        tree.visits(vertices, vertices, mask=1)
    empty = copse.Tree(np.empty((0, 3), np.float32), device="cpu")
    assert len(empty.nodes) == len(empty.triangles) == 0 and empty.walk((0, 0, 0), (0, 0, 1)).primitive == -1


def test_meshes_of_bytes():
    vertices, faces = copse.parse_mesh(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    assert vertices.shape == (4, 3) and faces.shape == (2, 3)
    with pytest.raises(copse.BadFile, match="wrong.obj.*'zero'"):
        copse.parse_mesh(b"v 0 0 zero\n", "wrong.obj")
