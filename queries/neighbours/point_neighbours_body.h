#pragma once

#include "primitives/core/executor.h"
#include "queries/near_points.h"

namespace copse::detail {

template <class Executor>
void count_neighbours(const Executor& ex, const HashGridView& grid, BufferSpan<const vec3> queries, float radius,
                      u32* counts);

/// Stores where the lists begin, and the end of the last one.
template <class Executor>
void place_neighbours(const Executor& ex, const HashGridView& grid, BufferSpan<const vec3> queries, float radius,
                      u64* offsets);

/// Stores the lists, which begin at `offsets`, as far as there is room.
template <class Executor>
void store_neighbours(const Executor& ex, const HashGridView& grid, BufferSpan<const vec3> queries, float radius,
                      const u64* offsets, BufferSpan<u32> neighbours);

template <class Executor>
void nearest_neighbours(const Executor& ex, const HashGridView& grid, BufferSpan<const vec3> queries,
                        float max_distance, u32 k, PointNeighbour* neighbours);

}  // namespace copse::detail
