// Wide trees from binary ones: choose from the leaves up what becomes of each node (wide_slots.h), count the
// children of those that become wide ones, give nodes and primitives their places by a prefix sum, write them.
//
// So no node is handed out by a counter, and siblings are neighbours: the children of the wide nodes stand in the
// order of the splits at which these divide their primitives.
//
// The cooperative stage, cpu/widen.h and cuda/widen.cuh:
//
//   choose_upwards<width>(ex, bvh, n, costs, slot_costs, choices)
//     choices[pair] = what choose_slots() finds best for the pair's parent, for all inner nodes of the tree,
//     children before their parents. `slot_costs`: room for one a pair.
//   choose_upwards_scratch_bytes(ex, n)

#include "builders/bvh/wide_encode.h"
#include "builders/bvh/wide_walk.h"
#include "builders/bvh/widen_body.h"
#include "primitives/flags.h"
#include "primitives/inputs.h"

namespace copse::detail {

/// wide[pair] = whether the pair's parent became a wide node. For for_each_stepped: some searches are long.
template <u32 width>
struct FindWideNodes {
  using Tree = CollapsedTree<width>;
  using Search = typename Tree::Search;

  struct Input {
    SlotChoice choice;
    u32 parent;
  };

  Tree tree;
  const BvhCounts* counts;
  u8* wide;

  COPSE_HD Input fetch(u64 i) const {
    if (i >= counts->node_count / 2) return {SlotChoice::of_leaf_alone<width>(), 0};
    return {tree.choices[i], tree.parents[i]};
  }
  COPSE_HD Search start(const Input& input) const { return Tree::begin(input.choice, input.parent); }
  COPSE_HD u32 step(u64 i, Search& search) const {
    constexpr u32 goes_on = 4;
    if (!Tree::is_settled(search)) {
      tree.climb(search);
      return goes_on;
    }
    wide[i] = Tree::is_wide(search) ? 1 : 0;
    return 0;
  }
};

struct ListPair {
  u32* pairs;
  COPSE_HD void operator()(u64 place, u64 pair) const { pairs[place] = u32(pair); }
};

/// What the slots of a wide node hold, before it has a place: the number of a leaf's primitives, or
///   nothing, inner
template <u32 width>
struct alignas(width) SlotKinds {
  static constexpr u8 nothing = 0, inner = 255;

  u8 of[width];

  /// What it takes of the arrays, as one number for sums.
  COPSE_HD u64 parts() const { return parts_before(width); }
  COPSE_HD u64 parts_before(u32 end) const {
    u32 nodes = 0, primitives = 0;
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) {
      const u32 kind = slot < end ? of[slot] : nothing;
      nodes += kind == inner ? 1 : 0;
      primitives += kind == inner ? 0 : kind;
    }
    return u64(primitives) << 32 | nodes;
  }
  COPSE_HD u32 children_before(u32 end) const {
    u32 count = 0;
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) count += slot < end && of[slot] != nothing ? 1 : 0;
    return count;
  }
  /// Children stand together in the first slots of a node: where this one's comes to stand.
  COPSE_HD u32 slot_in_node(u32 slot) const {
    const u32 before = children_before(slot);
    return of[slot] != nothing ? before : children_before(width) + slot - before;
  }
  COPSE_HD u32 inner_mask() const {
    u32 mask = 0, child = 0;
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) {
      mask |= of[slot] == inner ? 1u << child : 0;
      child += of[slot] != nothing ? 1 : 0;
    }
    return mask;
  }
};

COPSE_HD inline WidePlace place_of_parts(u64 parts) {
  return {u32(parts), u32(parts >> 32)};
}

/// The wide nodes in the order of their pairs, which is not yet that of their places.
template <u32 width>
struct WideList {
  const u64* count;
  const u32* pairs;         // of their children in the binary tree
  u32* children;            // [width * i + slot]: nodes of the binary tree, where there are any
  SlotKinds<width>* kinds;  // [i]
};

