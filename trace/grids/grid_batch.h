#pragma once

// What batches of rays through a uniform grid ask of each ray, for the kernels of both backends.

#include <type_traits>

#include "trace/grid_march.h"
#include "trace/masked_triangles.h"

namespace copse::detail {

/// Result: Hit for the closest hits, u8 for any.
template <class Result>
struct GridBatch {
  static constexpr bool finds_closest = std::is_same_v<Result, Hit>;
  template <Robustness robustness>
  using Test = std::conditional_t<finds_closest, ClosestTriangle<IndexedTriangles, robustness>,
                                  AnyTriangle<IndexedTriangles, robustness>>;

  GridView grid;
  TriangleTable triangles;
  const Ray* rays;
  Result* results;

  COPSE_HD void trace_robust(u64 i) const {
    Test<Robustness::robust> test(triangles_of(triangles), rays[i]);
    NoCounter counter;
    store(i, test, march(grid, rays[i], test, counter));
  }

  /// False where the ray gave up; its result is not stored then.
  COPSE_HD bool trace_fast(u64 i) const {
    const Ray ray = rays[i];
    Test<Robustness::fast> test(triangles_of(triangles), ray);
    float limit;
    if (!march_fast(grid, ray, test, limit) || test.gives_up) return false;
    store(i, test, limit);
    return true;
  }

 private:
  template <class Test>
  COPSE_HD void store(u64 i, const Test& test, float limit) const {
    if constexpr (finds_closest) {
      results[i] = test.hit(limit);
    } else {
      results[i] = test.found ? 1 : 0;
    }
  }
};

/// The same for rays that pass over geometries. `masks`: those of the rays, or null.
template <class Result>
struct MaskedGridBatch {
  GridBatch<Result> batch;
  const u32* masks;

  COPSE_HD void operator()(u64 i) const {
    const u32 mask = masks == nullptr ? ~u32{0} : masks[i];
    if constexpr (GridBatch<Result>::finds_closest) {
      batch.results[i] = closest_hit_masked(batch.grid, batch.triangles, batch.rays[i], mask);
    } else {
      batch.results[i] = any_hit_masked(batch.grid, batch.triangles, batch.rays[i], mask) ? 1 : 0;
    }
  }
};

}  // namespace copse::detail
