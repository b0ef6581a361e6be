#pragma once

// Decides which of the moves that were found are made, and makes them.
//
// A move touches four places: those of the node, its sibling, its parent and its target. It claims them by its
// key, which has the gain in its high bits; a move that holds all four wins. Winners share no place. A move writes
// nodes only at its places, and parents only of the children of nodes that stood there. So no two moves write or
// read the same memory.
//
// Yet the target of a winner may lie in a subtree that another winner moves. Two nodes that moved into each other
// would close a ring that hangs from nothing. This cannot happen. In a ring of moving nodes, the target of each
// lies below the next one, which is either one of its ancestors, whose box holds its own, or larger
// (reinsert_search.h). So areas never fall around the ring. They do not rise either, as the ring returns to its
// start. So every next node is an ancestor, and a chain of ancestors does not return to its start. The argument
// needs boxes that hold everything below them, and areas that are floats, which never fall where boxes grow; a
// node of another area does not move.
//
// Source: Meister, Bittner, "Parallel Reinsertion for Bounding Volume Hierarchy Optimization", CGF 37(2), 2018,
// section 3.2. Where we differ: there a move claims all nodes up to the lowest common ancestor on both sides, so
// no two moves change one box, and few nodes move. Three passes over an interior's SAH tree, of cost 39.9, reach
// 38.4 in that way and 34.7 in ours, although the gains no longer add up.

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

/// Rounds of claims. In the second round, a move that lost to a loser may win.
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

/// A pass over a tree.
struct ReinsertionPass {
  BvhArrays bvh;
  Reinsertion* moves;  // [node]: of nodes that try to move
  u64* claims;         // [node]: the highest key so far; 0: no claim
  MovingNodes moving;

  COPSE_HD u32 parent(u32 node) const { return bvh.parents[sibling_pair(node)]; }
  COPSE_HD bool may_move(u32 node) const { return node > 0 && node < bvh.counts->node_count; }

  struct Places {
    u32 of[4];
  };
  COPSE_HD Places places(u32 node) const { return {{node, sibling(node), parent(node), moves[node].target}}; }
  /// Returns whether the node has won. Of all winners, only its own move claims the place of that number.
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
    if (pass.may_move(node)) pass.moves[node] = ReinsertionSearch(pass.bvh.nodes, pass.bvh.parents, node).run();
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

/// Makes the moves that win. A node keeps its place, and the former target is its sibling there.
struct MoveNode {
  ReinsertionPass pass;

  COPSE_HD void operator()(u64 i) const {
    const u32 node = pass.moving(i);
    if (!pass.may_move(node) || !pass.wins(node)) return;
    u32& target = pass.moves[node].target;
    const u32 parent = pass.parent(node);
    pass.move(node, sibling(node), parent, target);
    target = parent;
  }
};

/// Undoes MoveNode: the places of the target and of the parent have only changed roles.
struct MoveNodeBack {
  ReinsertionPass pass;
  const u32* is_undone;

  COPSE_HD void operator()(u64 i) const {
    if (*is_undone == 0) return;
    const u32 node = pass.moving(i);
    if (!pass.may_move(node) || !pass.wins(node)) return;
    pass.move_back(node, sibling(node), pass.moves[node].target, pass.parent(node));
  }
};

}  // namespace copse::detail
