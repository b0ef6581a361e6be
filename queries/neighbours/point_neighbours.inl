// Count, scan, fill: the cells are visited twice, so that no list needs room for the longest one.

#include "primitives/persistent.h"
#include "primitives/radix_sort.h"
#include "queries/near_points.h"
#include "queries/nearest/query_batch.h"
#include "queries/neighbours/nearest_keys.h"

namespace copse::detail {

namespace {

/// The bucket of the cell of a query point.
struct BucketOfQuery {
  HashGridView grid;
  const vec3* queries;
  COPSE_HD u32 operator()(u64 i) const {
    const HashGridShape shape = grid.shape.data()[0];
    return is_finite(queries[i]) ? shape.bucket_of(shape.cell_of(queries[i])) : 0;
  }
};

struct CountWithin {
  HashGridView grid;
  const vec3* queries;
  QueryOrder order;
  float radius;
  u32* counts;
  COPSE_HD void operator()(u64 k) const {
    const u64 i = order(k);
    counts[i] = count_within(grid, queries[i], radius);
  }
};

/// Stores ids from a place on, as far as there is room.
struct StoreIds {
  u32* at;
  u32* end;
  COPSE_HD bool operator()(const GridPoint& point, float) {
    *at++ = point.id;
    return at == end;
  }
};

struct StoreWithin {
  HashGridView grid;
  const vec3* queries;
  QueryOrder order;
  float radius;
  const u64* offsets;
  BufferSpan<u32> neighbours;
  COPSE_HD void operator()(u64 k) const {
    const u64 i = order(k), end = smaller(offsets[i + 1], neighbours.size());
    if (offsets[i] >= end) return;
    StoreIds store{neighbours.data() + offsets[i], neighbours.data() + end};
    for_each_within(grid, queries[i], radius, store);
  }
};

/// Keeps the nearest points in registers.
template <u32 room>
struct FindFewNearest {
  HashGridView grid;
  const vec3* queries;
  QueryOrder order;
  float limit;
  u32 k;
  PointNeighbour* neighbours;
  COPSE_HD void operator()(u64 place) const {
    const u64 i = order(place);
    NearestKeys<room> nearest(k, limit);
    keep_nearest(grid, queries[i], nearest);
    nearest.store(neighbours + i * k);
  }
};

/// Keeps the nearest points in a heap: in local memory if k is at most `room`, or in the results if `room` is 0.
template <u32 room>
struct FindNearest {
  HashGridView grid;
  const vec3* queries;
  QueryOrder order;
  float max_distance;
  u32 k;
  PointNeighbour* neighbours;
  COPSE_HD void operator()(u64 place) const {
    const u64 i = order(place);
    PointNeighbour* const out = neighbours + i * k;
    PointNeighbour local[room > 0 ? room : 1];
    PointNeighbour* const own = room > 0 ? local : out;
    const u32 count = k_nearest_points(grid, queries[i], max_distance, k, own);
    for (u32 j = 0; j < k; ++j) out[j] = j < count ? own[j] : PointNeighbour::none();
  }
};

template <class Executor>
QueryOrder order_by_bucket(const Executor& ex, ScratchArena::Frame& frame, const HashGridView& grid,
                           BufferSpan<const vec3> queries) {
  const u32 bits = 63 - leading_zeros(u64{grid.bucket_begins.size() - 1});
  return order_by_place(ex, frame, queries.size(), BucketOfQuery{grid, queries.data()}, larger(bits, 1u));
}

}  // namespace

template <class Executor>
void count_neighbours(const Executor& ex, const HashGridView& grid, BufferSpan<const vec3> queries, float radius,
                      u32* counts) {
  ScratchArena::Frame frame(ex.scratch);
  const QueryOrder order = order_by_bucket(ex, frame, grid, queries);
  persistent_for_each(ex, "queries: count neighbours", queries.size(), queries_at_once,
                      CountWithin{grid, queries.data(), order, radius, counts});
}

template <class Executor>
void place_neighbours(const Executor& ex, const HashGridView& grid, BufferSpan<const vec3> queries, float radius,
                      u64* offsets) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 n = queries.size();
  u32* counts = frame.template allocate<u32>(n);
  count_neighbours(ex, grid, queries, radius, counts);
  place_lists(ex, "queries: place neighbours", counts, n, offsets);
}

template <class Executor>
void store_neighbours(const Executor& ex, const HashGridView& grid, BufferSpan<const vec3> queries, float radius,
                      const u64* offsets, BufferSpan<u32> neighbours) {
  if (neighbours.empty()) return;
  ScratchArena::Frame frame(ex.scratch);
  const QueryOrder order = order_by_bucket(ex, frame, grid, queries);
  persistent_for_each(ex, "queries: store neighbours", queries.size(), queries_at_once,
                      StoreWithin{grid, queries.data(), order, radius, offsets, neighbours});
}

template <class Executor>
void nearest_neighbours(const Executor& ex, const HashGridView& grid, BufferSpan<const vec3> queries,
                        float max_distance, u32 k, PointNeighbour* neighbours) {
  if (k == 0) return;
  constexpr const char* label = "queries: nearest neighbours";
  ScratchArena::Frame frame(ex.scratch);
  const u64 n = queries.size();
  const QueryOrder order = order_by_bucket(ex, frame, grid, queries);
  const float limit = square_limit(max_distance);
  const auto find = [&](const auto& f) { persistent_for_each(ex, label, n, queries_at_once, f); };
  if (k <= 8) {
    find(FindFewNearest<8>{grid, queries.data(), order, limit, k, neighbours});
  } else if (k <= 16) {
    find(FindFewNearest<16>{grid, queries.data(), order, limit, k, neighbours});
  } else if (k <= 64) {
    find(FindNearest<64>{grid, queries.data(), order, max_distance, k, neighbours});
  } else {
    find(FindNearest<0>{grid, queries.data(), order, max_distance, k, neighbours});
  }
}

template void count_neighbours(const BodyExecutor&, const HashGridView&, BufferSpan<const vec3>, float, u32*);
template void place_neighbours(const BodyExecutor&, const HashGridView&, BufferSpan<const vec3>, float, u64*);
template void store_neighbours(const BodyExecutor&, const HashGridView&, BufferSpan<const vec3>, float, const u64*,
                               BufferSpan<u32>);
template void nearest_neighbours(const BodyExecutor&, const HashGridView&, BufferSpan<const vec3>, float, u32,
                                 PointNeighbour*);

}  // namespace copse::detail
