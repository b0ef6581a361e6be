// Proof that a tree is what it should be. First the indices, trusting nothing; then all that follows them.

#include "builders/bvh/measure/validate_body.h"
#include "builders/bvh/measure/validate_primitives.h"
#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/primitive_boxes.h"
#include "primitives/tree_walk.h"

namespace copse::detail {

struct CheckNodeIndices {
  BvhView bvh;
  BvhCounts counts;
  u32* references;  // [pair]: nodes that have it as children
  Faults* faults;

  COPSE_HD void operator()(u64 i) const {
    const BvhNode node = bvh.nodes.data()[i];
    if (node.is_leaf()) {
      if (node.first >= counts.primitive_count || node.count > counts.primitive_count - node.first) {
        count_fault(&faults->bad_indices);
      }
      return;
    }
    const bool in_range = node.first % 2 == 1 && node.first < counts.node_count - 1;
    if (!in_range || bvh.parents.data()[sibling_pair(node.first)] != i) {
      count_fault(&faults->bad_indices);
    }
    if (in_range) fetch_add_relaxed(&references[sibling_pair(node.first)], 1u);
  }
};

struct CheckReferences {
  BvhView bvh;
  BvhCounts counts;
  const u32* references;
  Faults* faults;
  COPSE_HD void operator()(u64 pair) const {
    if (references[pair] != 1) count_fault(&faults->wrong_references);
    if (bvh.parents.data()[pair] >= counts.node_count) count_fault(&faults->bad_indices);
  }
};

template <class Executor>
void check_indices(const Executor& ex, const BvhView& bvh, const BvhCounts& counts, u32 source_count,
                   Faults* faults) {
  if (counts.node_count == 0) return;
  const u64 pair_count = counts.node_count / 2;
  ScratchArena::Frame frame(ex.scratch);
  u32* references = frame.allocate<u32>(pair_count);
  fill_bytes(ex, "validate: clear references", references, pair_count, 0);
  for_each(ex, "validate: node indices", counts.node_count, CheckNodeIndices{bvh, counts, references, faults});
  for_each(ex, "validate: references", pair_count, CheckReferences{bvh, counts, references, faults});
  for_each(ex, "validate: primitive ids", counts.primitive_count,
           CheckPrimitiveIds{bvh.primitive_ids.data(), source_count, faults});
}

/// Counts how often each primitive stands in a leaf.
struct CountPrimitives {
  BvhView bvh;
  u32* uses;
  COPSE_HD void operator()(u64 i) const {
    const BvhNode node = bvh.nodes.data()[i];
    count_uses(bvh.primitive_ids.data(), node.first, node.count, uses);
  }
};

template <class Boxes>
struct CheckBoxes {
  Boxes boxes;
  BvhView bvh;
  Faults* faults;

  COPSE_HD Aabb content(const BvhNode& node) const {
    if (!node.is_leaf()) {
      return merge(bvh.nodes.data()[node.first].box(), bvh.nodes.data()[node.first + 1].box());
    }
    Aabb box = Aabb::empty();
    for (u32 k = 0; k < node.count; ++k) box = merge(box, boxes(bvh.primitive_ids.data()[node.first + k]));
    return box;
  }
  COPSE_HD void operator()(u64 i) const {
    const BvhNode node = bvh.nodes.data()[i];
    if (!(node.box() == content(node))) count_fault(&faults->loose_boxes);
  }
};

struct CountVisit {
  Faults* faults;
  COPSE_HD void operator()(u32, u32) const { count_fault(&faults->visited_nodes); }
};

/// Nodes that walks from the leaves reach: all of them, unless children and parents form a loop.
struct WalkFromLeaves {
  BvhView bvh;
  u32* arrivals;
  Faults* faults;
  COPSE_HD void operator()(u64 i) const {
    if (!bvh.nodes.data()[i].is_leaf()) return;
    count_fault(&faults->visited_nodes);
    walk_up(SiblingPairs{bvh.parents.data()}, u32(i), arrivals, CountVisit{faults});
  }
};

template <class Executor, class Boxes>
void check_content(const Executor& ex, const BvhView& bvh, const BvhCounts& counts, const Boxes& boxes,
                   u32 source_count, Faults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  u32* uses = frame.allocate<u32>(source_count);
  u32* arrivals = frame.allocate<u32>(counts.node_count / 2);
  fill_bytes(ex, "validate: clear uses", uses, source_count, 0);
  fill_bytes(ex, "validate: clear arrivals", arrivals, counts.node_count / 2, 0);
  for_each(ex, "validate: count primitives", counts.node_count, CountPrimitives{bvh, uses});
  for_each(ex, "validate: primitives", source_count, CheckPrimitives<Boxes>{boxes, uses, faults});
  for_each(ex, "validate: boxes", counts.node_count, CheckBoxes<Boxes>{boxes, bvh, faults});
  for_each(ex, "validate: walks", counts.node_count, WalkFromLeaves{bvh, arrivals, faults});
}

template <class Executor>
void check_triangles(const Executor& ex, const BvhView& bvh, const BvhCounts& counts,
                     std::span<const TriangleView> views, u32 source_count, Faults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  check_content(ex, bvh, counts, TriangleBoxes{make_triangle_table(ex, frame, views)}, source_count, faults);
}

template <class Executor>
void check_boxes(const Executor& ex, const BvhView& bvh, const BvhCounts& counts, const Aabb* boxes,
                 u32 source_count, Faults* faults) {
  check_content(ex, bvh, counts, CustomBoxes{boxes}, source_count, faults);
}

template void check_indices(const BodyExecutor&, const BvhView&, const BvhCounts&, u32, Faults*);
template void check_triangles(const BodyExecutor&, const BvhView&, const BvhCounts&, std::span<const TriangleView>,
                              u32, Faults*);
template void check_boxes(const BodyExecutor&, const BvhView&, const BvhCounts&, const Aabb*, u32, Faults*);

}  // namespace copse::detail