/// Works on `a_node` elements for each wide node, by `threads` threads. How many there are only the device knows.
template <class F>
struct ForListed {
  const u64* count;
  u32 a_node;
  u64 threads;
  F f;

  COPSE_HD void operator()(u64 i) const {
    const u64 n = *count * a_node;
    for (; i < n; i += threads) f(i);
  }
};

template <class Executor, u32 width, class F>
void for_listed(const Executor& ex, const char* label, u64 capacity, const WideList<width>& list, u32 a_node,
                const F& f) {
  constexpr u64 most_threads = u64{1} << 20;
  const u64 threads = smaller(capacity * a_node, most_threads);
  for_each(ex, label, threads, ForListed<F>{list.count, a_node, threads, f});
}

struct SumPrimitives {
  const BvhNode* nodes;
  u32* sum;
  COPSE_HD bool operator()(u32 node) const {
    *sum += nodes[node].count;
    return true;
  }
};

/// Finds what a slot of a listed wide node holds.
template <u32 width>
struct FindChild {
  CollapsedTree<width> tree;
  WideList<width> list;

  COPSE_HD void operator()(u64 i) const {
    const u32 slot = u32(i % width);
    const auto child = tree.child_at(list.pairs[i / width], slot);
    u32 kind = SlotKinds<width>::nothing;
    if (child.begin == slot) {
      list.children[i] = child.node;
      kind = child.is_leaf ? primitives_below(child.node) : SlotKinds<width>::inner;
    }
    list.kinds[i / width].of[slot] = u8(kind);
  }

  COPSE_HD u32 primitives_below(u32 node) const {
    u32 sum = 0;
    walk_down(BinaryTree{tree.nodes, tree.parents}, node, SumPrimitives{tree.nodes, &sum});
    return sum;
  }
};

template <u32 width>
struct PartsToSum {
  WideList<width> list;
  COPSE_HD u64 operator()(u64 i) const { return i < *list.count ? list.kinds[i].parts() : 0; }
};

/// places[pair] = where the wide node stands that has the pair as children.
template <u32 width>
struct PlaceNode {
  const BvhNode* nodes;
  const u32* parents;
  WideList<width> list;
  const u64* first_parts;  // a wide node's first inner child and leaf primitive
  u32* places;

  COPSE_HD void operator()(u64 i) const {
    const u64 node = i / width;
    const u32 slot = u32(i % width);
    if (slot == 0 && parents[list.pairs[node]] == 0) places[list.pairs[node]] = 0;
    const SlotKinds<width> kinds = list.kinds[node];
    if (kinds.of[slot] != SlotKinds<width>::inner) return;
    places[sibling_pair(nodes[list.children[i]].first)] =
        place_of_parts(first_parts[node] + kinds.parts_before(slot)).node;
  }
};

struct CopyLeafPrimitives {
  const BvhNode* nodes;
  const u32* from;
  u32* to;
  u32* place;
  COPSE_HD bool operator()(u32 node) const {
    for (u32 k = 0; k < nodes[node].count; ++k) to[(*place)++] = from[nodes[node].first + k];
    return true;
  }
};

/// Copies the primitives below a node of the binary tree to a place of the wide one. Returns how many.
COPSE_HD inline u32 copy_leaf(const BinaryTree& tree, u32 node, const u32* from, u32* to, u32 place) {
  const u32 first = place;
  walk_down(tree, node, CopyLeafPrimitives{tree.nodes, from, to, &place});
  return place - first;
}

/// Writes a slot of a wide node: its leaf's primitives, or its child's parent link; the first slot what all share.
template <class Node>
struct WriteSlot {
  static constexpr u32 width = Node::width;

  BinaryTree tree;
  const u32* primitive_ids;
  WideList<width> list;
  const u64* first_parts;
  const u32* places;
  WideArrays<Node> wide;

