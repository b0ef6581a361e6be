// Compares the triangles of a batch with the leaves of its tree, for contexts that validate.

#include <span>
#include <type_traits>

#include "builders/geometry/make_triangle_table.h"
#include "primitives/core/bits.h"
#include "primitives/reduce.h"
#include "trace/batch/leaf_fault.h"
#include "trace/hit/triangle_tests.h"
#include "trace/tree_view.h"

namespace copse::detail {

namespace {

/// The first fault in the leaves of a node, as a LeafFault. In binary trees a leaf is a node itself.
///   Triangles: TriangleTable, or BufferSpan<const PackedTriangle>
template <class View, class Triangles>
struct FaultOfNode {
  View bvh;
  Triangles triangles;

  COPSE_HD u64 operator()(u64 i) const {
    if (i >= bvh.counts.data()->node_count) return LeafFault::none;
    return fault_of(bvh.nodes.data()[i]);
  }

 private:
  COPSE_HD u64 fault_of(const BvhNode& node) const {
    return node.is_leaf() ? fault_in(node.first, node.count, node.box()) : LeafFault::none;
  }
  template <class Node>
  COPSE_HD u64 fault_of(const Node& node) const {
    u64 fault = LeafFault::none;
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = node.child(slot);
      if (child.is_leaf()) fault = smaller(fault, fault_in(child.first, child.count, node.child_box(slot)));
    }
    return fault;
  }

  COPSE_HD u64 fault_in(u32 first, u32 count, const Aabb& leaf) const {
    const auto source = triangles_of(triangles);
    const u32* ids = bvh.primitive_ids.data();
    for (u64 place = first; place < u64{first} + count; ++place) {
      const u32 at = source.takes_places ? u32(place) : ids[place];
      if (ids != nullptr && source.primitive(at) != ids[place]) return LeafFault::of_id(place);
      const Aabb box = bounds(source.triangle(at));
      // A refit leaves triangles that have become infinite out of the boxes. With splits a leaf may hold only a part
      // of one.
      const bool fits = bvh.repeats == nullptr ? merge(leaf, box) == leaf : !is_empty(intersection(leaf, box));
      if (is_valid(box) && !fits) return LeafFault::of_box(place);
    }
    return LeafFault::none;
  }
};

struct FirstFault {
  COPSE_HD u64 operator()(u64 a, u64 b) const { return smaller(a, b); }
};

template <class Executor>
TriangleTable source_of(const Executor& ex, ScratchArena::Frame& frame, std::span<const TriangleView> views) {
  return make_triangle_table(ex, frame, views);
}
template <class Executor>
BufferSpan<const PackedTriangle> source_of(const Executor&, ScratchArena::Frame&,
                                           BufferSpan<const PackedTriangle> packed) {
  return packed;
}

}  // namespace

template <class Executor, class View, class Triangles>
void find_leaf_fault(const Executor& ex, const View& bvh, const Triangles& triangles, u64* fault) {
  ScratchArena::Frame frame(ex.scratch);
  const auto source = source_of(ex, frame, triangles);
  reduce(ex, "validate: leaves", bvh.nodes.size(),
         FaultOfNode<View, std::remove_cv_t<decltype(source)>>{bvh, source}, LeafFault::none, FirstFault{}, fault);
}

#define COPSE_CHECK_LEAVES(View)                                                                               \
  template void find_leaf_fault(const BodyExecutor&, const View&, const std::span<const TriangleView>&, u64*); \
  template void find_leaf_fault(const BodyExecutor&, const View&, const BufferSpan<const PackedTriangle>&, u64*)

COPSE_CHECK_LEAVES(BvhView);
COPSE_CHECK_LEAVES(Bvh4View);
COPSE_CHECK_LEAVES(CompressedBvh4View);
COPSE_CHECK_LEAVES(CompressedBvh8View);

#undef COPSE_CHECK_LEAVES

}  // namespace copse::detail
