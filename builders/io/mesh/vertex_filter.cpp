#include "builders/io/mesh/vertex_filter.h"

#include <algorithm>

namespace copse::detail {

VertexFilter::VertexFilter(std::vector<vec3>& positions) {
  const auto is_good = [](const vec3& p) { return is_finite(p); };
  if (std::all_of(positions.begin(), positions.end(), is_good)) return;
  new_index_.reserve(positions.size());
  u32 kept = 0;
  for (const vec3& position : positions) {
    new_index_.push_back(is_finite(position) ? kept : removed);
    if (is_finite(position)) positions[kept++] = position;
  }
  positions.resize(kept);
}

bool VertexFilter::renumber(std::span<u32> corners) const {
  if (kept_all()) return true;
  bool has_all = true;
  for (u32& corner : corners) {
    corner = new_index_[corner];
    has_all &= corner != removed;
  }
  return has_all;
}

}  // namespace copse::detail
