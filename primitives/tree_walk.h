#pragma once

// Walks over a tree by single threads, from leaves to the root and from any node down, for any kind of tree.
//
// A tree is a small struct that is copied into kernels. Siblings form a family, and families have numbers:
//
//   bool is_root(u32 node) const
//   u32 family(u32 node) const        the family of the node and its siblings; not called for the root
//   u32 family_size(u32 family) const at least 1
//   u32 parent(u32 family) const
//
// and, to walk down, if the children of a node are neighbours:
//
//   u32 child_count(u32 node) const
//   u32 first_child(u32 node) const   called only if there are children
//
// In bulk: bottom_up.h, top_down.h.

#include "primitives/core/atomic.h"

namespace copse {

/// A binary tree whose root is node 0 and whose other nodes stand in pairs of siblings: nodes 2p + 1 and 2p + 2
/// are the children of parents[p]. A pair is a family.
struct SiblingPairs {
  const u32* parents;

  COPSE_HD bool is_root(u32 node) const { return node == 0; }
  COPSE_HD u32 family(u32 node) const { return (node - 1) >> 1; }
  COPSE_HD u32 family_size(u32) const { return 2; }
  COPSE_HD u32 parent(u32 pair) const { return parents[pair]; }

  /// The left one of the two siblings.
  COPSE_HD static u32 first_of(u32 pair) { return 2 * pair + 1; }
};

/// A tree, or several, of nodes with any number of children: parents[node] is invalid_id at a root,
/// child_counts[node] is 0 at a leaf. The number of a family is that of its parent.
struct ParentLinks {
  const u32* parents;
  const u32* child_counts;

  COPSE_HD bool is_root(u32 node) const { return parents[node] == invalid_id; }
  COPSE_HD u32 family(u32 node) const { return parents[node]; }
  COPSE_HD u32 family_size(u32 family) const { return child_counts[family]; }
  COPSE_HD u32 parent(u32 family) const { return family; }
};

/// Walks from a finished node towards the root. Of the children of a parent, the last to arrive calls
/// visit(parent, family) and goes on with the parent; the others stop. So after walks from all leaves, every inner
/// node was visited once, after all nodes below it.
///   arrivals: one for each family, 0 before the first walk. It is 0 again once all members of the family have
///             arrived, so walks from all leaves leave all of them 0
///   visit:    void operator()(u32 node, u32 family) const. It should take the children in an order that does not
///             depend on their arrival, so that sums of floats are equal in every run
///
/// Why the visit sees what all its children's walks wrote: each arrival releases what its thread wrote or had
/// acquired before, and acquires. The arrivals of a family are read-modify-writes of one word, one after the
/// other, so each continues the release sequence of those before it, and the last acquires from them all. Below,
/// the same held for each child that was itself visited; happens-before is transitive. No thread waits for
/// another, so the walk ends in any order of threads, resident or not.
///
/// Source: Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", HPG 2012, section
/// 4; Meister, Yoshimura, Kao, "GPU Programming Primitives for Computer Graphics", SIGGRAPH Asia 2023 course,
/// "Bottom-up traversal", where the counters have to be cleared before each walk, and fences stand in place of
/// the order of the counters.
template <class Tree, class Visit>
COPSE_HD void walk_up(const Tree& tree, u32 node, u32* arrivals, const Visit& visit) {
  while (!tree.is_root(node)) {
    const u32 family = tree.family(node);
    const u32 last = tree.family_size(family) - 1;
    if (fetch_increment_wrapping_acq_rel(&arrivals[family], last) < last) return;
    node = tree.parent(family);
    visit(node, family);
  }
}

/// Lets two threads exchange a message at a place, such as the two children of a node at their parent. The first
/// to arrive leaves its message and gets invalid_id. The second gets that message, and sees all that the first
/// wrote before. For walks that find the tree while they climb (Apetrei, "Fast and Simple Agglomerative LBVH
/// Construction", CGVC 2014).
///   place:   0 before, and 0 again after both have arrived
///   message: below invalid_id
COPSE_HD inline u32 meet(u32* place, u32 message) {
  const u32 other = exchange_acq_rel(place, message + 1);
  if (other == 0) return invalid_id;
  store_relaxed(place, 0u);
  return other - 1;
}

/// Visits `top` and all nodes below it, by one thread: each node before its children, siblings in their order.
/// Takes no memory for any depth, since it climbs back by the parents.
///   visit: bool operator()(u32 node) const; if it returns false, the nodes below are not visited
template <class Tree, class Visit>
COPSE_HD void walk_down(const Tree& tree, u32 top, const Visit& visit) {
  u32 node = top;
  for (;;) {
    if (visit(node) && tree.child_count(node) > 0) {
      node = tree.first_child(node);
      continue;
    }
    // Climb to the first node that has a next sibling.
    for (;;) {
      if (node == top) return;
      const u32 parent = tree.parent(tree.family(node));
      if (node + 1 < tree.first_child(parent) + tree.child_count(parent)) break;
      node = parent;
    }
    ++node;
  }
}

}  // namespace copse
