#pragma once

// Checks of the points of a structure against those that it was built over, for the validation of all structures.

#include "builders/geometry/numbered_point.h"
#include "builders/geometry/triangle.h"
#include "primitives/core/atomic.h"

namespace copse::detail {

struct IsValidSource {
  PositionSpan points;
  COPSE_HD bool operator()(u64 i) const { return is_finite(points.at(i)); }
};

/// Counts points that are not those of the source, and points that are there twice.
struct SourceCheck {
  PositionSpan points;
  u32* place_of_point;  // invalid_id before
  u64* bad_points;
  u64* repeated_points;

  COPSE_HD void check(u32 place, const NumberedPoint& point) const {
    if (!is_source(point)) {
      fetch_add_relaxed(bad_points, u64{1});
    } else if (exchange_acq_rel(place_of_point + point.id, place) != invalid_id) {
      fetch_add_relaxed(repeated_points, u64{1});
    }
  }

 private:
  COPSE_HD bool is_source(const NumberedPoint& point) const {
    if (point.id >= points.size) return false;
    const vec3 source = clean_point(points.at(point.id)), copy = point.position;
    return is_finite(source) && bits_of(source.x) == bits_of(copy.x) && bits_of(source.y) == bits_of(copy.y) &&
           bits_of(source.z) == bits_of(copy.z);
  }
};

}  // namespace copse::detail
