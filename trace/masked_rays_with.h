#pragma once

// The body of batches with masks, for the layouts that masked_rays.inl and masked_compressed_rays.inl name: by the
// cooperative stage of trace/trace_rays_with.h, for queries with masks.

#include "trace/masked_rays_body.h"
#include "trace/trace_rays_with.h"

namespace copse::detail {

template <class Executor, class View, class Triangles, class Result>
void trace_masked_rays(const Executor& ex, const View& bvh, const Triangles& triangles, BufferSpan<const Ray> rays,
                       Result* results, const BatchMasks& masks, const TraceOptions& options) {
  ScratchArena::Frame frame(ex.scratch);
  const auto source = trace_source(ex, frame, triangles);
  using Source = std::remove_const_t<decltype(source)>;
  using Query = std::conditional_t<std::is_same_v<Result, Hit>, ClosestHits<View, Source>, AnyHits<View, Source>>;
  const Query all{{tree_of(bvh), source, rays.data(), results, bvh.primitive_ids.size()}};
  trace_batch(ex, "trace: rays with masks", options.kernel, WithMasks<Query>{all, masks}, rays.size(),
              options.chosen.data());
}

}  // namespace copse::detail

/// The instances for one layout, in a body.
#define COPSE_MASKED_RAYS_OF(View)                                                                           \
  template void trace_masked_rays(const BodyExecutor&, const View&, const std::span<const TriangleView>&,    \
                                  BufferSpan<const Ray>, Hit*, const BatchMasks&, const TraceOptions&);      \
  template void trace_masked_rays(const BodyExecutor&, const View&, const std::span<const TriangleView>&,    \
                                  BufferSpan<const Ray>, u8*, const BatchMasks&, const TraceOptions&);       \
  template void trace_masked_rays(const BodyExecutor&, const View&, const BufferSpan<const PackedTriangle>&, \
                                  BufferSpan<const Ray>, Hit*, const BatchMasks&, const TraceOptions&);      \
  template void trace_masked_rays(const BodyExecutor&, const View&, const BufferSpan<const PackedTriangle>&, \
                                  BufferSpan<const Ray>, u8*, const BatchMasks&, const TraceOptions&)
