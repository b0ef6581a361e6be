#pragma once

#include "builders/geometry/triangle_table.h"

namespace copse {

/// The box of a primitive that is a triangle; empty where it cannot stand in a tree.
struct TriangleBoxes {
  TriangleTable table;
  COPSE_HD Aabb operator()(u32 primitive) const { return bounds(table.triangle(primitive)); }
};

/// The box of a custom primitive; empty where it cannot stand in a tree.
struct CustomBoxes {
  const Aabb* boxes;
  COPSE_HD Aabb operator()(u32 primitive) const {
    const Aabb box{clean_point(boxes[primitive].lo), clean_point(boxes[primitive].hi)};
    return is_valid(box) ? box : Aabb::empty();
  }
};

}  // namespace copse
