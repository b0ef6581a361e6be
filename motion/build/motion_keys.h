#pragma once

#include "motion/motion_view.h"

namespace copse::detail {

/// The nodes of all keys.
struct MotionNodes {
  CompressedBvh4Node* first;
  u64 stride;
  u32 key_count;
};

}  // namespace copse::detail
