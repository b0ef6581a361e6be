#include "queries/point_neighbours.h"

#include "primitives/core/dispatch.h"
#include "trace/batch/check.h"

namespace copse::detail {

// The body: point_neighbours.inl, for either executor.

template <class Executor>
void count_neighbours(const Executor& ex, const HashGridView& grid, BufferSpan<const vec3> queries, float radius,
                      u32* counts);

/// Stores where each list begins, and where the last one ends.
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

namespace copse {

namespace {

void check_grid(const char* function, const HashGridView& grid) {
  if (grid.shape.empty() || grid.bucket_begins.size() < 2) {
    detail::refuse(function, "the grid has 0 buckets, even a grid without points has 1");
  }
}

}  // namespace

void count_neighbours(Context& context, const HashGridView& grid, BufferSpan<const vec3> queries, float radius,
                      BufferSpan<u32> counts) {
  check_grid("count_neighbours", grid);
  detail::check_results("count_neighbours", "points", queries, counts);
  dispatch(context, [&](const auto& ex) { detail::count_neighbours(ex, grid, queries, radius, counts.data()); });
}

void find_neighbours(Context& context, const HashGridView& grid, BufferSpan<const vec3> queries, float radius,
                     BufferSpan<u64> offsets, BufferSpan<u32> neighbours) {
  check_grid("find_neighbours", grid);
  detail::check_lists("find_neighbours", "points", queries, offsets, neighbours);
  dispatch(context, [&](const auto& ex) {
    detail::place_neighbours(ex, grid, queries, radius, offsets.data());
    detail::store_neighbours(ex, grid, queries, radius, offsets.data(), neighbours);
  });
}

NeighbourLists all_neighbours(Context& context, const HashGridView& grid, BufferSpan<const vec3> queries,
                              float radius) {
  check_grid("all_neighbours", grid);
  NeighbourLists lists{Buffer<u64>(context, queries.size() + 1), {}};
  dispatch(context,
           [&](const auto& ex) { detail::place_neighbours(ex, grid, queries, radius, lists.offsets.data()); });
  const u64 total = download(context, lists.offsets.span().subspan(queries.size(), 1))[0];
  lists.neighbours = Buffer<u32>(context, total);
  dispatch(context, [&](const auto& ex) {
    detail::store_neighbours(ex, grid, queries, radius, lists.offsets.data(), lists.neighbours.span());
  });
  return lists;
}

void nearest_neighbours(Context& context, const HashGridView& grid, BufferSpan<const vec3> queries,
                        BufferSpan<PointNeighbour> neighbours, float max_distance) {
  constexpr const char* function = "nearest_neighbours";
  check_grid(function, grid);
  const u32 k = detail::results_each(function, "points", queries.size(), "neighbours", neighbours.size());
  detail::check_apart(function, "points", queries, neighbours);
  dispatch(context, [&](const auto& ex) {
    detail::nearest_neighbours(ex, grid, queries, max_distance, k, neighbours.data());
  });
}

}  // namespace copse
