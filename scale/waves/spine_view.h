#pragma once

#include "builders/bvh/node.h"

namespace copse::detail {

/// The boxes of all ranks, with a tree over them.
struct SpineView {
  BvhView tree;
  const Aabb* boxes;
  const u32* ranks;  // [box]
  u32 rank_count;
};

}  // namespace copse::detail
