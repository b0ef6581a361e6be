// Binary and wide trees, and what is traced and asked through them.

#include "copse/queries.h"
#include "tests/trust/calls.h"

namespace copse::test {

namespace {

template <class Options>
auto tree_by(const Options& options) {
  return [options](Context& c, Given& g) { return build(c, g.mesh.view(), options); };
}

const auto lbvh_tree = tree_by(LbvhOptions{});

template <class Tree>
auto wide_tree() {
  return [](Context& c, Given& g) { return collapse<Tree>(c, build(c, g.mesh.view(), LbvhOptions{})); };
}

template <class Options>
Call build_call(const char* name, const Options& options) {
  return call(name, [options](Context& c, Given& g) { return bytes_of(build(c, g.mesh.view(), options)); });
}
template <class Options>
Call rebuild_call(const char* name, const Options& options) {
  return call(name, tree_by(options), [options](Context& c, Given& g, Bvh& bvh) {
    rebuild(c, bvh, g.moved.view(), options);
    return bytes_of(bvh);
  });
}
template <class Tree>
Call collapse_call(const char* name) {
  return call(name, lbvh_tree, [](Context& c, Given&, Bvh& bvh) { return bytes_of(collapse<Tree>(c, bvh)); });
}
template <class Tree>
Call trace_call(const char* name) {
  return call(name, wide_tree<Tree>(), [](Context& c, Given& g, Tree& tree) {
    closest_hits(c, tree.view(), g.mesh.view(), g.rays.span(), g.hits.span());
    any_hits(c, tree.view(), g.mesh.view(), g.rays.span(), g.bytes.span());
    return bytes_of(g.hits, g.bytes);
  });
}

Bytes bytes_of_trees(const RayTrees& trees) {
  Bytes bytes = bytes_of(trees.binary);
  const Bytes more = bytes_of(trees.wide_triangles.triangles, trees.binary_triangles.triangles);
  bytes.insert(bytes.end(), more.begin(), more.end());
  return bytes;
}

const auto ray_trees = [](Context& c, Given& g) {
  return make_ray_trees(c, build(c, g.mesh.view(), HplocOptions{}), g.mesh.view());
};

std::vector<Call> build_calls() {
  return {
      build_call("build by LBVH", LbvhOptions{}),
      build_call("build by LBVH with a new top", LbvhOptions{.top = Top::sah}),
      build_call("build by LBVH with splits", LbvhOptions{.splits = 1.5f}),
      build_call("build by H-PLOC", HplocOptions{}),
      build_call("build by SAH", SahOptions{.rotation_passes = 2}),
      rebuild_call("rebuild by LBVH", LbvhOptions{}),
      rebuild_call("rebuild from the last order", LbvhOptions{.from_last_order = true}),
      rebuild_call("rebuild by H-PLOC", HplocOptions{}),
      rebuild_call("rebuild by SAH", SahOptions{}),
      call("build over boxes",
           [](Context& c, Given& g) { return bytes_of(build(c, BoxView{g.boxes.span()}, HplocOptions{})); }),
      call("build over two views",
           [](Context& c, Given& g) {
             const std::vector<TriangleView> views = {g.mesh.view(0), g.moved.view(1)};
             return bytes_of(build(c, views, SahOptions{}));
           }),
      call("make_bvh", [](Context& c, Given&) { return bytes_of(make_bvh(c, 100).counts); }),
      collapse_call<Bvh4>("collapse to Bvh4"),
      collapse_call<CompressedBvh4>("collapse to CompressedBvh4"),
      collapse_call<CompressedBvh8>("collapse to CompressedBvh8"),
      call("compact_copy", wide_tree<Bvh4>(),
           [](Context& c, Given&, Bvh4& tree) { return bytes_of(compact_copy(c, tree)); }),
      call("make_ray_trees", [](Context& c, Given& g) { return bytes_of_trees(ray_trees(c, g)); }),
  };
}

std::vector<Call> change_calls() {
  return {
      call("refit a binary tree", lbvh_tree,
           [](Context& c, Given& g, Bvh& bvh) {
             refit(c, bvh, g.moved.view());
             return bytes_of(bvh);
           }),
      call("refit a wide tree", wide_tree<CompressedBvh8>(),
           [](Context& c, Given& g, CompressedBvh8& tree) {
             refit(c, tree, g.moved.view());
             return bytes_of(tree);
           }),
      call("reinsert", lbvh_tree,
           [](Context& c, Given& g, Bvh& bvh) {
             rebuild(c, bvh, g.mesh.view(), LbvhOptions{});
             reinsert(c, bvh);
             return bytes_of(bvh);
           }),
      call("rebuild_top", lbvh_tree,
           [](Context& c, Given& g, Bvh& bvh) {
             rebuild(c, bvh, g.mesh.view(), LbvhOptions{});
             rebuild_top(c, bvh);
             return bytes_of(bvh);
           }),
      call("refit_or_rebuild", lbvh_tree,
           [](Context& c, Given& g, Bvh& bvh) {
             RebuildAdvisor advisor(c, {.max_refits = 1});
             rebuild(c, bvh, g.mesh.view(), LbvhOptions{});
             note_build(c, advisor, bvh);
             for (int k = 0; k < 2; ++k) refit_or_rebuild(c, bvh, g.moved.view(), LbvhOptions{}, advisor);
             return bytes_of(bvh);
           }),
      call("refit RayTrees", ray_trees,
           [](Context& c, Given& g, RayTrees& trees) {
             refit(c, trees, g.moved.view());
             return bytes_of_trees(trees);
           }),
      call("pack_triangles", lbvh_tree,
           [](Context& c, Given& g, Bvh& bvh) {
             const std::vector<TriangleView> view = {g.mesh.view()};
             PackedTriangles packed = pack_triangles(c, bvh.view(), view);
             repack_triangles(c, packed, bvh.view(), view);
             return bytes_of(packed.triangles);
           }),
  };
}

std::vector<Call> answer_calls() {
  return {
      trace_call<Bvh4>("hits through Bvh4"),
      trace_call<CompressedBvh4>("hits through CompressedBvh4"),
      trace_call<CompressedBvh8>("hits through CompressedBvh8"),
      call("hits through a binary tree", lbvh_tree,
           [](Context& c, Given& g, Bvh& bvh) {
             closest_hits(c, bvh.view(), g.mesh.view(), g.rays.span(), g.hits.span());
             return bytes_of(g.hits);
           }),
      call("hits through RayTrees", ray_trees,
           [](Context& c, Given& g, RayTrees& trees) {
             closest_hits(c, trees.view(), g.rays.span(), g.hits.span());
             return bytes_of(g.hits);
           }),
      call("stats and validate", lbvh_tree,
           [](Context& c, Given& g, Bvh& bvh) {
             Bytes bytes;
             append(bytes, std::vector<double>{stats(c, bvh).sah_cost, end_point_overlap(c, bvh, g.mesh.view())});
             append(bytes, std::vector<u32>{validate(c, bvh, g.mesh.view()).is_valid()});
             return bytes;
           }),
      call("count_visits", lbvh_tree,
           [](Context& c, Given& g, Bvh& bvh) {
             const PackedTriangles packed = pack_triangles(c, bvh.view(), g.mesh.view());
             Buffer<VisitCounter> visits(c, g.rays.size());
             count_visits(c, bvh.view(), packed.view(), g.rays.span(), visits.span());
             return bytes_of(visits);
           }),
      call("TreeCopy", wide_tree<CompressedBvh4>(),
           [](Context& c, Given& g, CompressedBvh4& tree) {
             const TreeCopy copy(c, tree.view());
             const PackedTriangles packed = pack_triangles(c, tree.view(), g.mesh.view());
             const std::vector<PackedTriangle> triangles = packed.triangles.download();
             const Ray ray = g.rays.download()[0];
             const TreeWalk walk =
                 copy.walk(BufferSpan<const PackedTriangle>(triangles.data(), triangles.size()), ray);
             Bytes bytes;
             append(bytes, copy.nodes().children);
             append(bytes, walk.nodes);
             return bytes;
           }),
      call("queries through a tree", lbvh_tree,
           [](Context& c, Given& g, Bvh& bvh) {
             Buffer<NearestPoint> nearest(c, g.points.size());
             nearest_points(c, bvh.view(), g.mesh.view(), g.points.span(), nearest.span());
             points_inside(c, bvh.view(), g.mesh.view(), g.points.span(), g.bytes.span());
             const OverlapLists lists =
                 all_overlaps<Aabb>(c, bvh.view(), g.mesh.view(), BufferSpan<const Aabb>(g.boxes.span()));
             return bytes_of(nearest, g.bytes, lists.offsets, lists.primitives);
           }),
      call("self_overlaps", lbvh_tree,
           [](Context& c, Given& g, Bvh& bvh) { return bytes_of(self_overlaps(c, bvh.view(), g.mesh.view())); }),
      call("render through a tree", lbvh_tree,
           [](Context& c, Given& g, Bvh& bvh) {
             const Camera camera = look_at({0, 0, 4}, {0, 0, 0}, {0, 1, 0}, 40, 1);
             Bytes bytes;
             append(bytes, render(c, bvh.view(), g.mesh.view(), camera, {.width = 8, .height = 8}).pixels);
             return bytes;
           }),
  };
}

}  // namespace

std::vector<Call> tree_calls() {
  std::vector<Call> calls;
  for (const auto& table : {build_calls(), change_calls(), answer_calls()}) {
    calls.insert(calls.end(), table.begin(), table.end());
  }
  return calls;
}

}  // namespace copse::test
