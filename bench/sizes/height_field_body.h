#pragma once

#include "builders/geometry/aabb.h"
#include "primitives/core/executor.h"

namespace copse::bench {

/// Writes the vertices of `side` x `side` cells, and the first `triangle_count` triangles of the cells. Each cell
/// has two triangles.
template <class Executor>
void fill_height_field(const Executor& ex, u64 side, u64 triangle_count, vec3* positions, uvec3* triangles);

}  // namespace copse::bench
