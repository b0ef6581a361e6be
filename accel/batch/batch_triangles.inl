// The triangles of a batch of meshes: computes their boxes before the trees are built, and packs them in the order of
// the leaves afterwards.

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

struct PackMeshTriangle {
  BatchMeshes meshes;
  const u32* moved;
  ForestArrays trees;
  PackedTriangle* packed;
  u32* masks;

  COPSE_HD void operator()(u64 i) const {
    const u32 mesh = meshes.shape.tree_of[i];
    if (moved != nullptr && moved[mesh] == 0) return;
    if (i - meshes.shape.begins[mesh] >= trees.counts[mesh].primitive_count) return;
    const TriangleView& view = meshes.views[mesh];
    const u32 id = trees.primitive_ids[i];
    const Triangle t = load_triangle(view, id);
    store_whole(PackedTriangle{t.a, id, t.b, view.geometry, t.c, id}, packed + i);
    if (masks != nullptr) masks[i] = view.mask;
  }
};

}  // namespace

template <class Executor>
void store_mesh_boxes(const Executor& ex, const BatchMeshes& meshes, const u32* moved, Aabb* boxes) {
  for_each(ex, "batch: boxes", meshes.shape.primitive_count, StoreMeshBox{meshes, moved, boxes});
}

template <class Executor>
void pack_mesh_triangles(const Executor& ex, const BatchMeshes& meshes, const u32* moved,
                         const ForestArrays& trees, PackedTriangle* packed, u32* masks) {
  for_each(ex, "batch: pack triangles", meshes.shape.primitive_count,
           PackMeshTriangle{meshes, moved, trees, packed, masks});
}

template void store_mesh_boxes(const BodyExecutor&, const BatchMeshes&, const u32*, Aabb*);
template void pack_mesh_triangles(const BodyExecutor&, const BatchMeshes&, const u32*, const ForestArrays&,
                                  PackedTriangle*, u32*);

}  // namespace copse::detail
