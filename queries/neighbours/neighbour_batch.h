#pragma once

// Batches of searches for points near points, in any structure of points. Lists are made by count, scan and fill: the
// structure is searched twice, so that no list needs room for the longest one. For bodies: the executor's primitives
// must be included, and before this header
//
//   order_of_queries(ex, frame, points, queries)
//     Returns an order of the queries in which neighbours read the same memory; valid until `frame` ends.

#include "primitives/inputs.h"
#include "queries/nearest/query_batch.h"
#include "queries/neighbours/nearest_keys.h"

namespace copse::detail {

template <class Points>
struct CountWithin {
  Points points;
  const vec3* queries;
  QueryOrder order;
  float radius;
  u32* counts;
  COPSE_HD void operator()(u64 k) const {
    const u64 i = order(k);
    counts[i] = count_within(points, queries[i], radius);
  }
};

/// Stores ids from a place on, up to the end of the buffer.
struct StoreIds {
  u32* at;
  u32* end;
  COPSE_HD bool operator()(const NumberedPoint& point, float) {
    *at++ = point.id;
    return at == end;
  }
};

template <class Points>
struct StoreWithin {
  Points points;
  const vec3* queries;
  QueryOrder order;
  float radius;
  const u64* offsets;
  BufferSpan<u32> neighbours;
  COPSE_HD void operator()(u64 k) const {
    const u64 i = order(k), end = smaller(offsets[i + 1], neighbours.size());
    if (offsets[i] >= end) return;
    StoreIds store{neighbours.data() + offsets[i], neighbours.data() + end};
    for_each_within(points, queries[i], radius, store);
  }
};

/// Keeps the nearest points in registers.
template <u32 room, class Points>
struct FindFewNearest {
  Points points;
  const vec3* queries;
  QueryOrder order;
  float limit;
  u32 k;
  PointNeighbour* neighbours;
  COPSE_HD void operator()(u64 place) const {
    const u64 i = order(place);
    NearestKeys<room> nearest(k, limit);
    keep_nearest(points, queries[i], nearest);
    nearest.store(neighbours + i * k);
  }
};

/// Keeps the nearest points in a heap: in local memory if k is at most `room`, or in the memory of the results if
/// `room` is 0.
template <u32 room, class Points>
struct FindNearestPoints {
  Points points;
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
    const u32 count = k_nearest_points(points, queries[i], max_distance, k, own);
    for (u32 j = 0; j < k; ++j) out[j] = j < count ? own[j] : PointNeighbour::none();
  }
};

/// Finds the k nearest points of each query; k is at most `room`. A structure may have an overload of its own.
template <u32 room, class Executor, class Points, class Order>
void find_few_nearest(const Executor& ex, const char* label, const Points& points, BufferSpan<const vec3> queries,
                      const Order& order, float limit, u32 k, PointNeighbour* neighbours) {
  persistent_for_each(ex, label, queries.size(), queries_at_once,
                      FindFewNearest<room, Points>{points, queries.data(), order, limit, k, neighbours});
}

template <class Executor, class Points>
void count_neighbours(const Executor& ex, const Points& points, BufferSpan<const vec3> queries, float radius,
                      u32* counts) {
  ScratchArena::Frame frame(ex.scratch);
  const auto order = order_of_queries(ex, frame, points, queries);
  persistent_for_each(ex, "queries: count neighbours", queries.size(), queries_at_once,
                      CountWithin<Points>{points, queries.data(), order, radius, counts});
}

template <class Executor, class Points>
void place_neighbours(const Executor& ex, const Points& points, BufferSpan<const vec3> queries, float radius,
                      u64* offsets) {
  ScratchArena::Frame frame(ex.scratch);
  const u64 n = queries.size();
  u32* counts = frame.template allocate<u32>(n);
  count_neighbours(ex, points, queries, radius, counts);
  place_lists(ex, "queries: place neighbours", counts, n, offsets);
}

template <class Executor, class Points>
void store_neighbours(const Executor& ex, const Points& points, BufferSpan<const vec3> queries, float radius,
                      const u64* offsets, BufferSpan<u32> neighbours) {
  if (neighbours.empty()) return;
  ScratchArena::Frame frame(ex.scratch);
  const auto order = order_of_queries(ex, frame, points, queries);
  persistent_for_each(ex, "queries: store neighbours", queries.size(), queries_at_once,
                      StoreWithin<Points>{points, queries.data(), order, radius, offsets, neighbours});
}

template <class Executor, class Points>
void nearest_neighbours(const Executor& ex, const Points& points, BufferSpan<const vec3> queries,
                        float max_distance, u32 k, PointNeighbour* neighbours) {
  if (k == 0) return;
  constexpr const char* label = "queries: nearest neighbours";
  ScratchArena::Frame frame(ex.scratch);
  const u64 n = queries.size();
  const auto order = order_of_queries(ex, frame, points, queries);
  const float limit = square_limit(max_distance);
  const auto find = [&](const auto& f) { persistent_for_each(ex, label, n, queries_at_once, f); };
  if (k <= 8) {
    find_few_nearest<8>(ex, label, points, queries, order, limit, k, neighbours);
  } else if (k <= 16) {
    find_few_nearest<16>(ex, label, points, queries, order, limit, k, neighbours);
  } else if (k <= 64) {
    find(FindNearestPoints<64, Points>{points, queries.data(), order, max_distance, k, neighbours});
  } else {
    find(FindNearestPoints<0, Points>{points, queries.data(), order, max_distance, k, neighbours});
  }
}

}  // namespace copse::detail