  COPSE_HD void operator()(u64 i) const {
    const u64 listed = i / width;
    const u32 slot = u32(i % width), pair = list.pairs[listed], node = places[pair];
    const SlotKinds<width> kinds = list.kinds[listed];
    const WidePlace parts = place_of_parts(first_parts[listed]);
    const WidePlace own = place_of_parts(first_parts[listed] + kinds.parts_before(slot));
    const NodeGrid grid(tree.nodes[tree.parents[pair]].box());

    WideChild child = WideChild::nothing();
    Aabb box = Aabb::empty();
    if (kinds.of[slot] != SlotKinds<width>::nothing) {
      const u32 below = list.children[i];
      box = tree.nodes[below].box();
      child = {own.node, 0};
      if (kinds.of[slot] == SlotKinds<width>::inner) {
        wide.parents[own.node] = node;
      } else {
        child = {own.primitive, copy_leaf(tree, below, primitive_ids, wide.primitive_ids, own.primitive)};
      }
    }
    Node& out = wide.nodes[node];
    encode_child(out, kinds.slot_in_node(slot), parts, child);
    encode_box(out, kinds.slot_in_node(slot), grid, box);
    if (slot > 0) return;
    encode_parts(out, parts, kinds.inner_mask());
    encode_grid(out, grid);
  }
};

/// Writes the counts, and the root of a tree of one leaf or none: every other leaf has a wide node above it.
template <class Node>
struct WriteCountsAndLoneLeaf {
  BinaryTree tree;
  const u32* primitive_ids;
  const BvhCounts* counts;
  const u64* wide_count;
  WideArrays<Node> wide;

  COPSE_HD void operator()(u64) const {
    const u32 leaf_count = counts->leaf_count;
    wide.counts->node_count = leaf_count < 2 ? leaf_count : u32(*wide_count);
    wide.counts->primitive_count = counts->primitive_count;
    wide.counts->invalid_count = counts->invalid_count;
    wide.parents[0] = invalid_id;
    if (leaf_count > 1) return;
    Aabb boxes[Node::width];
    for (Aabb& box : boxes) box = Aabb::empty();
    Node& root = wide.nodes[0];
    for (u32 slot = 0; slot < Node::width; ++slot) encode_child(root, slot, {0, 0}, WideChild::nothing());
    if (leaf_count == 1) {
      boxes[0] = tree.nodes[0].box();
      encode_child(root, 0, {0, 0}, {0, copy_leaf(tree, 0, primitive_ids, wide.primitive_ids, 0)});
    }
    encode_parts(root, {0, 0}, 0);
    encode_boxes(root, boxes);
  }
};

/// The ids that no leaf has stay behind the others.
struct CopyLeftOut {
  const u32* from;
  const BvhCounts* counts;
  u64 source_count;
  u64 threads;
  u32* to;
  COPSE_HD void operator()(u64 i) const {
    for (i += counts->primitive_count; i < source_count; i += threads) to[i] = from[i];
  }
};

/// Chooses what becomes of each inner node of the binary tree.
template <u32 width, class Executor>
void choose_slots_of_all(const Executor& ex, const BvhView& bvh, u64 n, const CollapseCosts& costs,
                         SlotChoice* choices) {
  ScratchArena::Frame frame(ex.scratch);
  auto* slot_costs = frame.allocate<SlotCosts<width>>(pair_capacity(n));
  choose_upwards<width>(ex, bvh, n, costs, slot_costs, choices);
}

/// Lists the wide nodes and their children.
template <u32 width, class Executor>
WideList<width> list_wide_nodes(const Executor& ex, ScratchArena::Frame& frame, const CollapsedTree<width>& tree,
                                const BvhCounts* counts, u64 n) {
  const u64 pair_count = pair_capacity(n);
  u64* count = frame.allocate<u64>(1);
  u32* pairs = frame.allocate<u32>(pair_count);
  const WideList<width> list{count, pairs, frame.allocate<u32>(width * pair_count),
                             frame.allocate<SlotKinds<width>>(pair_count)};
  {
    ScratchArena::Frame flags_frame(ex.scratch);
    u8* wide = flags_frame.allocate<u8>(pair_count);
    for_each_stepped(ex, "widen: find wide nodes", pair_count, FindWideNodes<width>{tree, counts, wide},
                     static_cast<u64*>(nullptr));
    compact_each(ex, "widen: list wide nodes", pair_count, ByteFlags{wide}, ListPair{pairs}, count);
  }
  for_listed(ex, "widen: find children", pair_count, list, width, FindChild<width>{tree, list});
  return list;
}

