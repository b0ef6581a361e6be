#pragma once

#include <span>

#include "builders/geometry/triangle.h"
#include "primitives/core/executor.h"

namespace copse::detail {

template <class Executor, class View, class Region>
void count_overlaps(const Executor& ex, const View& bvh, std::span<const TriangleView> views,
                    BufferSpan<const Region> regions, u32* counts);

/// Stores where the lists of regions begin, and the end of the last one.
template <class Executor, class View, class Region>
void place_overlaps(const Executor& ex, const View& bvh, std::span<const TriangleView> views,
                    BufferSpan<const Region> regions, u64* offsets);

/// Stores the lists, which begin at `offsets`, as far as there is room.
template <class Executor, class View, class Region>
void store_overlaps(const Executor& ex, const View& bvh, std::span<const TriangleView> views,
                    BufferSpan<const Region> regions, const u64* offsets, BufferSpan<u32> primitives);

}  // namespace copse::detail
