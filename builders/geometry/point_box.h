#pragma once

// The box of points, and how many of them are valid: by one reduction.

#include "builders/geometry/triangle.h"

namespace copse::detail {

struct PointBox {
  Aabb box;
  u32 count;  // of the points in it

  COPSE_HD static PointBox empty() { return {Aabb::empty(), 0}; }
};

/// The box of one point; no box if a coordinate is infinite or NaN.
struct BoxOfPoint {
  PositionSpan points;
  COPSE_HD PointBox operator()(u64 i) const {
    const vec3 p = clean_point(points.at(i));
    return is_finite(p) ? PointBox{{p, p}, 1} : PointBox::empty();
  }
};

struct MergePointBoxes {
  COPSE_HD PointBox operator()(const PointBox& a, const PointBox& b) const {
    return {merge(a.box, b.box), a.count + b.count};
  }
};

}  // namespace copse::detail
