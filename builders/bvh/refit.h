#pragma once

#include "builders/bvh/bvh.h"
#include "builders/bvh/wide_bvh.h"
#include "builders/geometry/primitive_set.h"

namespace copse {

/// Fits the boxes of a tree to primitives that have moved; the topology stays. Any binary tree of any depth.
/// A triangle that has become NaN or infinite, or a box that has become inverted, is empty until it comes
/// back; what was left out of the build stays out.
///
/// On the CPU, bottom-up by arrival counters: the second child to arrive at a parent goes on with it (Meister,
/// Yoshimura, Kao, "GPU Programming Primitives for Computer Graphics", SIGGRAPH Asia 2023 course, "Bottom-up
/// traversal"). On CUDA an LBVH of one primitive a leaf is joined again by its deltas (delta_words), in two thirds of
/// the time of all others, among them what comes from files and compact_copy(). Of those a warp fits 32 pairs of
/// siblings at once, with all that is below them there, most of a tree whose builder places the nodes of a subtree
/// side by side, and walks fit the rest. A refit that was captured fits whatever tree it finds when its graph
/// runs, slowly where that has become one of the others. The boxes are the same in any case. Waits for nothing
/// and, once warm, allocates nothing.
///   triangles, boxes: as many primitives as the tree was built over
/// Throws: Error invalid_argument for another number of primitives, Error out_of_memory, Error cancelled.
/// Memory: scratch of at most 4 bytes a primitive on the CPU and 9 on CUDA, there 32 more a triangle of meshes of
/// 2^22 to 2^28, as builds of these take; and 64 bytes a view where there are several.
void refit(Context& context, Bvh& bvh, const TriangleViews& triangles);
void refit(Context& context, Bvh& bvh, const BoxView& boxes);

/// The same for a wide tree, Bvh4, CompressedBvh4 or CompressedBvh8: children and slots stay, boxes become those
/// of the primitives, as exact as the layout can be and not rounded again at every level. Where nothing moved,
/// nothing changes. On CUDA blocks fit windows of neighbouring nodes, and then what windows left, gathered: most
/// is fitted at once where nodes stand near their children, as those of conversions do. Throws: as above. Memory:
/// scratch of at most 28 bytes on the CPU and 34 on CUDA for each node that the tree has room for, and 64 bytes a
/// view where there are several.
template <class Node>
void refit(Context& context, WideBvh<Node>& tree, const TriangleViews& triangles);
template <class Node>
void refit(Context& context, WideBvh<Node>& tree, const BoxView& boxes);

}  // namespace copse
