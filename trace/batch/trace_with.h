#pragma once

// Makes the query of a batch through one tree, for the bodies of such batches. trace/batch/trace_rays.inl has the
// contract of trace_batch.

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
  using Query = QueryFor<TreeOf<View>, Source, Result>;
  const char* const label = Query::finds_closest ? "trace: closest hits" : "trace: any hits";
  const Query query{{tree_of(bvh), source, rays.data(), results, bvh.primitive_ids.size()}};
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

}  // namespace copse::detail
