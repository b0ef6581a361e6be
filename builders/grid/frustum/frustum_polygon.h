#pragma once

// The part of a triangle that a frustum may see, as a convex polygon in camera coordinates. It is for triangles
// that reach past the sides of the screen or behind the eye.
//
// Source: Sutherland, Hodgman, "Reentrant Polygon Clipping", CACM 1974.

#include "builders/grid/frustum/frustum_shape.h"

namespace copse::detail {

/// The points with a x + b y + c z + d >= 0.
struct ClipPlane {
  double a, b, c, d;

  COPSE_HD double side(const dvec3& p) const {
    return add_rn(add_rn(add_rn(mul_rn(a, p.x), mul_rn(b, p.y)), mul_rn(c, p.z)), d);
  }
};

/// The screen, enlarged on all sides by a share of its half width and half height, and by a length.
struct ScreenWindow {
  double share_x, share_y, length_x, length_y;

  static constexpr u32 plane_count = 4;
  COPSE_HD ClipPlane plane(u32 k) const {
    const double sign = k % 2 == 0 ? 1.0 : -1.0;
    return k < 2 ? ClipPlane{sign, 0, 1.0 + share_x, length_x} : ClipPlane{0, sign, 1.0 + share_y, length_y};
  }
  COPSE_HD bool is_outside(const dvec3& a, const dvec3& b, const dvec3& c) const {
    for (u32 k = 0; k < plane_count; ++k) {
      const ClipPlane side = plane(k);
      if (side.side(a) < 0 && side.side(b) < 0 && side.side(c) < 0) return true;
    }
    return false;
  }
};

/// Returns the window of all tiles, each enlarged by `padding` units.
COPSE_HD inline ScreenWindow window_of_tiles(const uvec3& cells, i32 padding) {
  const double units = 2.0 * padding / units_per_cell;
  return {units / cells.y, units / cells.z, 0, 0};
}

/// A convex polygon that can be cut by planes.
class FrustumPolygon {
 public:
  /// A triangle that is cut by a plane in front of the eye and by four sides has at most 8 corners.
  static constexpr u32 max_vertices = 10;

  COPSE_HD FrustumPolygon(const dvec3& a, const dvec3& b, const dvec3& c) : count_(3) {
    vertices_[0] = a;
    vertices_[1] = b;
    vertices_[2] = c;
  }

  COPSE_HD u32 count() const { return count_; }
  COPSE_HD const dvec3& vertex(u32 i) const { return vertices_[i]; }
  /// Returns false if rounding made more corners of a thin piece than there is room for.
  COPSE_HD bool is_whole() const { return is_whole_; }

  COPSE_HD void cut(const ClipPlane& plane) {
    dvec3 kept[max_vertices];
    u32 kept_count = 0;
    for (u32 i = 0; i < count_; ++i) {
      const dvec3& p = vertices_[i];
      const dvec3& q = vertices_[i + 1 < count_ ? i + 1 : 0];
      const double side_p = plane.side(p), side_q = plane.side(q);
      if (side_p >= 0) is_whole_ &= keep(kept, kept_count, p);
      if ((side_p >= 0) != (side_q >= 0)) is_whole_ &= keep(kept, kept_count, crossing(p, q, side_p, side_q));
    }
    for (u32 i = 0; i < kept_count; ++i) vertices_[i] = kept[i];
    count_ = kept_count;
  }
  COPSE_HD void cut(const ScreenWindow& window) {
    for (u32 k = 0; k < ScreenWindow::plane_count; ++k) cut(window.plane(k));
  }

  COPSE_HD DepthRange depths() const {
    DepthRange range{vertices_[0].z, vertices_[0].z};
    for (u32 i = 1; i < count_; ++i) {
      range.lo = smaller(range.lo, vertices_[i].z);
      range.hi = larger(range.hi, vertices_[i].z);
    }
    return range;
  }

 private:
  COPSE_HD static bool keep(dvec3* kept, u32& count, const dvec3& p) {
    if (count == max_vertices) return false;
    kept[count++] = p;
    return true;
  }
  COPSE_HD static dvec3 crossing(const dvec3& p, const dvec3& q, double side_p, double side_q) {
    const double share = side_p / sub_rn(side_p, side_q);
    return dvec3(between(p.x, q.x, share), between(p.y, q.y, share), between(p.z, q.z, share));
  }
  COPSE_HD static double between(double p, double q, double share) {
    return add_rn(p, mul_rn(sub_rn(q, p), share));
  }

  dvec3 vertices_[max_vertices];
  u32 count_;
  bool is_whole_ = true;
};

}  // namespace copse::detail
