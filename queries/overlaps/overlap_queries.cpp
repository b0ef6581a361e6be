#include "queries/overlap_queries.h"

#include "primitives/core/validation.h"
#include "trace/batch/check.h"

namespace copse::detail {

// The body: overlap_queries.inl, for either executor.

template <class Executor, class View, class Triangles, class Region>
void count_overlaps(const Executor& ex, const View& bvh, const Triangles& triangles,
                    BufferSpan<const Region> regions, u32* counts);

/// Stores where the list of each region begins, and where the last one ends.
template <class Executor, class View, class Triangles, class Region>
void place_overlaps(const Executor& ex, const View& bvh, const Triangles& triangles,
                    BufferSpan<const Region> regions, u64* offsets);

/// Stores the lists, which begin at `offsets`, up to the end of the buffer.
template <class Executor, class View, class Triangles, class Region>
void store_overlaps(const Executor& ex, const View& bvh, const Triangles& triangles,
                    BufferSpan<const Region> regions, const u64* offsets, BufferSpan<u32> primitives);

}  // namespace copse::detail

namespace copse {

template <class Region>
void count_overlaps(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                    BufferSpan<const Region> regions, BufferSpan<u32> counts) {
  detail::check_tree("count_overlaps", bvh);
  detail::check_results(context, "count_overlaps", "regions", regions, counts, nullptr);
  detail::dispatch_tree(context, bvh, [&](const auto& ex, const auto& view) {
    detail::count_overlaps(ex, view, triangles.views(), regions, counts.data());
  });
}

template <class Region>
void find_overlaps(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                   BufferSpan<const Region> regions, BufferSpan<u64> offsets, BufferSpan<u32> primitives) {
  detail::check_tree("find_overlaps", bvh);
  detail::check_lists(context, "find_overlaps", "regions", regions, offsets, primitives, nullptr);
  detail::dispatch_tree(context, bvh, [&](const auto& ex, const auto& view) {
    detail::place_overlaps(ex, view, triangles.views(), regions, offsets.data());
    detail::store_overlaps(ex, view, triangles.views(), regions, offsets.data(), primitives);
  });
}

template <class Region>
OverlapLists all_overlaps(Context& context, const TreeView& bvh, const TriangleViews& triangles,
                          BufferSpan<const Region> regions) {
  detail::check_tree("all_overlaps", bvh);
  detail::validate_span(context, "all_overlaps", "regions", regions);
  OverlapLists lists{Buffer<u64>(context, regions.size() + 1), {}};
  detail::dispatch_tree(context, bvh, [&](const auto& ex, const auto& view) {
    detail::place_overlaps(ex, view, triangles.views(), regions, lists.offsets.data());
  });
  const u64 total = download(context, lists.offsets.span().subspan(regions.size(), 1))[0];
  lists.primitives = Buffer<u32>(context, total);
  detail::dispatch_tree(context, bvh, [&](const auto& ex, const auto& view) {
    detail::store_overlaps(ex, view, triangles.views(), regions, lists.offsets.data(), lists.primitives.span());
  });
  return lists;
}

#define COPSE_INSTANTIATE(Region)                                                                    \
  template COPSE_API void count_overlaps(Context&, const TreeView&, const TriangleViews&,            \
                                         BufferSpan<const Region>, BufferSpan<u32>);                 \
  template COPSE_API void find_overlaps(Context&, const TreeView&, const TriangleViews&,             \
                                        BufferSpan<const Region>, BufferSpan<u64>, BufferSpan<u32>); \
  template COPSE_API OverlapLists all_overlaps(Context&, const TreeView&, const TriangleViews&,      \
                                               BufferSpan<const Region>);
COPSE_INSTANTIATE(Aabb)
COPSE_INSTANTIATE(Sphere)
COPSE_INSTANTIATE(Frustum)
#undef COPSE_INSTANTIATE

}  // namespace copse
