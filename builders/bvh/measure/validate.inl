// Checks that a binary or wide tree is valid: first the indices, which may hold any values; then all that relies
// on them.

#include "builders/bvh/measure/link_checks.h"
#include "builders/bvh/measure/measured.h"
#include "builders/bvh/measure/repeat_checks.h"
#include "builders/bvh/wide/wide_encode.h"
#include "builders/bvh/wide/wide_tree.h"
#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/triangle_table.h"
#include "primitives/bottom_up.h"
#include "primitives/loops/zeroed_words.h"
#include "primitives/tree_walk.h"

namespace copse::detail {

/// Counts how often each primitive stands in a leaf.
template <class View>
struct CountPrimitives {
  View tree;
  u32* uses;

  COPSE_HD void operator()(u64 i) const { count_node(tree.nodes.data()[i]); }

 private:
  COPSE_HD void count_node(const BvhNode& node) const { count(node.first, node.count); }
  template <class Node>
  COPSE_HD void count_node(const Node& node) const {
    for (u32 slot = 0; slot < Node::width; ++slot) count(node.child(slot).first, node.child(slot).count);
  }
  COPSE_HD void count(u32 first, u32 count) const {
    for (u32 k = 0; k < count; ++k) fetch_add_relaxed(&uses[tree.primitive_ids.data()[first + k]], 1u);
  }
};

template <class Boxes>
struct CheckPrimitives {
  Boxes boxes;
  const u32* uses;
  bool may_repeat;
  Faults* faults;
  COPSE_HD void operator()(u64 i) const {
    const bool valid = !is_empty(boxes(u32(i)));
    if (valid && uses[i] == 0) count_fault(&faults->missing_primitives);
    if (uses[i] > 1 && !may_repeat) count_fault(&faults->repeated_primitives);
    if (!valid && uses[i] > 0) count_fault(&faults->invalid_primitives);
  }
};

template <class Boxes>
COPSE_HD Aabb box_of_leaf(const Boxes& boxes, const u32* primitive_ids, u32 first, u32 count) {
  Aabb box = Aabb::empty();
  for (u32 k = 0; k < count; ++k) box = merge(box, boxes(primitive_ids[first + k]));
  return box;
}

/// Checks that the box of a node is exactly the union of its children's boxes, or of its primitives'. The box of a leaf
/// with a part of a split primitive may be smaller.
template <class Boxes>
struct CheckBoxes {
  Boxes boxes;
  BvhView bvh;
  const u32* uses;  // of each primitive by leaves
  Faults* faults;

  COPSE_HD void operator()(u64 i) const {
    const BvhNode node = bvh.nodes.data()[i];
    const Aabb box = node.box(), expected = content(node);
    const bool fits =
        bvh.repeats != nullptr && has_split_primitive(node) ? merge(box, expected) == expected : box == expected;
    if (!fits) count_fault(&faults->loose_boxes);
  }

 private:
  COPSE_HD bool has_split_primitive(const BvhNode& node) const {
    for (u32 k = 0; k < node.count; ++k) {
      if (uses[bvh.primitive_ids.data()[node.first + k]] > 1) return true;
    }
    return false;
  }
  COPSE_HD Aabb content(const BvhNode& node) const {
    if (node.is_leaf()) return box_of_leaf(boxes, bvh.primitive_ids.data(), node.first, node.count);
    return merge(bvh.nodes.data()[node.first].box(), bvh.nodes.data()[node.first + 1].box());
  }
};

/// Checks the boxes of a wide node against exact ones, which walks carry up from the leaves.
template <class Node, class Boxes>
struct CheckWideBoxes {
  Boxes boxes;
  WideBvhView<Node> tree;
  Aabb* exact;  // [node]
  Faults* faults;

  COPSE_HD void operator()(u32 node, u32) const {
    count_fault(&faults->visited_nodes);
    const Node& found = tree.nodes.data()[node];
    Aabb contents[Node::width];
    for (u32 slot = 0; slot < Node::width; ++slot) contents[slot] = content(found.child(slot));
    Node expected = found;
    encode_boxes(expected, contents);
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const Aabb box = found.child_box(slot);
      const bool holds = is_empty(contents[slot]) || merge(box, contents[slot]) == box;
      // With splits, only the tree has the boxes of parts. So they cannot be encoded again: see CheckSplitTriangle.
      const bool fits = tree.repeats != nullptr || (holds && box == expected.child_box(slot));
      if (!fits) count_fault(&faults->loose_boxes);
    }
    exact[node] = merge_all(contents);
  }

 private:
  COPSE_HD Aabb content(const WideChild& child) const {
    if (child.is_inner()) return exact[child.first];
    return box_of_leaf(boxes, tree.primitive_ids.data(), child.first, child.count);
  }
};

