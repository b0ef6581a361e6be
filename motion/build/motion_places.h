#pragma once

#include "motion/motion_instance.h"
#include "motion/walk/moving_instance.h"

namespace copse::detail {

/// Where the records of moving instances go.
struct MotionPlaces {
  MovingInstance* records;      // [instance]
  MotionTransform* transforms;  // [instance][key]
  MovingBox* boxes;             // [instance][key]
  Aabb* swept;                  // [tree][instance], `stride` apart
  u64 stride;
  u32 tree_count;
};

}  // namespace copse::detail
