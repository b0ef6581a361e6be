// Grids, voxels, distance fields, kd-trees and trees of points.

#include "copse/grids.h"
#include "copse/queries.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/trust/calls.h"

namespace copse::test {

namespace {

const Camera grid_camera = look_at({0, 0, 4}, {0, 0, 0}, {0, 1, 0}, 40, 1);
constexpr FrustumGridOptions small_frustum{.resolution = uvec3(8, 8, 4)};

const auto a_grid = [](Context& c, Given& g) { return build_grid(c, g.mesh.view()); };
const auto a_frustum = [](Context& c, Given& g) {
  return build_frustum_grid(c, g.mesh.view(), view_frustum(grid_camera), small_frustum);
};
const auto some_bricks = [](Context& c, Given& g) { return build_bricks(c, g.mesh.view(), {.resolution = 40}); };
const auto a_kd = [](Context& c, Given& g) { return build_sah_kd_tree(c, g.mesh.view()); };

Bytes bytes_of_grid(const Grid& grid) {
  const GridShape shape = grid.shape.download()[0];
  const u64 cells = u64{shape.resolution.x} * shape.resolution.y * shape.resolution.z;
  const std::vector<u32> begins = grid.cell_begins.download(cells + 1);
  Bytes bytes = bytes_of(grid.counts);  // not the shape, which ends in bytes that it does not use
  append(bytes, std::vector<dvec3>{shape.lo, shape.cells_per_unit});
  append(bytes, begins);
  append(bytes, grid.primitive_ids.download(begins.back()));
  return bytes;
}

Bytes bytes_of_bricks(Context& c, const Bricks& bricks) {
  const u64 stored = bricks.counts.download()[0].stored_count;
  Bytes bytes;
  append(bytes, bricks.keys.download(stored));
  append(bytes, std::vector<u64>{count_voxels(c, bricks)});
  return bytes;
}

/// Neighbours through a tree or a grid of points.
template <class Points>
Bytes neighbours_in(Context& c, Given& g, const Points& points) {
  Buffer<PointNeighbour> nearest(c, 3 * g.points.size());
  nearest_neighbours(c, points, g.points.span(), nearest.span());
  count_neighbours(c, points, g.points.span(), 0.3f, g.counts.span());
  const NeighbourLists lists = all_neighbours(c, points, g.points.span(), 0.3f);
  return bytes_of(nearest, g.counts, lists.offsets, lists.neighbours);
}

}  // namespace

std::vector<Call> uniform_grid_calls() {
  return {
      call("build_grid", [](Context& c, Given& g) { return bytes_of_grid(build_grid(c, g.mesh.view())); }),
      call("rebuild_grid", a_grid,
           [](Context& c, Given& g, Grid&) {
             Grid roomy = make_grid(c, 10000, 10000);
             rebuild_grid(c, roomy, g.moved.view());
             return bytes_of_grid(roomy);
           }),
      call("stats and validate of a grid", a_grid,
           [](Context& c, Given& g, Grid& grid) {
             Bytes bytes;
             append(bytes, std::vector<u64>{stats(c, grid).occupied_count, count_references(c, g.mesh.view()),
                                            u64{validate(c, grid, g.mesh.view()).is_valid()}});
             return bytes;
           }),
      call("hits in a grid", a_grid,
           [](Context& c, Given& g, Grid& grid) {
             closest_hits(c, grid.view(), g.mesh.view(), g.rays.span(), g.hits.span());
             any_hits(c, grid.view(), g.mesh.view(), g.rays.span(), g.bytes.span());
             return bytes_of(g.hits, g.bytes);
           }),
      call("build_frustum_grid", [](Context& c, Given& g) { return bytes_of_grid(a_frustum(c, g).cells); }),
      call("rebuild_frustum_grid", a_frustum,
           [](Context& c, Given& g, FrustumGrid& grid) {
             rebuild_frustum_grid(c, grid, g.mesh.view(), view_frustum(grid_camera));
             return bytes_of_grid(grid.cells);
           }),
      call("stats and validate of a frustum grid", a_frustum,
           [](Context& c, Given& g, FrustumGrid& grid) {
             Bytes bytes;
             append(bytes, std::vector<u64>{stats(c, grid).occupied_count,
                                            u64{validate(c, grid, g.mesh.view()).is_valid()}});
             return bytes;
           }),
      call("hits in a frustum grid", a_frustum,
           [](Context& c, Given& g, FrustumGrid& grid) {
             closest_hits(c, grid.view(), g.mesh.view(), 8, 8, g.hits.span());
             return bytes_of(g.hits);
           }),
  };
}

std::vector<Call> voxel_calls() {
  return {
      call("build_voxels",
           [](Context& c, Given& g) {
             const Voxels voxels = build_voxels(c, g.mesh.view(), 40, VoxelRule::inside);
             Bytes bytes = bytes_of(voxels.words, voxels.counts);
             append(bytes, std::vector<u64>{count_voxels(c, voxels)});
             return bytes;
           }),
      call("build_bricks", [](Context& c, Given& g) { return bytes_of_bricks(c, some_bricks(c, g)); }),
      call("rebuild_bricks", some_bricks,
           [](Context& c, Given& g, Bricks& bricks) {
             rebuild_bricks(c, bricks, g.mesh.view());
             return bytes_of_bricks(c, bricks);
           }),
      call("build_brick_blocks",
           [](Context& c, Given& g) {
             Bytes bytes;
             build_brick_blocks(c, g.mesh.view(), {.resolution = 40, .block_layers = 8},
                                [&](const BrickBlock& block) { append(bytes, download(c, block.keys)); });
             return bytes;
           }),
      call("build_octree and build_dag", some_bricks,
           [](Context& c, Given&, Bricks& bricks) {
             const VoxelTree octree = build_octree(c, bricks);
             const VoxelTree dag = build_dag(c, octree);
             const VoxelTree copy = upload(c, download(dag));
             return bytes_of(octree.nodes, octree.leaves, dag.nodes, copy.leaves);
           }),
      call("build_nano_grid", some_bricks,
           [](Context& c, Given&, Bricks& bricks) { return bytes_of(build_nano_grid(c, bricks).words); }),
      call("build_distance_field",
           [](Context& c, Given& g) {
             const DistanceField field = build_distance_field(c, g.mesh.view(), {.resolution = 24});
             Buffer<FieldHit> hits(c, g.rays.size());
             first_surfaces(c, field.view(), g.rays.span(), hits.span());
             return bytes_of(hits, build_nano_grid(c, field).words);
           }),
  };
}

std::vector<Call> kd_tree_calls() {
  return {
      call("build_sah_kd_tree",
           [](Context& c, Given& g) {
             const SahKdTree tree = a_kd(c, g);
             return bytes_of(tree.nodes, tree.primitive_ids, tree.bounds);
           }),
      call("hits and validate of a kd-tree", a_kd,
           [](Context& c, Given& g, SahKdTree& tree) {
             closest_hits(c, tree.view(), g.mesh.view(), g.rays.span(), g.hits.span());
             any_hits(c, tree.view(), g.mesh.view(), g.rays.span(), g.bytes.span());
             Bytes bytes = bytes_of(g.hits, g.bytes);
             append(bytes, std::vector<u32>{validate(c, tree, g.mesh.view()).is_valid()});
             return bytes;
           }),
      call("save_tree and load_sah_kd_tree", a_kd,
           [](Context& c, Given& g, SahKdTree& tree) {
             save_tree(g.folder / "kd.copse", c, generate_sphere(2), tree);
             const SahKdTreeFile file = load_sah_kd_tree(g.folder / "kd.copse", c);
             return bytes_of(file.tree.nodes, file.tree.primitive_ids);
           }),
  };
}

std::vector<Call> point_calls() {
  const auto hash_grid = [](Context& c, Given& g) { return build_hash_grid(c, g.mesh.positions.span()); };
  const auto kd_tree = [](Context& c, Given& g) { return build_kd_tree(c, g.mesh.positions.span()); };
  const auto point_bvh = [](Context& c, Given& g) { return build_point_bvh(c, g.mesh.positions.span()); };
  return {
      call("build, rebuild and validate a hash grid", hash_grid,
           [](Context& c, Given& g, HashGrid& grid) {
             rebuild_hash_grid(c, grid, g.mesh.positions.span());
             Bytes bytes = bytes_of(grid.shape, grid.bucket_begins, grid.points);
             append(bytes, std::vector<u64>{stats(c, grid).occupied_count,
                                            u64{validate(c, grid, g.mesh.positions.span()).is_valid()}});
             return bytes;
           }),
      call("build, rebuild and validate a kd-tree of points", kd_tree,
           [](Context& c, Given& g, KdTree& tree) {
             rebuild_kd_tree(c, tree, g.mesh.positions.span());
             Bytes bytes = bytes_of(tree.nodes, tree.counts);
             append(bytes, std::vector<u32>{validate(c, tree, g.mesh.positions.span()).is_valid()});
             return bytes;
           }),
      call("build, rebuild and validate a PointBvh", point_bvh,
           [](Context& c, Given& g, PointBvh& bvh) {
             rebuild_point_bvh(c, bvh, g.mesh.positions.span());
             Bytes bytes = bytes_of(bvh.points, bvh.counts);
             append(bytes, std::vector<u32>{validate(c, bvh, g.mesh.positions.span()).is_valid()});
             return bytes;
           }),
      call("neighbours in a hash grid", hash_grid,
           [](Context& c, Given& g, HashGrid& grid) { return neighbours_in(c, g, grid.view()); }),
      call("neighbours in a kd-tree of points", kd_tree,
           [](Context& c, Given& g, KdTree& tree) { return neighbours_in(c, g, tree.view()); }),
      call("neighbours in a PointBvh", point_bvh,
           [](Context& c, Given& g, PointBvh& bvh) { return neighbours_in(c, g, bvh.view()); }),
      call("save_tree and load_kd_tree", kd_tree,
           [](Context& c, Given& g, KdTree& tree) {
             save_tree(g.folder / "points.copse", c, generate_sphere(2).positions, tree);
             return bytes_of(load_kd_tree(g.folder / "points.copse", c).tree.nodes);
           }),
  };
}

}  // namespace copse::test
