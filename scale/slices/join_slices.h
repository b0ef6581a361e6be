#pragma once

// The last half of a sliced build: joins the trees over slices to one tree.
//
// An LBVH follows from its deltas alone: a node splits at the lowest delta of its range, and its range ends where the
// deltas are lower. So the nodes of a tree over a slice are nodes of the whole tree, except those whose range the end
// of the slice has cut:
//
//   deltas   5 3 7 | 9 6 2 5         | is the border between two slices
//
// If the delta at the border is 1, all nodes are whole. If it is 4, the nodes that split at 3 and at 2 reach across the
// border. Those that split at 5, 7, 9, 6 and 5 are whole.
//
// A cut node has a lower delta than a border beside it. Cut nodes are on the two outer paths from the root of their
// slice, at most one per path for each value of delta. So at most some 200 whole subtrees per slice are below them.
// join_slices takes these subtrees of all slices from left to right, and joins them as Cartesian trees are built: two
// neighbours join if the delta between them is higher than the delta after them.

#include <vector>

#include "builders/bvh/build/bvh_arrays.h"

namespace copse::detail {

/// The tree over a slice, in the arrays of the whole tree. The links of its nodes are places in these arrays.
struct SliceTree {
  u32 first, last;  // slots
  BvhNode root;
};

/// Joins the trees of slices, in the order of their slots.
///   bvh: in host memory. All deltas must be stored, also those at the borders.
void join_slices(const std::vector<SliceTree>& slices, const BvhArrays& bvh);

/// Builds the LBVH over leaves whose deltas are stored: all nodes, and their parents. The deltas may have any values.
///   boxes: of the leaves, one or more
void join_leaves(std::span<const Aabb> boxes, const BvhArrays& bvh);

}  // namespace copse::detail
