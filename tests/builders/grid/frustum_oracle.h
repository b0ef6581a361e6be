#pragma once

// A slow test that tells which cells of a frustum grid a triangle touches. For each cell, it takes the planes of the
// enlarged cell, and cuts off what the triangle has outside of them. If a part remains, the triangle touches the cell.

#include <limits>
#include <vector>

#include "builders/grid/frustum/frustum_cells.h"

namespace copse::test {

using Real = long double;

struct RealPoint {
  Real x, y, z;
};

inline std::vector<RealPoint> cut(const std::vector<RealPoint>& polygon, Real a, Real b, Real c, Real d) {
  const auto side = [&](const RealPoint& p) { return a * p.x + b * p.y + c * p.z + d; };
  std::vector<RealPoint> kept;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const RealPoint &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    const Real at_p = side(p), at_q = side(q);
    if (at_p >= 0) kept.push_back(p);
    if ((at_p >= 0) != (at_q >= 0)) {
      const Real t = at_p / (at_p - at_q);
      kept.push_back({p.x + (q.x - p.x) * t, p.y + (q.y - p.y) * t, p.z + (q.z - p.z) * t});
    }
  }
  return kept;
}

class FrustumOracle {
 public:
  FrustumOracle(const FrustumShape& frustum, const GridShape& cells) : frustum_(frustum), cells_(cells) {}

  /// Returns true if the triangle comes within so many cells of cell `id`.
  bool touches(const Triangle& t, u32 id, Real margin) const {
    const uvec3 cell = cells_.cell_at(id);
    std::vector<RealPoint> polygon = {camera_point(t.a), camera_point(t.b), camera_point(t.c)};
    polygon = cut(polygon, 0, 0, 1, -std::numeric_limits<double>::min());
    if (cell.x > 0) polygon = cut(polygon, 0, 0, 1, -depth_at(cell.x - margin));
    const Real end = cell.x + 1 + margin;
    // The last slab has no end, nor has a slab that reaches to infinity.
    if (cell.x + 1 < cells_.resolution.x && inverse_depth_at(end) > 0) {
      polygon = cut(polygon, 0, 0, -1, depth_at(end));
    }
    const Real left = place_at(cell.y - margin, cells_.resolution.y);
    const Real right = place_at(cell.y + 1 + margin, cells_.resolution.y);
    polygon = cut(cut(polygon, 1, 0, -left, 0), -1, 0, right, 0);
    const Real top = place_at(cell.z - margin, cells_.resolution.z);
    const Real bottom = place_at(cell.z + 1 + margin, cells_.resolution.z);
    polygon = cut(cut(polygon, 0, 1, -top, 0), 0, -1, bottom, 0);
    return !polygon.empty();
  }

 private:
  RealPoint camera_point(const vec3& p) const {
    const Real x = Real(p.x) - frustum_.eye.x, y = Real(p.y) - frustum_.eye.y, z = Real(p.z) - frustum_.eye.z;
    const auto along = [&](const dvec3& row) { return row.x * x + row.y * y + row.z * z; };
    return {along(frustum_.x), along(frustum_.y), along(frustum_.z)};
  }
  Real inverse_depth_at(Real slab) const { return -(cells_.lo.x + slab / cells_.cells_per_unit.x); }
  Real depth_at(Real slab) const { return 1 / inverse_depth_at(slab); }
  static Real place_at(Real tile, u32 count) { return 2 * tile / count - 1; }

  FrustumShape frustum_;
  GridShape cells_;
};

}  // namespace copse::test
