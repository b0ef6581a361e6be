#include "queries/point_neighbours.h"

#include "primitives/core/dispatch.h"
#include "trace/batch/check.h"

namespace copse::detail {

// The bodies: bvh_neighbours.inl, hash_neighbours.inl and kd_neighbours.inl, for either executor.

template <class Executor, class Points>
void count_neighbours(const Executor& ex, const Points& points, BufferSpan<const vec3> queries, float radius,
                      u32* counts);

/// Stores where each list begins, and where the last one ends.
template <class Executor, class Points>
void place_neighbours(const Executor& ex, const Points& points, BufferSpan<const vec3> queries, float radius,
                      u64* offsets);

/// Stores the lists, which begin at `offsets`, as far as there is room.
template <class Executor, class Points>
void store_neighbours(const Executor& ex, const Points& points, BufferSpan<const vec3> queries, float radius,
                      const u64* offsets, BufferSpan<u32> neighbours);

template <class Executor, class Points>
void nearest_neighbours(const Executor& ex, const Points& points, BufferSpan<const vec3> queries,
                        float max_distance, u32 k, PointNeighbour* neighbours);

namespace {

void check_structure(const char* function, const HashGridView& grid) {
  if (grid.shape.empty() || grid.bucket_begins.size() < 2) {
    refuse(function, "the grid has 0 buckets, even a grid without points has 1");
  }
}

void check_structure(const char* function, const KdTreeView& tree) {
  if (tree.counts.empty()) refuse(function, "the kd-tree has no counts, it was never built");
}

void check_structure(const char* function, const PointBvhView& bvh) {
  if (bvh.counts.empty()) refuse(function, "the point BVH has no counts, it was never built");
}

template <class Points>
void count_batch(Context& context, const Points& points, BufferSpan<const vec3> queries, float radius,
                 BufferSpan<u32> counts) {
  constexpr const char* function = "count_neighbours";
  check_structure(function, points);
  check_results(function, "points", queries, counts);
  dispatch(context, [&](const auto& ex) { count_neighbours(ex, points, queries, radius, counts.data()); });
}

template <class Points>
void find_batch(Context& context, const Points& points, BufferSpan<const vec3> queries, float radius,
                BufferSpan<u64> offsets, BufferSpan<u32> neighbours) {
  constexpr const char* function = "find_neighbours";
  check_structure(function, points);
  check_lists(function, "points", queries, offsets, neighbours);
  dispatch(context, [&](const auto& ex) {
    place_neighbours(ex, points, queries, radius, offsets.data());
    store_neighbours(ex, points, queries, radius, offsets.data(), neighbours);
  });
}

template <class Points>
NeighbourLists list_batch(Context& context, const Points& points, BufferSpan<const vec3> queries, float radius) {
  check_structure("all_neighbours", points);
  NeighbourLists lists{Buffer<u64>(context, queries.size() + 1), {}};
  dispatch(context, [&](const auto& ex) { place_neighbours(ex, points, queries, radius, lists.offsets.data()); });
  const u64 total = download(context, lists.offsets.span().subspan(queries.size(), 1))[0];
  lists.neighbours = Buffer<u32>(context, total);
  dispatch(context, [&](const auto& ex) {
    store_neighbours(ex, points, queries, radius, lists.offsets.data(), lists.neighbours.span());
  });
  return lists;
}

template <class Points>
void nearest_batch(Context& context, const Points& points, BufferSpan<const vec3> queries,
                   BufferSpan<PointNeighbour> neighbours, float max_distance) {
  constexpr const char* function = "nearest_neighbours";
  check_structure(function, points);
  const u32 k = results_each(function, "points", queries.size(), "neighbours", neighbours.size());
  check_apart(function, "points", queries, neighbours);
  dispatch(context,
           [&](const auto& ex) { nearest_neighbours(ex, points, queries, max_distance, k, neighbours.data()); });
}

}  // namespace

}  // namespace copse::detail

namespace copse {

void count_neighbours(Context& context, const HashGridView& grid, BufferSpan<const vec3> queries, float radius,
                      BufferSpan<u32> counts) {
  detail::count_batch(context, grid, queries, radius, counts);
}

void find_neighbours(Context& context, const HashGridView& grid, BufferSpan<const vec3> queries, float radius,
                     BufferSpan<u64> offsets, BufferSpan<u32> neighbours) {
  detail::find_batch(context, grid, queries, radius, offsets, neighbours);
}

NeighbourLists all_neighbours(Context& context, const HashGridView& grid, BufferSpan<const vec3> queries,
                              float radius) {
  return detail::list_batch(context, grid, queries, radius);
}

void nearest_neighbours(Context& context, const HashGridView& grid, BufferSpan<const vec3> queries,
                        BufferSpan<PointNeighbour> neighbours, float max_distance) {
  detail::nearest_batch(context, grid, queries, neighbours, max_distance);
}

void count_neighbours(Context& context, const KdTreeView& tree, BufferSpan<const vec3> queries, float radius,
                      BufferSpan<u32> counts) {
  detail::count_batch(context, tree, queries, radius, counts);
}

void find_neighbours(Context& context, const KdTreeView& tree, BufferSpan<const vec3> queries, float radius,
                     BufferSpan<u64> offsets, BufferSpan<u32> neighbours) {
  detail::find_batch(context, tree, queries, radius, offsets, neighbours);
}

NeighbourLists all_neighbours(Context& context, const KdTreeView& tree, BufferSpan<const vec3> queries,
                              float radius) {
  return detail::list_batch(context, tree, queries, radius);
}

void nearest_neighbours(Context& context, const KdTreeView& tree, BufferSpan<const vec3> queries,
                        BufferSpan<PointNeighbour> neighbours, float max_distance) {
  detail::nearest_batch(context, tree, queries, neighbours, max_distance);
}

void count_neighbours(Context& context, const PointBvhView& bvh, BufferSpan<const vec3> queries, float radius,
                      BufferSpan<u32> counts) {
  detail::count_batch(context, bvh, queries, radius, counts);
}

void find_neighbours(Context& context, const PointBvhView& bvh, BufferSpan<const vec3> queries, float radius,
                     BufferSpan<u64> offsets, BufferSpan<u32> neighbours) {
  detail::find_batch(context, bvh, queries, radius, offsets, neighbours);
}

NeighbourLists all_neighbours(Context& context, const PointBvhView& bvh, BufferSpan<const vec3> queries,
                              float radius) {
  return detail::list_batch(context, bvh, queries, radius);
}

void nearest_neighbours(Context& context, const PointBvhView& bvh, BufferSpan<const vec3> queries,
                        BufferSpan<PointNeighbour> neighbours, float max_distance) {
  detail::nearest_batch(context, bvh, queries, neighbours, max_distance);
}

}  // namespace copse
