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

/// What a wide node takes of the arrays: inner children, and primitives of its leaves. In one word where each node
/// has its own, as one u64 for their sums.
///
///   31 .. 12     | 11 .. 4          | 3 .. 0
///   primitives   | children that    | inner children
///                | are leaves       |
struct WideParts {
  u32 bits;

  COPSE_HD void add_node() { ++bits; }
  COPSE_HD void add_leaf(u32 child, u32 primitive_count) { bits += primitive_count << 12 | 1u << (4 + child); }
  COPSE_HD bool is_leaf(u32 child) const { return (bits >> (4 + child) & 1u) != 0; }
  COPSE_HD u64 sum() const { return u64(bits >> 12) << 32 | (bits & 15u); }
};

struct WidePlace {
  u32 node;
  u32 primitive;

  COPSE_HD static WidePlace of(u64 sum) { return {u32(sum), u32(sum >> 32)}; }
};

/// The wide nodes in the order of their pairs, which is not yet that of their places.
template <u32 width>
struct WideList {
  const u64* count;
  const u32* pairs;  // of their children in the binary tree
  u32* children;     // [width * i]: nodes of the binary tree, then invalid_id
  WideParts* parts;
};

struct SumPrimitives {
  const BvhNode* nodes;
  u32* sum;
  COPSE_HD bool operator()(u32 node) const {
    *sum += nodes[node].count;
    return true;
  }
};

/// Lists the children of each wide node.
template <u32 width>
struct ListChildren {
  CollapsedTree<width> tree;
  WideList<width> list;

  COPSE_HD void operator()(u64 i) const {
    WideParts parts{0};
    if (i < *list.count) {
      u32 slot = 0;
#pragma unroll
      for (u32 k = 0; k < width; ++k) {
        u32 node = invalid_id;
        if (slot < width) {
          const auto child = tree.child_at(list.pairs[i], slot);
          node = child.node;
          slot = child.end;
          if (child.is_leaf) {
            parts.add_leaf(k, primitives_below(node));
          } else {
            parts.add_node();
          }
        }
        list.children[width * i + k] = node;
      }
    }
    list.parts[i] = parts;
  }

  COPSE_HD u32 primitives_below(u32 node) const {
    u32 sum = 0;
    walk_down(BinaryTree{tree.nodes, tree.parents}, node, SumPrimitives{tree.nodes, &sum});
    return sum;
  }
};

struct PartsToSum {
  const WideParts* parts;
  COPSE_HD u64 operator()(u64 i) const { return parts[i].sum(); }
};

/// places[pair] = where the wide node stands that has the pair as children.
template <u32 width>
struct PlaceNodes {
  const BvhNode* nodes;
  const u32* parents;
  WideList<width> list;
  const u64* first_parts;  // its first inner child and leaf primitive
  u32* places;

