#pragma once

#include "builders/bvh/forest.h"
#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/triangle.h"
#include "primitives/core/words.h"

namespace copse::detail {

/// The meshes of a batch in the memory of the executor. Triangle i of all meshes belongs to mesh shape.tree_of[i].
struct BatchMeshes {
  ForestShape shape;
  const TriangleView* views;  // [mesh]
};

/// The trees of a batch, and its triangles in the order of their leaves.
struct BatchArrays {
  ForestArrays trees;
  PackedTriangle* packed;
  u32* masks;  // null: all bits are set
};

}  // namespace copse::detail
