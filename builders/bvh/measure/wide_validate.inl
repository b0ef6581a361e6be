// Proof that a wide tree is what it should be. First the indices, trusting nothing; then all that follows them.

#include "builders/bvh/measure/validate_primitives.h"
#include "builders/bvh/measure/wide_validate_body.h"
#include "builders/bvh/wide/wide_encode.h"
#include "builders/bvh/wide/wide_tree.h"
#include "builders/bvh/wide_consistent.h"
#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/primitive_boxes.h"
#include "primitives/bottom_up.h"
#include "primitives/loops/zeroed_words.h"

namespace copse::detail {

template <class Node>
struct CheckWideNode {
  WideBvhView<Node> tree;
  WideBvhCounts counts;
  u32* references;  // [node]: slots that have it as a child
  Faults* faults;

  COPSE_HD void operator()(u64 i) const {
    const Node& node = tree.nodes.data()[i];
    u32 child_count = 0;
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = node.child(slot);
      if (!is_consistent(node, slot) || !is_in_range(u32(i), child)) count_fault(&faults->bad_indices);
      child_count += child.is_nothing() ? 0 : 1;
    }
    if (child_count == 0) count_fault(&faults->bad_indices);
    const u32 parent = tree.parents.data()[i];
    if (i == 0 ? parent != invalid_id : parent >= counts.node_count) count_fault(&faults->bad_indices);
  }

  COPSE_HD bool is_in_range(u32 node, const WideChild& child) const {
    if (child.is_nothing()) return true;
    if (child.is_leaf()) {
      return child.first < counts.primitive_count && child.count <= counts.primitive_count - child.first;
    }
    if (child.first == 0 || child.first >= counts.node_count) return false;
    fetch_add_relaxed(&references[child.first], 1u);
    return tree.parents.data()[child.first] == node;
  }
};

struct CheckWideReferences {
  const u32* references;
  Faults* faults;
  COPSE_HD void operator()(u64 i) const {
    if (references[i] != (i == 0 ? 0 : 1)) count_fault(&faults->wrong_references);
  }
};

template <class Executor, class Node>
void check_wide_indices(const Executor& ex, const WideBvhView<Node>& tree, const WideBvhCounts& counts,
                        u32 source_count, Faults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  u32* references = frame.allocate<u32>(counts.node_count);
  fill_bytes(ex, "validate: clear references", references, counts.node_count, 0);
  for_each(ex, "validate: wide nodes", counts.node_count, CheckWideNode<Node>{tree, counts, references, faults});
  for_each(ex, "validate: references", counts.node_count, CheckWideReferences{references, faults});
  for_each(ex, "validate: primitive ids", counts.primitive_count,
           CheckPrimitiveIds{tree.primitive_ids.data(), source_count, faults});
}

/// Counts how often each primitive stands in a leaf.
template <class Node>
struct CountWidePrimitives {
  WideBvhView<Node> tree;
  u32* uses;
  COPSE_HD void operator()(u64 i) const {
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = tree.nodes.data()[i].child(slot);
      count_uses(tree.primitive_ids.data(), child.first, child.count, uses);
    }
  }
};

/// Holds a node's boxes to the exact ones, which go up from the leaves.
template <class Node, class Boxes>
struct CheckWideBoxes {
  Boxes boxes;
  WideBvhView<Node> tree;
  Aabb* exact;  // [node]
  Faults* faults;

  COPSE_HD Aabb content(const WideChild& child) const {
    if (child.is_inner()) return exact[child.first];
    Aabb box = Aabb::empty();
    for (u32 k = 0; k < child.count; ++k) box = merge(box, boxes(tree.primitive_ids.data()[child.first + k]));
    return box;
  }
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
      if (!holds || !(box == expected.child_box(slot))) count_fault(&faults->loose_boxes);
    }
    exact[node] = merge_all(contents);
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

/// Nodes that walks from the lowest ones reach: all of them, unless children and parents form a loop.
template <class Executor, class Node, class Boxes>
void check_wide_content(const Executor& ex, const WideBvhView<Node>& tree, const WideBvhCounts& counts,
                        const Boxes& boxes, u32 source_count, Faults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  u32* uses = frame.allocate<u32>(source_count);
  auto* exact = frame.allocate<Aabb>(counts.node_count);
  fill_bytes(ex, "validate: clear uses", uses, source_count, 0);
  for_each(ex, "validate: count primitives", counts.node_count, CountWidePrimitives<Node>{tree, uses});
  for_each(ex, "validate: primitives", source_count, CheckPrimitives<Boxes>{boxes, uses, faults});
  const CheckWideBoxes<Node, Boxes> check{boxes, tree, exact, faults};
  bottom_up(ex, "validate: wide boxes", counts.node_count, counts.node_count,
            WideTree<Node>{tree.nodes.data(), tree.parents.data()}, CheckLowestNode<Node, Boxes>{check}, check);
}

template <class Executor, class Node>
void check_wide_triangles(const Executor& ex, const WideBvhView<Node>& tree, const WideBvhCounts& counts,
                          std::span<const TriangleView> views, u32 source_count, Faults* faults) {
  ScratchArena::Frame frame(ex.scratch);
  check_wide_content(ex, tree, counts, TriangleBoxes{make_triangle_table(ex, frame, views)}, source_count, faults);
}

template <class Executor, class Node>
void check_wide_boxes(const Executor& ex, const WideBvhView<Node>& tree, const WideBvhCounts& counts,
                      const Aabb* boxes, u32 source_count, Faults* faults) {
  check_wide_content(ex, tree, counts, CustomBoxes{boxes}, source_count, faults);
}

#define COPSE_VALIDATE(Node)                                                                                 \
  template void check_wide_indices(const BodyExecutor&, const WideBvhView<Node>&, const WideBvhCounts&, u32, \
                                   Faults*);                                                                 \
  template void check_wide_triangles(const BodyExecutor&, const WideBvhView<Node>&, const WideBvhCounts&,    \
                                     std::span<const TriangleView>, u32, Faults*);                           \
  template void check_wide_boxes(const BodyExecutor&, const WideBvhView<Node>&, const WideBvhCounts&,        \
                                 const Aabb*, u32, Faults*);
COPSE_VALIDATE(Bvh4Node)
COPSE_VALIDATE(CompressedBvh4Node)
COPSE_VALIDATE(CompressedBvh8Node)
#undef COPSE_VALIDATE

}  // namespace copse::detail