  COPSE_HD void operator()(u64 i) const {
    if (i >= *list.count) return;
    const u32 pair = list.pairs[i];
    if (parents[pair] == 0) places[pair] = 0;
    const WideParts parts = list.parts[i];
    u32 place = WidePlace::of(first_parts[i]).node;
    for (u32 k = 0; k < width && list.children[width * i + k] != invalid_id; ++k) {
      if (!parts.is_leaf(k)) places[sibling_pair(nodes[list.children[width * i + k]].first)] = place++;
    }
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

/// Writes a wide node, its leaves' primitives and its children's parent links; the first thread also the counts.
template <class Node>
struct WriteWideNode {
  static constexpr u32 width = Node::width;

  BinaryTree tree;
  const u32* primitive_ids;
  const BvhCounts* counts;
  WideList<width> list;
  const u64* first_parts;
  const u32* places;
  WideArrays<Node> wide;

  COPSE_HD void operator()(u64 i) const {
    if (i == 0) write_root();
    if (i < *list.count) write_node(i);
  }

  COPSE_HD void write_root() const {
    // Every leaf but a lone one has a wide node above it.
    const u32 leaf_count = counts->leaf_count;
    *wide.counts = {leaf_count == 1 ? 1 : u32(*list.count), counts->primitive_count, counts->invalid_count};
    wide.parents[0] = invalid_id;
    if (leaf_count < 2) wide.nodes[0] = encode<Node>(lone_leaf());
  }

  COPSE_HD void write_node(u64 i) const {
    const u32 node = places[list.pairs[i]];
    const WideParts parts = list.parts[i];
    WidePlace place = WidePlace::of(first_parts[i]);
    WideChildren<width> children;
    children.first_child = place.node;
    children.first_primitive = place.primitive;
#pragma unroll
    for (u32 k = 0; k < width; ++k) {
      const u32 child = list.children[width * i + k];
      children.child[k] = WideChild::nothing();
      children.box[k] = Aabb::empty();
      if (child == invalid_id) continue;
      children.box[k] = tree.nodes[child].box();
      if (parts.is_leaf(k)) {
        children.child[k] = copy_leaf(child, place.primitive);
      } else {
        wide.parents[place.node] = node;
        children.child[k] = {place.node++, 0};
      }
    }
    wide.nodes[node] = encode<Node>(children);
  }

  /// The children of the root of a tree of one leaf, or of none.
  COPSE_HD WideChildren<width> lone_leaf() const {
    WideChildren<width> children;
#pragma unroll
    for (u32 k = 0; k < width; ++k) {
      children.child[k] = WideChild::nothing();
      children.box[k] = Aabb::empty();
    }
    children.first_child = 0;
    children.first_primitive = 0;
    if (counts->leaf_count == 0) return children;
    u32 place = 0;
    children.child[0] = copy_leaf(0, place);
    children.box[0] = tree.nodes[0].box();
    return children;
  }

  /// Copies the primitives below a node of the binary tree to `place`, which moves on.
  COPSE_HD WideChild copy_leaf(u32 node, u32& place) const {
    const u32 first = place;
    walk_down(tree, node, CopyLeafPrimitives{tree.nodes, primitive_ids, wide.primitive_ids, &place});
    return {first, place - first};
  }
};

/// The ids that no leaf has stay behind the others.
struct CopyLeftOut {
  const u32* from;
  const BvhCounts* counts;
  u32* to;
  COPSE_HD void operator()(u64 i) const {
    if (i >= counts->primitive_count) to[i] = from[i];
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
                             frame.allocate<WideParts>(pair_count)};
  {
    ScratchArena::Frame flags_frame(ex.scratch);
    u8* wide = flags_frame.allocate<u8>(pair_count);
    for_each_stepped(ex, "widen: find wide nodes", pair_count, FindWideNodes<width>{tree, counts, wide},
                     static_cast<u64*>(nullptr));
    compact_each(ex, "widen: list wide nodes", pair_count, ByteFlags{wide}, ListPair{pairs}, count);
  }
  for_each(ex, "widen: list children", pair_count, ListChildren<width>{tree, list});
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
  exclusive_scan(ex, "widen: places", pair_count, PartsToSum{list.parts}, u64{1}, Plus{}, first_parts,
                 static_cast<u64*>(nullptr));
  for_each(ex, "widen: place nodes", pair_count, PlaceNodes<width>{nodes, parents, list, first_parts, places});

  // Write them.
  for_each(
      ex, "widen: write nodes", wide_node_capacity(n),
      WriteWideNode<Node>{{nodes, parents}, bvh.primitive_ids.data(), counts, list, first_parts, places, wide});
  for_each(ex, "widen: left out", n, CopyLeftOut{bvh.primitive_ids.data(), counts, wide.primitive_ids});
}

template <class Node, class Executor>
u64 widen_scratch_bytes(const Executor& ex, u64 n) {
  const u64 pair_count = pair_capacity(n);
  const u64 words = ScratchArena::bytes_for<u32>(pair_count), count = ScratchArena::bytes_for<u64>(1);
  const u64 choosing =
      ScratchArena::bytes_for<SlotCosts<Node::width>>(pair_count) + choose_upwards_scratch_bytes(ex, n);
  const u64 list = count + 2 * words + ScratchArena::bytes_for<u32>(Node::width * pair_count);
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
