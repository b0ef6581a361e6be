#pragma once

// Decides which of the found moves to make, and makes them.
//
// A move touches four places: those of the node, its sibling, its parent and its target. It claims them by its
// key, which has the gain in its high bits; a move that holds all four wins. Winners share no place. A move writes
// nodes only at its places, and parents only of the children of nodes that stood there. So no two moves write or
// read the same memory.
//
// Yet the target of a winner may lie in a subtree that another winner moves. If two nodes moved below each other,
// they would form a cycle without a root. This cannot happen. Assume a cycle: the target of each node lies below
// the next node. That next node is either an ancestor of the node, so that its box contains the box of the node,
// or larger (reinsert_search.h). So areas never decrease along the cycle, and as it returns to its start they
// never increase either. So every next node is an ancestor, and a chain of ancestors does not return to its start.
// The proof needs boxes that contain everything below them, and areas as finite floats, which never decrease when
// a box grows. A node without such an area does not move.
//
// Source: Meister, Bittner, "Parallel Reinsertion for Bounding Volume Hierarchy Optimization", CGF 37(2), 2018,
// section 3.2. Where we differ: in the paper a move claims all nodes up to the lowest common ancestor on both
// sides. Then no two moves change one box, but few nodes move. Three passes over the SAH tree of an interior lower
// its cost from 39.9 to 38.4 in that way, and to 34.7 in ours, although our gains do not add up.

#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/reinsert/reinsert_search.h"
#include "primitives/core/atomic.h"
#include "primitives/tree_walk.h"

namespace copse::detail {

/// The key by which a move claims a place:
///
///   63    62     61 ... 32            31 ... 0
///   held  round  gain, without the    node
///                sign and last bit
///
/// So claims of the second round are above those that losers of the first round left, and held places are above
/// all. Gains are positive floats, whose bits have the same order.
struct MoveKey {
  static constexpr u64 held = u64{1} << 63;

  COPSE_HD static u64 of(float gain, u32 node, u32 round) {
    return u64{round} << 62 | u64{bits_of(gain) >> 1} << 32 | node;
  }
  COPSE_HD static u32 node(u64 key) { return u32(key); }
};

/// Rounds of claims. In the second round, a move may win that lost only to losers of the first round.
inline constexpr u32 claim_rounds = 2;

/// The nodes that a pass tries to move: those of the listed pairs, or all.
struct MovingNodes {
  const u32* pairs;  // null: all nodes
  const u64* pair_count;

  /// Returns the i-th of them; the root, which never moves, past the last one.
  COPSE_HD u32 operator()(u64 i) const {
    if (pairs == nullptr) return u32(i);
    return i / 2 < *pair_count ? SiblingPairs::first_of(pairs[i / 2]) + u32(i % 2) : 0;
  }
};

/// Which trees a pass goes over: one, whose root is node 0, or those of a forest (builders/bvh/forest_view.h), each of
/// which has the nodes from twice its first slot on.
struct ReinsertedTrees {
  const u32* begins = nullptr;   // [tree]: its first slot
  const u32* tree_of = nullptr;  // [slot]; null: one tree

  COPSE_HD bool are_many() const { return tree_of != nullptr; }
  COPSE_HD u32 tree(u32 node) const { return are_many() ? tree_of[node / 2] : 0; }
  COPSE_HD u32 root(u32 node) const { return are_many() ? 2 * begins[tree(node)] : 0; }
};

/// The outcome of a pass over a tree.
struct PassOutcome {
  u64 area;        // of all inner nodes: before the pass; after judge(), of the tree
  u64 area_moved;  // after the moves
  u32 is_undone;

  COPSE_HD void judge() {
    is_undone = area_moved > area;
    if (!is_undone) area = area_moved;
  }
  /// Returns whether an inner node is large enough that its children may move.
  ///   min_area: in mean areas of the `inner_count` inner nodes
  COPSE_HD bool is_large(u64 node_area, u32 inner_count, float min_area) const {
    return float(node_area) >= min_area * (float(area) / float(inner_count));
  }
};

/// A pass over a tree, or over all trees of a forest.
struct ReinsertionPass {
  BvhArrays bvh;
  Reinsertion* moves;  // [node]: of nodes that try to move
  u64* claims;         // [node]: the highest key so far; 0: no claim
  MovingNodes moving;
  ReinsertedTrees trees = {};

  COPSE_HD u32 parent(u32 node) const { return bvh.parents[sibling_pair(node)]; }
  /// Returns whether the node exists and is no root. In a forest, a pair that belongs to no tree has no parent.
  COPSE_HD bool may_move(u32 node) const {
    if (node == 0) return false;
    return trees.are_many() ? parent(node) != invalid_id : node < bvh.counts->node_count;
  }

