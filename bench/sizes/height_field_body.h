#pragma once

#include "bench/sizes/field_part.h"
#include "builders/geometry/aabb.h"
#include "primitives/core/executor.h"

namespace copse::bench {

/// Writes the vertices of `side` x `side` cells, and the first `triangle_count` triangles of the cells. Each cell
/// has two triangles.
template <class Executor>
void fill_height_field(const Executor& ex, u64 side, u64 triangle_count, vec3* positions, uvec3* triangles);

/// Writes the vertices and the triangles of a part of the sheet.
template <class Executor>
void fill_field_part(const Executor& ex, const FieldPart& part, vec3* positions, uvec3* triangles);

}  // namespace copse::bench
