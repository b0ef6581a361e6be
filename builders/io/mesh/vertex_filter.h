#pragma once

#include <span>
#include <vector>

#include "builders/geometry/aabb.h"

namespace copse::detail {

/// Leaves out the vertices of a mesh that have a coordinate that is infinite or NaN.
class VertexFilter {
 public:
  /// Removes such vertices from `positions`. The others keep their order.
  explicit VertexFilter(std::vector<vec3>& positions);

  /// True if no vertex was removed. Then corners may stay as they are.
  bool kept_all() const { return new_index_.empty(); }

  /// Gives the corners of a face the numbers that their vertices have now. Returns false if a vertex was removed.
  bool renumber(std::span<u32> corners) const;

 private:
  static constexpr u32 removed = ~0u;

  std::vector<u32> new_index_;  // of each vertex before, or `removed`; empty if none was removed
};

}  // namespace copse::detail