  struct Places {
    u32 of[4];
  };
  COPSE_HD Places places(u32 node) const { return {{node, sibling(node), parent(node), moves[node].target}}; }
  /// Returns whether the move of the node has won. Winners share no place, and the own place of a node is one of
  /// them: so the held key there must be that of the node. Only nodes that may move hold places.
  COPSE_HD bool wins(u32 node) const {
    const u64 key = claims[node];
    return (key & MoveKey::held) != 0 && MoveKey::node(key) == node;
  }

  /// Moves the sibling to the parent's place. The sibling pair, now the node and the former target, hangs below
  /// the target's place.
  COPSE_HD void move(u32 node, u32 other, u32 parent, u32 target) const {
    const BvhNode other_node = bvh.nodes[other], target_node = bvh.nodes[target];
    place(other_node, parent);
    place(target_node, other);
    place(BvhNode::inner(target_node.box(), SiblingPairs::first_of(sibling_pair(node))), target);
  }
  COPSE_HD void move_back(u32 node, u32 other, u32 parent, u32 target) const {
    const BvhNode other_node = bvh.nodes[parent], target_node = bvh.nodes[other];
    place(other_node, other);
    place(target_node, target);
    place(BvhNode::inner(other_node.box(), SiblingPairs::first_of(sibling_pair(node))), parent);
  }

 private:
  COPSE_HD void place(const BvhNode& node, u32 at) const {
    bvh.nodes[at] = node;
    if (!node.is_leaf()) bvh.parents[sibling_pair(node.first)] = at;
  }
};

/// Raises `*word` to at least `value`.
COPSE_HD inline void raise(u64* word, u64 value) {
  for (u64 before = load_relaxed(word); before < value;) {
    const u64 found = compare_exchange_relaxed(word, before, value);
    if (found == before) return;
    before = found;
  }
}

struct FindMove {
  ReinsertionPass pass;
  COPSE_HD void operator()(u64 i) const {
    const u32 node = pass.moving(i);
    if (!pass.may_move(node)) return;
    pass.moves[node] = ReinsertionSearch(pass.bvh.nodes, pass.bvh.parents, node, pass.trees.root(node)).run();
  }
};

struct ClaimPlaces {
  ReinsertionPass pass;
  u32 round;

  COPSE_HD void operator()(u64 i) const {
    const u32 node = pass.moving(i);
    if (!pass.may_move(node) || !(pass.moves[node].gain > 0)) return;
    const auto places = pass.places(node);
    for (u32 place : places.of) {
      if ((load_relaxed(&pass.claims[place]) & MoveKey::held) != 0) return;
    }
    for (u32 place : places.of) raise(&pass.claims[place], MoveKey::of(pass.moves[node].gain, node, round));
  }
};

/// Holds the places of moves that have claimed all of theirs.
struct HoldPlaces {
  ReinsertionPass pass;
  u32 round;

  COPSE_HD void operator()(u64 i) const {
    const u32 node = pass.moving(i);
    if (!pass.may_move(node) || !(pass.moves[node].gain > 0)) return;
    const u64 key = MoveKey::of(pass.moves[node].gain, node, round);
    const auto places = pass.places(node);
    for (u32 place : places.of) {
      if (load_relaxed(&pass.claims[place]) != key) return;
    }
    for (u32 place : places.of) store_relaxed(&pass.claims[place], MoveKey::held | key);
  }
};

/// Makes the moves that win. A node keeps its place, and the former target is its sibling there. Other moves store the
/// parents of nodes that have not won, so these are not read.
struct MoveNode {
  ReinsertionPass pass;

  COPSE_HD void operator()(u64 i) const {
    const u32 node = pass.moving(i);
    if (!pass.wins(node)) return;
    u32& target = pass.moves[node].target;
    const u32 parent = pass.parent(node);
    pass.move(node, sibling(node), parent, target);
    target = parent;
  }
};

/// Undoes MoveNode.
struct MoveNodeBack {
  ReinsertionPass pass;
  const PassOutcome* outcomes;  // [tree]

  COPSE_HD void operator()(u64 i) const {
    if (!pass.trees.are_many() && outcomes->is_undone == 0) return;
    const u32 node = pass.moving(i);
    if (!pass.wins(node) || outcomes[pass.trees.tree(node)].is_undone == 0) return;
    pass.move_back(node, sibling(node), pass.moves[node].target, pass.parent(node));
  }
};

/// Finds a place for every node, and makes the moves that hold all their places. For bodies.
template <class Executor>
void make_moves(const Executor& ex, u64 node_count, const ReinsertionPass& pass) {
  fill_bytes(ex, "reinsert: clear claims", pass.claims, node_count, 0);
  for_each(ex, "reinsert: search", node_count, FindMove{pass});
  for (u32 round = 0; round < claim_rounds; ++round) {
    for_each(ex, "reinsert: claim", node_count, ClaimPlaces{pass, round});
    for_each(ex, "reinsert: hold", node_count, HoldPlaces{pass, round});
  }
  for_each(ex, "reinsert: move", node_count, MoveNode{pass});
}

}  // namespace copse::detail
