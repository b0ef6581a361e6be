// Binned SAH: nodes are split from the root down, where the surface area heuristic expects the lowest cost.
//
// Source: Wald, "On Fast Construction of SAH-Based Bounding Volume Hierarchies", RT 2007; MacDonald, Booth,
// "Heuristics for Ray Tracing Using Space Subdivision", The Visual Computer, 1990, for the cost of a tree. Where we
// differ:
//
//   - The items of a node keep their order on either side of a split, and the place of a node follows from the split
//     of its parent. So the tree is a function of the primitives alone, with any number of threads.
//   - A side of a split costs its area times n^(13/16), not n: what is below it is a subtree (side_weight).
//   - Small nodes are swept exactly.
//   - Below a certain depth, nodes are halved, so that no input takes quadratic time.
//   - Rotations then repair poor greedy splits near the root (rotate.h).
//
// The cooperative stage, sah_cpu.h and sah.cuh:
//
//   split_top_down(ex, n, in)
//     Builds the tree over the first *in.valid_count items, at most `n`. Nodes of more than max_swept_items are split
//     by bins over the bounds of their items' centres (SahSplit), others by a sweep (SahSweep, defined by
//     sah_sweep_cpu.h). It overwrites `in.items` and `in.spare`.

#include "builders/bvh/build/tree_body.h"
#include "builders/bvh/sah.h"
#include "builders/bvh/sah/rotate.h"
#include "builders/bvh/sah/sah_leaves.h"
#include "builders/geometry/primitive_bounds.h"
#include "primitives/bottom_up.h"
#include "primitives/inputs.h"
#include "primitives/loops/zeroed_words.h"
#include "primitives/partition.h"
#include "primitives/reduce.h"
#include "primitives/scan.h"

namespace copse::detail {

/// Returns whether a primitive is valid: its box is not empty.
template <class Boxes>
struct HasBox {
  Boxes boxes;
  COPSE_HD bool operator()(u64 i) const { return !is_empty(boxes(u32(i))); }
};

/// Makes an item of each valid primitive. The ids of the invalid ones go behind all valid ones.
template <class Boxes>
struct MakeSahItem {
  Boxes boxes;
  SahItem* items;
  u32* primitive_ids;
  COPSE_HD void operator()(u64 place, u64 i) const {
    const Aabb box = boxes(u32(i));
    if (is_empty(box)) {
      primitive_ids[place] = u32(i);
    } else {
      items[place] = SahItem::of(box, u32(i));
    }
  }
};

/// The centre of an item, as a box.
struct SahCentre {
  const SahItem* items;
  const u64* count;
  COPSE_HD Aabb operator()(u64 i) const {
    if (i >= *count) return Aabb::empty();
    const vec3 centre = items[i].centre();
    return {centre, centre};
  }
};

struct NarrowCount {
  const u64* from;
  u32* to;
  COPSE_HD void operator()(u64) const { *to = u32(*from); }
};

/// Writes the counts and, for a tree without primitives, its empty root.
struct WriteSahCounts {
  const u32* valid_count;
  const u32* leaf_count;
  u32 source_count;
  BvhArrays bvh;
  COPSE_HD void operator()(u64) const {
    const u32 valid = *valid_count, leaves = *leaf_count;
    store_counts(bvh, leaves, valid, source_count);
  }
};

/// The counts and bounds of the items of a build.
struct SahCounts {
  u64 wide_valid_count;
  u32 valid_count;
  u32 leaf_count;
  Aabb centres;
};

template <class Executor, class Boxes>
void make_items(const Executor& ex, const Boxes& boxes, u64 n, SahItem* items, u32* primitive_ids,
                SahCounts* counts) {
  partition_each(ex, "sah: items", n, HasBox<Boxes>{boxes}, MakeSahItem<Boxes>{boxes, items, primitive_ids},
                 &counts->wide_valid_count);
  for_each(ex, "sah: count", 1, NarrowCount{&counts->wide_valid_count, &counts->valid_count});
  reduce(ex, "sah: centres", n, SahCentre{items, &counts->wide_valid_count}, Aabb::empty(), MergeBoxes{},
         &counts->centres);
}

/// Builds the tree by splits, without rotations.
template <class Executor, class Boxes>
void split_tree(const Executor& ex, const Boxes& boxes, u64 n, const SahOptions& options, const BvhArrays& bvh) {
  ScratchArena::Frame frame(ex.scratch);
  auto* counts = frame.allocate<SahCounts>(1);
  SahItem* items = frame.allocate<SahItem>(n);
  make_items(ex, boxes, n, items, bvh.primitive_ids, counts);

  SahInput in{items,
              frame.allocate<SahItem>(n),
              &counts->valid_count,
              &counts->centres,
              options.bin_count,
              options.max_leaf_size,
              options.costs,
              {bvh.nodes, bvh.parents, bvh.primitive_ids}};
  const u32* leaf_count = &counts->valid_count;
  if (options.max_leaf_size == 1) {
    split_top_down(ex, n, in);
  } else {
    with_sparse_tree(ex, n, &counts->valid_count, bvh, &counts->leaf_count, [&](const SahTree& tree) {
      in.tree = tree;
      split_top_down(ex, n, in);
    });
    leaf_count = &counts->leaf_count;
  }
  for_each(ex, "sah: counts", 1, WriteSahCounts{&counts->valid_count, leaf_count, u32(n), bvh});
}

template <class Executor, class Boxes>
void build_over(const Executor& ex, const Boxes& boxes, u64 n, const SahOptions& options, const BvhArrays& bvh) {
  split_tree(ex, boxes, n, options, bvh);
  for (u32 pass = 0; pass < options.rotation_passes; ++pass) rotate_tree(ex, n, bvh);
}

template <class Executor>
u64 build_over_scratch_bytes(const Executor& ex, u64 n, PrimitiveKind, const SahOptions& options) {
  u64 split_bytes = split_top_down_scratch_bytes(ex, n);
  if (options.max_leaf_size > 1) split_bytes = sparse_tree_scratch_bytes(ex, n, split_bytes);
  const u64 items_bytes = larger(u64(partition_scratch_bytes<u32>(ex, n)), u64(reduce_scratch_bytes<Aabb>(ex, n)));
  const u64 spare_bytes = ScratchArena::bytes_for<SahItem>(n);
  split_bytes = ScratchArena::bytes_for<SahCounts>(1) + ScratchArena::bytes_for<SahItem>(n) +
                larger(items_bytes, spare_bytes + split_bytes);
  const u64 rotation_bytes = options.rotation_passes > 0 ? rotate_tree_scratch_bytes(ex, n) : 0;
  return larger(split_bytes, rotation_bytes);
}

template void build_over_triangles(const BodyExecutor&, std::span<const TriangleView>, u64, const SahOptions&,
                                   const BvhArrays&);
template void build_over_boxes(const BodyExecutor&, const Aabb*, u64, const SahOptions&, const BvhArrays&);
template u64 build_scratch_bytes(const BodyExecutor&, u64, u64, const SahOptions&);

}  // namespace copse::detail
