#pragma once

#include <vector>

#include "primitives/core/context.h"

namespace copse::bench {

/// The groups of ranks to measure.
struct RankRows {
  Backend backend = Backend::cpu;
  std::vector<u32> rank_counts;       // powers of two
  u64 checked_triangles = 1'000'000;  // up to so many, the gathered tree is compared with that of one context
};

/// Adds the rows of links between ranks, and of builds and refits of trees whose parts are on several ranks.
void add_sharded_builds(const RankRows& rows);

}  // namespace copse::bench
