#pragma once

#include <vector>

#include "builders/geometry/aabb.h"

namespace copse::detail {

/// Numbers vertices in the order in which they come, so that vertices with equal coordinates have one number. 0 and -0
/// are equal; the vertex that came first stays as it is.
class VertexMerger {
 public:
  VertexMerger();

  /// The maximum number of vertices.
  static constexpr u64 max_vertices = 0xffffffff;

  /// Returns the number of a finite vertex.
  ///   position: one of at most max_vertices different ones
  u32 add(const vec3& position);

  u64 size() const { return positions_.size(); }

  /// Returns the vertices by their numbers. May be called once, as the last call.
  std::vector<vec3> take() { return std::move(positions_); }

 private:
  static constexpr u32 empty = ~0u;

  u64 home_of(const vec3& position) const;
  void grow();

  std::vector<vec3> positions_;
  std::vector<u32> slots_;  // a hash table of the numbers, a power of two, at most half full
  u64 seed_;
};

}  // namespace copse::detail
