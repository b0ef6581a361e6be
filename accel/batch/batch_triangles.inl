// The trees of a batch of meshes: computes the boxes of the triangles, builds the trees, and packs the triangles in the
// order of the leaves. On CUDA, where a block builds a small tree as a whole, it does all three
// (builders/bvh/forest/small_trees.cuh).

#include "accel/batch/batch_meshes.h"

namespace copse::detail {

namespace {

struct StoreMeshBox {
  BatchMeshes meshes;
  const u32* moved;
  Aabb* boxes;

  COPSE_HD void operator()(u64 i) const {
    const u32 mesh = meshes.shape.tree_of[i];
    if (moved != nullptr && moved[mesh] == 0) return;
    boxes[i] = bounds(load_triangle(meshes.views[mesh], i - meshes.shape.begins[mesh]));
  }
};

/// Packs a triangle of a mesh at place i of all meshes.
COPSE_HD inline void pack_triangle(const TriangleView& view, u32 id, u64 i, const BatchArrays& out) {
  const Triangle t = load_triangle(view, id);
  store_whole(PackedTriangle{t.a, id, t.b, view.geometry, t.c, id}, out.packed + i);
  if (out.masks != nullptr) out.masks[i] = view.mask;
}

struct PackMeshTriangle {
  BatchMeshes meshes;
  const u32* moved;
  BatchArrays out;

  COPSE_HD void operator()(u64 i) const {
    const u32 mesh = meshes.shape.tree_of[i];
    if (moved != nullptr && moved[mesh] == 0) return;
    if (i - meshes.shape.begins[mesh] >= out.trees.counts[mesh].primitive_count) return;
    pack_triangle(meshes.views[mesh], out.trees.primitive_ids[i], i, out);
  }
};

struct OrderMeshWord {
  const u32* mesh_of_tree;
  const u32* words;
  u32* words_of_trees;

  COPSE_HD void operator()(u64 tree) const { words_of_trees[tree] = words[mesh_of_tree[tree]]; }
};

/// The triangles as primitives of trees that are built as a whole; see StoredBoxes.
struct MeshPrimitives {
  static constexpr bool are_packed = true;
  BatchMeshes meshes;
  BatchArrays out;

  struct OfTree {
    const TriangleView& view;
    const BatchArrays& out;
    u32 begin;

    COPSE_HD Aabb box(u32 i) const { return bounds(load_triangle(view, i)); }
    COPSE_HD void pack(u32 i, u32 place) const { pack_triangle(view, i, u64{begin} + place, out); }
  };
  COPSE_HD OfTree of_tree(u32 mesh, u32 begin) const { return {meshes.views[mesh], out, begin}; }
};

}  // namespace

template <class Executor>
void store_mesh_boxes(const Executor& ex, const BatchMeshes& meshes, const u32* moved, Aabb* boxes) {
  for_each(ex, "batch: boxes", meshes.shape.primitive_count, StoreMeshBox{meshes, moved, boxes});
}

template <class Executor>
void pack_mesh_triangles(const Executor& ex, const BatchMeshes& meshes, const u32* moved, const BatchArrays& out) {
  for_each(ex, "batch: pack triangles", meshes.shape.primitive_count, PackMeshTriangle{meshes, moved, out});
}

template <class Executor>
void order_mesh_words(const Executor& ex, const u32* mesh_of_tree, u32 tree_count, const u32* words,
                      u32* words_of_trees) {
  for_each(ex, "batch: order words", tree_count, OrderMeshWord{mesh_of_tree, words, words_of_trees});
}

template <class Executor>
void build_mesh_trees(const Executor& ex, const BatchMeshes& meshes, const ForestOptions& options,
                      u32 max_leaf_size, const BatchArrays& out) {
  BatchMeshes rest = meshes;
  if constexpr (body_backend == Backend::cuda) {
    build_small_trees(ex, meshes.shape, options, MeshPrimitives{meshes, out}, max_leaf_size, out.trees);
    rest.shape = trees_left(ex, meshes.shape, options);
    if (rest.shape.tree_count == 0) return;
  }
  ScratchArena::Frame frame(ex.scratch);
  Aabb* const boxes = frame.allocate<Aabb>(rest.shape.primitive_count);
  store_mesh_boxes(ex, rest, nullptr, boxes);
  build_trees(ex, rest.shape, options, boxes, max_leaf_size, out.trees);
  pack_mesh_triangles(ex, rest, nullptr, out);
}

template <class Executor>
u64 build_mesh_trees_scratch_bytes(const Executor& ex, const ForestShape& shape, const ForestOptions& options) {
  ForestShape rest = shape;
  u64 small = 0;
  if constexpr (body_backend == Backend::cuda) {
    small = small_trees_scratch_bytes<MeshPrimitives>(ex, shape, options);
    rest = trees_left(ex, shape, options);
    if (rest.tree_count == 0) return small;
  }
  return larger(
      small, ScratchArena::bytes_for<Aabb>(rest.primitive_count) + build_trees_scratch_bytes(ex, rest, options));
}

template void build_mesh_trees(const BodyExecutor&, const BatchMeshes&, const ForestOptions&, u32,
                               const BatchArrays&);
template u64 build_mesh_trees_scratch_bytes(const BodyExecutor&, const ForestShape&, const ForestOptions&);
template void order_mesh_words(const BodyExecutor&, const u32*, u32, const u32*, u32*);
template void store_mesh_boxes(const BodyExecutor&, const BatchMeshes&, const u32*, Aabb*);
template void pack_mesh_triangles(const BodyExecutor&, const BatchMeshes&, const u32*, const BatchArrays&);

}  // namespace copse::detail
