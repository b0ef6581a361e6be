// Queries about points, regions and pairs through an Accel: checks, and the bodies over its packed triangles.

#include "accel/accel_queries.h"

#include <string>

#include "accel/build/accel_check.h"
#include "primitives/core/validation.h"
#include "trace/batch/check.h"

namespace copse {

namespace detail {

// The bodies: packed_point_queries.inl, packed_overlap_queries.inl and packed_self_overlaps.inl of queries/, for
// either executor.

template <class Executor, class View, class Triangles>
void nearest_points(const Executor& ex, const View& bvh, const Triangles& triangles, BufferSpan<const vec3> points,
                    float max_distance, NearestPoint* nearest);
template <class Executor, class View, class Triangles>
void nearest_primitives(const Executor& ex, const View& bvh, const Triangles& triangles,
                        BufferSpan<const vec3> points, float max_distance, u32 k, Neighbour* neighbours);
template <class Executor, class View, class Triangles>
void points_inside(const Executor& ex, const View& bvh, const Triangles& triangles, BufferSpan<const vec3> points,
                   u8* inside);

template <class Executor, class View, class Triangles, class Region>
void count_overlaps(const Executor& ex, const View& bvh, const Triangles& triangles,
                    BufferSpan<const Region> regions, u32* counts);
template <class Executor, class View, class Triangles, class Region>
void place_overlaps(const Executor& ex, const View& bvh, const Triangles& triangles,
                    BufferSpan<const Region> regions, u64* offsets);
template <class Executor, class View, class Triangles, class Region>
void store_overlaps(const Executor& ex, const View& bvh, const Triangles& triangles,
                    BufferSpan<const Region> regions, const u64* offsets, BufferSpan<u32> primitives);

template <class Executor>
void place_packed_pairs(const Executor& ex, const CompressedBvh4View& bvh,
                        const OverlappingPackedTriangles& triangles, u64* offsets);
template <class Executor>
void store_packed_pairs(const Executor& ex, const CompressedBvh4View& bvh,
                        const OverlappingPackedTriangles& triangles, const u64* offsets,
                        BufferSpan<PrimitivePair> pairs);
template <class Executor>
void find_packed_pairs(const Executor& ex, const CompressedBvh4View& bvh,
                       const OverlappingPackedTriangles& triangles, BufferSpan<PrimitivePair> pairs, u64* total);

}  // namespace detail

namespace {

/// Calls work(executor, tree, triangles) with the parts of an Accel that was built.
template <class Work>
void ask(const char* function, Context& context, const Accel& accel, const Work& work) {
  detail::check_accel(function, context, accel);
  const AccelView view = accel.view();
  dispatch(context, [&](const auto& ex) { work(ex, view.tree, view.triangles); });
}

/// Throws for pairs of boxes in a tree with splits, where a box may hold only a part of a triangle.
void check_pairs(const char* function, const Accel& accel, const SelfOverlapOptions& options) {
  if (options.exact_triangles || !accel.tree().has_repeats()) return;
  detail::refuse(function,
                 "exact_triangles is false, but the structure has splits, and so no boxes of whole triangles");
}

}  // namespace

void nearest_points(Context& context, const Accel& accel, BufferSpan<const vec3> points,
                    BufferSpan<NearestPoint> nearest, float max_distance) {
  detail::check_results(context, "nearest_points", "points", points, nearest, &ValidationCounts::nan_points);
  ask("nearest_points", context, accel, [&](const auto& ex, const auto& tree, const auto& triangles) {
    detail::nearest_points(ex, tree, triangles, points, max_distance, nearest.data());
  });
}

void nearest_primitives(Context& context, const Accel& accel, BufferSpan<const vec3> points,
                        BufferSpan<Neighbour> neighbours, float max_distance) {
  const u32 k =
      detail::results_each("nearest_primitives", "points", points.size(), "neighbours", neighbours.size());
  detail::check_apart("nearest_primitives", "points", points, neighbours);
  detail::validate_queries(context, "nearest_primitives", "points", points, &ValidationCounts::nan_points);
  detail::validate_span(context, "nearest_primitives", "neighbours", neighbours);
  ask("nearest_primitives", context, accel, [&](const auto& ex, const auto& tree, const auto& triangles) {
    detail::nearest_primitives(ex, tree, triangles, points, max_distance, k, neighbours.data());
  });
}

void points_inside(Context& context, const Accel& accel, BufferSpan<const vec3> points, BufferSpan<u8> inside) {
  detail::check_results(context, "points_inside", "points", points, inside, &ValidationCounts::nan_points);
  ask("points_inside", context, accel, [&](const auto& ex, const auto& tree, const auto& triangles) {
    detail::points_inside(ex, tree, triangles, points, inside.data());
  });
}

template <class Region>
void count_overlaps(Context& context, const Accel& accel, BufferSpan<const Region> regions,
                    BufferSpan<u32> counts) {
  detail::check_results(context, "count_overlaps", "regions", regions, counts, nullptr);
  ask("count_overlaps", context, accel, [&](const auto& ex, const auto& tree, const auto& triangles) {
    detail::count_overlaps(ex, tree, triangles, regions, counts.data());
  });
}

template <class Region>
void find_overlaps(Context& context, const Accel& accel, BufferSpan<const Region> regions, BufferSpan<u64> offsets,
                   BufferSpan<u32> primitives) {
  detail::check_lists(context, "find_overlaps", "regions", regions, offsets, primitives, nullptr);
  ask("find_overlaps", context, accel, [&](const auto& ex, const auto& tree, const auto& triangles) {
    detail::place_overlaps(ex, tree, triangles, regions, offsets.data());
    detail::store_overlaps(ex, tree, triangles, regions, offsets.data(), primitives);
  });
}

template <class Region>
OverlapLists all_overlaps(Context& context, const Accel& accel, BufferSpan<const Region> regions) {
  constexpr const char* function = "all_overlaps";
  detail::validate_span(context, function, "regions", regions);
  OverlapLists lists{Buffer<u64>(context, regions.size() + 1), {}};
  ask(function, context, accel, [&](const auto& ex, const auto& tree, const auto& triangles) {
    detail::place_overlaps(ex, tree, triangles, regions, lists.offsets.data());
  });
  lists.primitives = Buffer<u32>(context, download(context, lists.offsets.span().subspan(regions.size(), 1))[0]);
  ask(function, context, accel, [&](const auto& ex, const auto& tree, const auto& triangles) {
    detail::store_overlaps(ex, tree, triangles, regions, lists.offsets.data(), lists.primitives.span());
  });
  return lists;
}

#define COPSE_INSTANTIATE(Region)                                                                            \
  template COPSE_API void count_overlaps(Context&, const Accel&, BufferSpan<const Region>, BufferSpan<u32>); \
  template COPSE_API void find_overlaps(Context&, const Accel&, BufferSpan<const Region>, BufferSpan<u64>,   \
                                        BufferSpan<u32>);                                                    \
  template COPSE_API OverlapLists all_overlaps(Context&, const Accel&, BufferSpan<const Region>);
COPSE_INSTANTIATE(Aabb)
COPSE_INSTANTIATE(Sphere)
COPSE_INSTANTIATE(Frustum)
#undef COPSE_INSTANTIATE

void find_self_overlaps(Context& context, const Accel& accel, const SelfOverlapOptions& options,
                        BufferSpan<PrimitivePair> pairs, BufferSpan<u64> total) {
  detail::check_room("find_self_overlaps", "total", total.size(), 1);
  check_pairs("find_self_overlaps", accel, options);
  detail::check_apart("find_self_overlaps", "total", BufferSpan<const u64>(total.first(1)), pairs);
  ask("find_self_overlaps", context, accel, [&](const auto& ex, const auto& tree, const auto& triangles) {
    detail::find_packed_pairs(ex, tree, {triangles, options}, pairs, total.data());
  });
}

Buffer<PrimitivePair> self_overlaps(Context& context, const Accel& accel, const SelfOverlapOptions& options) {
  constexpr const char* function = "self_overlaps";
  check_pairs(function, accel, options);
  const u64 n = accel.packed_triangles().triangles.size();  // one list per reference
  Buffer<u64> offsets(context, n + 1);
  ask(function, context, accel, [&](const auto& ex, const auto& tree, const auto& triangles) {
    detail::place_packed_pairs(ex, tree, {triangles, options}, offsets.data());
  });
  Buffer<PrimitivePair> pairs(context, download(context, offsets.span().subspan(n, 1))[0]);
  ask(function, context, accel, [&](const auto& ex, const auto& tree, const auto& triangles) {
    detail::store_packed_pairs(ex, tree, {triangles, options}, offsets.data(), pairs.span());
  });
  return pairs;
}

}  // namespace copse