template <class Node, class Boxes>
struct CheckLowestNode {
  CheckWideBoxes<Node, Boxes> check;
  COPSE_HD bool operator()(u32 node) const {
    if (inner_child_count(check.tree.nodes.data()[node]) > 0) return false;
    check(node, node);
    return true;
  }
};

struct CountVisit {
  Faults* faults;
  COPSE_HD void operator()(u32, u32) const { count_fault(&faults->visited_nodes); }
};

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

/// Checks all boxes, and counts the nodes that walks from the leaves reach: all of them, unless the links form a
/// loop.
template <class Executor, class Boxes>
void walk_and_check_boxes(const Executor& ex, const BvhView& bvh, const BvhCounts& counts, const Boxes& boxes,
                          const u32* uses, Faults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  u32* arrivals = frame.allocate<u32>(counts.node_count / 2);
  fill_bytes(ex, "validate: clear arrivals", arrivals, counts.node_count / 2, 0);
  for_each(ex, "validate: boxes", counts.node_count, CheckBoxes<Boxes>{boxes, bvh, uses, faults});
  for_each(ex, "validate: walks", counts.node_count, WalkFromLeaves{bvh, arrivals, faults});
}

template <class Executor, class Node, class Boxes>
void walk_and_check_boxes(const Executor& ex, const WideBvhView<Node>& tree, const WideBvhCounts& counts,
                          const Boxes& boxes, const u32*, Faults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  const CheckWideBoxes<Node, Boxes> check{boxes, tree, frame.allocate<Aabb>(counts.node_count), faults};
  bottom_up(ex, "validate: boxes", counts.node_count, counts.node_count,
            WideFamilies<Node>{tree.nodes.data(), tree.parents.data()}, CheckLowestNode<Node, Boxes>{check},
            check);
}

/// Checks the triangles that stand in several leaves.
template <class Executor, class View, class Counts>
void check_split_triangles(const Executor& ex, const View& tree, const Counts& counts, const TriangleBoxes& boxes,
                           const u32* uses, Faults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  u32* is_linked = frame.allocate<u32>(counts.primitive_count);
  fill_bytes(ex, "validate: clear links", is_linked, counts.primitive_count, 0);
  for_each(ex, "validate: links", counts.primitive_count,
           MarkLinkedPlace<View>{tree, counts.primitive_count, is_linked});
  for_each(ex, "validate: split triangles", counts.primitive_count,
           CheckSplitTriangle<View, Counts>{tree, counts, boxes, uses, is_linked, faults});
}

template <class Executor, class View, class Counts, class Boxes>
void check_content(const Executor& ex, const View& tree, const Counts& counts, const Boxes& boxes,
                   u32 source_count, Faults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  u32* uses = frame.allocate<u32>(source_count);
  fill_bytes(ex, "validate: clear uses", uses, source_count, 0);
  for_each(ex, "validate: count primitives", counts.node_count, CountPrimitives<View>{tree, uses});
  for_each(ex, "validate: primitives", source_count,
           CheckPrimitives<Boxes>{boxes, uses, tree.repeats != nullptr, faults});
  walk_and_check_boxes(ex, tree, counts, boxes, uses, faults);
  if constexpr (std::is_same_v<Boxes, TriangleBoxes>) {
    if (tree.repeats != nullptr) check_split_triangles(ex, tree, counts, boxes, uses, faults);
  }
}

template <class Executor, class View, class Counts>
void check_triangles(const Executor& ex, const View& tree, const Counts& counts,
                     std::span<const TriangleView> views, u32 source_count, Faults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  check_content(ex, tree, counts, TriangleBoxes{make_triangle_table(ex, frame, views)}, source_count, faults);
}

template <class Executor, class View, class Counts>
void check_boxes(const Executor& ex, const View& tree, const Counts& counts, const Aabb* boxes, u32 source_count,
                 Faults* faults) {
  check_content(ex, tree, counts, CustomBoxes{boxes}, source_count, faults);
}

#define COPSE_VALIDATE(View, Counts)                                                                            \
  template void check_indices(const BodyExecutor&, const View&, const Counts&, u32, Faults*);                   \
  template void check_triangles(const BodyExecutor&, const View&, const Counts&, std::span<const TriangleView>, \
                                u32, Faults*);                                                                  \
  template void check_boxes(const BodyExecutor&, const View&, const Counts&, const Aabb*, u32, Faults*);
COPSE_VALIDATE(BvhView, BvhCounts)
COPSE_VALIDATE(Bvh4View, WideBvhCounts)
COPSE_VALIDATE(CompressedBvh4View, WideBvhCounts)
COPSE_VALIDATE(CompressedBvh8View, WideBvhCounts)
#undef COPSE_VALIDATE

}  // namespace copse::detail