template <class Executor, class Node>
void widen_tree(const Executor& ex, const BvhView& bvh, u64 n, const CollapseCosts& costs,
                const WideArrays<Node>& wide) {
  constexpr u32 width = Node::width;
  const u64 pair_count = pair_capacity(n);
  const BvhNode* nodes = bvh.nodes.data();
  const u32* parents = bvh.parents.data();
  const BvhCounts* counts = bvh.counts.data();
  ScratchArena::Frame frame(ex.scratch);

  // Choose what becomes of the nodes.
  auto* choices = frame.allocate<SlotChoice>(pair_count);
  choose_slots_of_all<width>(ex, bvh, n, costs, choices);

  // Place the children of each wide node; the root has the first place.
  const auto list = list_wide_nodes(ex, frame, CollapsedTree<width>{nodes, parents, choices}, counts, n);
  u64* first_parts = frame.allocate<u64>(pair_count);
  u32* places = frame.allocate<u32>(pair_count);
  exclusive_scan(ex, "widen: places", pair_count, PartsToSum<width>{list}, u64{1}, Plus{}, first_parts,
                 static_cast<u64*>(nullptr));
  for_listed(ex, "widen: place nodes", pair_count, list, width,
             PlaceNode<width>{nodes, parents, list, first_parts, places});

  // Write them.
  constexpr u64 most_threads = u64{1} << 16;
  const BinaryTree tree{nodes, parents};
  const u32* ids = bvh.primitive_ids.data();
  for_listed(ex, "widen: write nodes", pair_count, list, width,
             WriteSlot<Node>{tree, ids, list, first_parts, places, wide});
  for_each(ex, "widen: counts", 1, WriteCountsAndLoneLeaf<Node>{tree, ids, counts, list.count, wide});
  for_each(ex, "widen: left out", smaller(n, most_threads),
           CopyLeftOut{ids, counts, n, smaller(n, most_threads), wide.primitive_ids});
}

template <class Node, class Executor>
u64 widen_scratch_bytes(const Executor& ex, u64 n) {
  const u64 pair_count = pair_capacity(n);
  const u64 words = ScratchArena::bytes_for<u32>(pair_count), count = ScratchArena::bytes_for<u64>(1);
  const u64 choosing =
      ScratchArena::bytes_for<SlotCosts<Node::width>>(pair_count) + choose_upwards_scratch_bytes(ex, n);
  const u64 list = count + words + ScratchArena::bytes_for<u32>(Node::width * pair_count) +
                   ScratchArena::bytes_for<SlotKinds<Node::width>>(pair_count);
  const u64 finding = ScratchArena::bytes_for<u8>(pair_count) + compact_scratch_bytes<u32>(ex, pair_count);
  const u64 placing = ScratchArena::bytes_for<u64>(pair_count) + words + scan_scratch_bytes<u64>(ex, pair_count);
  return words + larger(choosing, list + larger(finding, placing));
}

template <class Executor>
void copy_words(const Executor& ex, const u32* from, u64 count, u32* to) {
  for_each(ex, "compact copy", count, CopyElements<u32>{from, to});
}

#define COPSE_WIDEN(Node)                                                                  \
  template void widen_tree(const BodyExecutor&, const BvhView&, u64, const CollapseCosts&, \
                           const WideArrays<Node>&);                                       \
  template u64 widen_scratch_bytes<Node>(const BodyExecutor&, u64);
COPSE_WIDEN(Bvh4Node)
COPSE_WIDEN(CompressedBvh4Node)
COPSE_WIDEN(CompressedBvh8Node)
#undef COPSE_WIDEN

template void copy_words(const BodyExecutor&, const u32*, u64, u32*);

}  // namespace copse::detail
