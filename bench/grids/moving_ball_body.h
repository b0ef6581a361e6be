#pragma once

#include "builders/geometry/aabb.h"
#include "primitives/core/executor.h"

namespace copse::bench {

/// Writes the vertices of the next phase, and counts the phases.
template <class Executor>
void move_ball(const Executor& ex, const vec3* rest, u64 vertex_count, u32* phase, vec3* positions);

}  // namespace copse::bench
