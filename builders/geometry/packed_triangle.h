#pragma once

#include "builders/geometry/triangle.h"

namespace copse {

/// A triangle with all that a ray needs, in three 16-byte loads. No index and no id is looked up elsewhere.
struct alignas(16) PackedTriangle {
  vec3 a;
  u32 primitive;  // id across all views
  vec3 b;
  u32 geometry;  // id of its view
  vec3 c;
  u32 local_id;  // its number in its view

  COPSE_HD Triangle triangle() const { return {a, b, c}; }
};

static_assert(sizeof(PackedTriangle) == 48);

/// A view of the packed triangles of a tree.
struct PackedTrianglesView {
  BufferSpan<const PackedTriangle> triangles;  // in the order of the leaves
  BufferSpan<const u32> masks = {};            // as many, or none: then all bits of all masks are set
  const u32* tree_ids = nullptr;               // where the primitive ids of their tree are; null: not known

  COPSE_HD operator BufferSpan<const PackedTriangle>() const { return triangles; }
};

}  // namespace copse
