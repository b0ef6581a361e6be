#include "viewer/model/structures/leaf_depths.h"

#include <algorithm>

namespace copse::viewer {

std::vector<u64> leaves_by_depth(std::span<const u32> leaves, std::span<const u32> depths) {
  std::vector<bool> seen;  // [leaf]
  std::vector<u64> counts;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const u32 leaf = leaves[i], depth = depths[i];
    if (leaf == invalid_id) continue;
    if (leaf >= seen.size()) seen.resize(std::max<size_t>(size_t{leaf} + 1, seen.size() * 2));
    if (seen[leaf]) continue;
    seen[leaf] = true;
    if (depth >= counts.size()) counts.resize(depth + 1);
    ++counts[depth];
  }
  return counts;
}

}  // namespace copse::viewer
