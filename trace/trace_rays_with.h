#pragma once

// The body of batches, for the layouts that trace_rays.inl and the trace_..._rays.inl of wide trees name.
//
// The cooperative stage, trace/cpu/trace_rays.h and trace/cuda/trace_rays.cuh:
//
//   trace_batch(ex, label, kernel, query, n, chosen)
//     Writes query.result for rays 0 to n - 1 of the query (trace/ray_queries.h). `kernel` is followed where the
//     backend has it for the query's tree. `chosen`: null, or a word on the device for the kernel that traced,
//     which stays where n is 0.

#include "trace/ray_queries.h"
#include "trace/trace_rays_body.h"

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

template <class Executor, class View, class Source>
void trace_with(const Executor& ex, const View& bvh, const Source& source, BufferSpan<const Ray> rays, Hit* hits,
                const TraceOptions& options) {
  trace_batch(ex, "trace: closest hits", options.kernel,
              ClosestHits<View, Source>{{tree_of(bvh), source, rays.data(), hits, bvh.primitive_ids.size()}},
              rays.size(), options.chosen.data());
}

template <class Executor, class View, class Source>
void trace_with(const Executor& ex, const View& bvh, const Source& source, BufferSpan<const Ray> rays,
                u8* occluded, const TraceOptions& options) {
  trace_batch(ex, "trace: any hits", options.kernel,
              AnyHits<View, Source>{{tree_of(bvh), source, rays.data(), occluded, bvh.primitive_ids.size()}},
              rays.size(), options.chosen.data());
}

template <class Executor, class View, class Triangles, class Result>
void trace_rays(const Executor& ex, const View& bvh, const Triangles& triangles, BufferSpan<const Ray> rays,
                Result* results, const TraceOptions& options) {
  ScratchArena::Frame frame(ex.scratch);
  trace_with(ex, bvh, trace_source(ex, frame, triangles), rays, results, options);
}

}  // namespace copse::detail

/// The instances for one layout, in a body.
#define COPSE_TRACE_RAYS_OF(View)                                                                     \
  template void trace_rays(const BodyExecutor&, const View&, const std::span<const TriangleView>&,    \
                           BufferSpan<const Ray>, Hit*, const TraceOptions&);                         \
  template void trace_rays(const BodyExecutor&, const View&, const std::span<const TriangleView>&,    \
                           BufferSpan<const Ray>, u8*, const TraceOptions&);                          \
  template void trace_rays(const BodyExecutor&, const View&, const BufferSpan<const PackedTriangle>&, \
                           BufferSpan<const Ray>, Hit*, const TraceOptions&);                         \
  template void trace_rays(const BodyExecutor&, const View&, const BufferSpan<const PackedTriangle>&, \
                           BufferSpan<const Ray>, u8*, const TraceOptions&)
