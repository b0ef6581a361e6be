#include "queries/point_neighbours.h"

#include "primitives/core/dispatch.h"
#include "primitives/core/validation.h"
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

/// Stores the lists, which begin at `offsets`, up to the end of the buffer.
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

}  // namespace

}  // namespace copse::detail

namespace copse {

template <PointStructure Points>
void count_neighbours(Context& context, const Points& points, BufferSpan<const vec3> queries, float radius,
                      BufferSpan<u32> counts) {
  constexpr const char* function = "count_neighbours";
  detail::check_structure(function, points);
  detail::check_results(context, function, "points", queries, counts, &ValidationCounts::nan_points);
  dispatch(context, [&](const auto& ex) { detail::count_neighbours(ex, points, queries, radius, counts.data()); });
}

template <PointStructure Points>
void find_neighbours(Context& context, const Points& points, BufferSpan<const vec3> queries, float radius,
                     BufferSpan<u64> offsets, BufferSpan<u32> neighbours) {
  constexpr const char* function = "find_neighbours";
  detail::check_structure(function, points);
  detail::check_lists(context, function, "points", queries, offsets, neighbours, &ValidationCounts::nan_points);
  dispatch(context, [&](const auto& ex) {
    detail::place_neighbours(ex, points, queries, radius, offsets.data());
    detail::store_neighbours(ex, points, queries, radius, offsets.data(), neighbours);
  });
}

template <PointStructure Points>
NeighbourLists all_neighbours(Context& context, const Points& points, BufferSpan<const vec3> queries,
                              float radius) {
  detail::check_structure("all_neighbours", points);
  detail::validate_queries(context, "all_neighbours", "points", queries, &ValidationCounts::nan_points);
  NeighbourLists lists{Buffer<u64>(context, queries.size() + 1), {}};
  dispatch(context,
           [&](const auto& ex) { detail::place_neighbours(ex, points, queries, radius, lists.offsets.data()); });
  const u64 total = download(context, lists.offsets.span().subspan(queries.size(), 1))[0];
  lists.neighbours = Buffer<u32>(context, total);
  dispatch(context, [&](const auto& ex) {
    detail::store_neighbours(ex, points, queries, radius, lists.offsets.data(), lists.neighbours.span());
  });
  return lists;
}

template <PointStructure Points>
void nearest_neighbours(Context& context, const Points& points, BufferSpan<const vec3> queries,
                        BufferSpan<PointNeighbour> neighbours, float max_distance) {
  constexpr const char* function = "nearest_neighbours";
  detail::check_structure(function, points);
  const u32 k = detail::results_each(function, "points", queries.size(), "neighbours", neighbours.size());
  detail::check_apart(function, "points", queries, neighbours);
  detail::validate_queries(context, function, "points", queries, &ValidationCounts::nan_points);
  detail::validate_span(context, function, "neighbours", neighbours);
  dispatch(context, [&](const auto& ex) {
    detail::nearest_neighbours(ex, points, queries, max_distance, k, neighbours.data());
  });
}

template COPSE_API void count_neighbours(Context&, const HashGridView&, BufferSpan<const vec3>, float,
                                         BufferSpan<u32>);
template COPSE_API void find_neighbours(Context&, const HashGridView&, BufferSpan<const vec3>, float,
                                        BufferSpan<u64>, BufferSpan<u32>);
template COPSE_API NeighbourLists all_neighbours(Context&, const HashGridView&, BufferSpan<const vec3>, float);
template COPSE_API void nearest_neighbours(Context&, const HashGridView&, BufferSpan<const vec3>,
                                           BufferSpan<PointNeighbour>, float);

template COPSE_API void count_neighbours(Context&, const KdTreeView&, BufferSpan<const vec3>, float,
                                         BufferSpan<u32>);
template COPSE_API void find_neighbours(Context&, const KdTreeView&, BufferSpan<const vec3>, float,
                                        BufferSpan<u64>, BufferSpan<u32>);
template COPSE_API NeighbourLists all_neighbours(Context&, const KdTreeView&, BufferSpan<const vec3>, float);
template COPSE_API void nearest_neighbours(Context&, const KdTreeView&, BufferSpan<const vec3>,
                                           BufferSpan<PointNeighbour>, float);

template COPSE_API void count_neighbours(Context&, const PointBvhView&, BufferSpan<const vec3>, float,
                                         BufferSpan<u32>);
template COPSE_API void find_neighbours(Context&, const PointBvhView&, BufferSpan<const vec3>, float,
                                        BufferSpan<u64>, BufferSpan<u32>);
template COPSE_API NeighbourLists all_neighbours(Context&, const PointBvhView&, BufferSpan<const vec3>, float);
template COPSE_API void nearest_neighbours(Context&, const PointBvhView&, BufferSpan<const vec3>,
                                           BufferSpan<PointNeighbour>, float);

}  // namespace copse
