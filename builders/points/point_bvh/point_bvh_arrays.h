#pragma once

// The memory of a hierarchy over points, as its builder writes it.

#include "builders/points/point_bvh_layout.h"

namespace copse::detail {

struct PointBvhArrays {
  PointNode* nodes;
  NumberedPoint* points;
  PointBvhCounts* counts;
};

}  // namespace copse::detail
