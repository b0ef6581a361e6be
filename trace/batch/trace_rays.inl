// Batches of rays through trees, compiled once per layout: BodyView is the layout's view.
//
// The cooperative stage, trace/batch/cpu/trace_rays.h and trace/batch/cuda/trace_rays.cuh:
//
//   trace_batch(ex, label, kernel, query, n, chosen)
//     Writes the results of rays 0 to n - 1 of the query (trace/batch/ray_queries.h).
//       kernel: followed if the backend has it for the query's tree
//       chosen: null, or a word on the device for the kernel that traced. It stays as it was if n is 0

#include "builders/geometry/make_triangle_table.h"
#include "trace/batch/ray_queries.h"
#include "trace/trace_options.h"

namespace copse::detail {

template <class Executor>
TriangleTable trace_source(const Executor& ex, ScratchArena::Frame& frame, std::span<const TriangleView> views) {
  return make_triangle_table(ex, frame, views);
}

template <class Executor>
BufferSpan<const PackedTriangle> trace_source(const Executor&, ScratchArena::Frame&,
                                              const BufferSpan<const PackedTriangle>& packed) {
  return packed;
}

template <class Executor, class View, class Source, class Result>
void trace_with(const Executor& ex, const View& bvh, const Source& source, BufferSpan<const Ray> rays,
                Result* results, const TraceOptions& options) {
  const char* const label = std::is_same_v<Result, Hit> ? "trace: closest hits" : "trace: any hits";
  const QueryFor<TreeOf<View>, Source, Result> query{
      {tree_of(bvh), source, rays.data(), results, bvh.primitive_ids.size()}};
  trace_batch(ex, label, options.kernel, query, rays.size(), options.chosen.data());
}

template <class Executor, class View, class Triangles, class Result>
void trace_rays(const Executor& ex, const View& bvh, const Triangles& triangles, BufferSpan<const Ray> rays,
                Result* results, const BatchMasks* masks, const TraceOptions& options) {
  ScratchArena::Frame frame(ex.scratch);
  const auto source = trace_source(ex, frame, triangles);
  if (masks == nullptr) {
    trace_with(ex, bvh, source, rays, results, options);
  } else {
    trace_with(ex, bvh, WithMasks{source, *masks}, rays, results, options);
  }
}

#define COPSE_TRACE_RAYS(Triangles, Result)                                                               \
  template void trace_rays(const BodyExecutor&, const BodyView&, const Triangles&, BufferSpan<const Ray>, \
                           Result*, const BatchMasks*, const TraceOptions&)

COPSE_TRACE_RAYS(std::span<const TriangleView>, Hit);
COPSE_TRACE_RAYS(std::span<const TriangleView>, u8);
COPSE_TRACE_RAYS(BufferSpan<const PackedTriangle>, Hit);
COPSE_TRACE_RAYS(BufferSpan<const PackedTriangle>, u8);

#undef COPSE_TRACE_RAYS

}  // namespace copse::detail
