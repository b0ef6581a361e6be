#pragma once

#include "builders/bvh/bvh.h"
#include "builders/bvh/wide_bvh.h"
#include "builders/geometry/primitive_set.h"

namespace copse {

/// Updates all boxes of a binary tree to primitives that have moved; the topology stays. It takes a tree of any
/// builder and any depth, and gives the same boxes on every backend. A triangle that has become NaN or infinite,
/// or a box that has become inverted, is empty until it is valid again. Primitives that the build left out stay
/// out. It does not wait and, once warm, does not allocate. In a tree with splits each leaf gets the box around
/// its whole triangles: rays stay right and become slower (docs/how-it-works/splits.md).
///
/// On CUDA, an LBVH with one primitive per leaf takes two thirds of the time of any other tree; a tree from a file
/// or from compact_copy() counts as another one. A captured refit fits the tree that it finds when its graph runs;
/// it is slow if a captured build has replaced such an LBVH by another tree.
///   triangles, boxes: as many primitives as the tree was built over
/// Throws: Error invalid_argument for another number of primitives, Error out_of_memory, Error cancelled.
/// Memory: scratch of at most 4 bytes per primitive on the CPU and 9 on CUDA; there 32 more per triangle for
/// meshes of 2^22 to 2^28 triangles, as their builds take; and 64 bytes per view if there are several.
///
/// Source: Meister, Yoshimura, Kao, "GPU Programming Primitives for Computer Graphics", SIGGRAPH Asia 2023 course,
/// "Bottom-up traversal". The CPU walks up by arrival counters as it does: the second child to arrive at a parent
/// goes on with it. On CUDA an LBVH is joined again by its deltas (see bvh.h), and a warp fits 32 sibling
/// pairs of any other tree at once, with all that is below them there; walks fit the rest.
COPSE_API void refit(Context& context, Bvh& bvh, const TriangleViews& triangles);
COPSE_API void refit(Context& context, Bvh& bvh, const BoxView& boxes);

/// Updates all boxes of a wide tree, Bvh4, CompressedBvh4 or CompressedBvh8; children and slots stay. The boxes
/// become those of the primitives, as exact as the layout can be: they are not rounded again at every level. Where
/// nothing moved, nothing changes, except for splits, as above. On CUDA, blocks fit windows of neighbouring nodes,
/// and further launches fit the remaining nodes. That is fastest where nodes stand near their children, as in a
/// tree made by collapse().
/// Throws: as above.
/// Memory: scratch of at most 28 bytes on the CPU and 34 on CUDA for each node that the tree has room for, and 64
/// bytes per view if there are several.
template <class Node>
void refit(Context& context, WideBvh<Node>& tree, const TriangleViews& triangles);
template <class Node>
void refit(Context& context, WideBvh<Node>& tree, const BoxView& boxes);

}  // namespace copse
