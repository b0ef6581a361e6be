#pragma once

// Batches on the CPU: all threads trace ranges of rays by SIMD, in packets or independently.

#include "primitives/cpu/for_each.h"
#include "trace/batch/cpu/simd_batch.h"
#include "trace/batch/cpu/stay_together.h"
#include "trace/batch/ray_queries.h"
#include "trace/trace_options.h"

namespace copse::cpu {

namespace detail {

/// Sets the triangles of a batch: fetched by id, or packed.
template <class Tree>
void set_triangles(SimdBatch<Tree>& batch, const TriangleTable& table) {
  batch.table = &table;
}
template <class Tree>
void set_triangles(SimdBatch<Tree>& batch, const BufferSpan<const PackedTriangle>& packed) {
  batch.packed = packed.data();
  batch.packed_count = packed.size();
}
template <class Tree, class Source>
void set_triangles(SimdBatch<Tree>& batch, const copse::detail::WithMasks<Source>& source) {
  set_triangles(batch, source.triangles);
  batch.masks = &source.masks;
}

/// Sets where the results of a batch go.
template <class Tree>
void set_results(SimdBatch<Tree>& batch, Hit* hits) {
  batch.hits = hits;
}
template <class Tree>
void set_results(SimdBatch<Tree>& batch, ShortHit* hits) {
  batch.short_hits = hits;
}
template <class Tree>
void set_results(SimdBatch<Tree>& batch, u8* occluded) {
  batch.occluded = occluded;
}

/// The batch of a query, to which it refers.
template <class Query>
SimdBatch<typename Query::Tree> batch_of(const Query& query, bool packets) {
  SimdBatch<typename Query::Tree> batch{
      .tree = query.tree, .bounds = query.tree.bounds(), .rays = query.rays, .packets = packets};
  set_triangles(batch, query.source);
  set_results(batch, query.results);
  return batch;
}

}  // namespace detail

/// Calls trace(begin, end, packets) for ranges of n rays on all threads. Rays traverse in packets if `kernel` is
/// packets, or if it is automatic and a sample finds that neighbours stay together. Otherwise they traverse
/// independently.
///   ray_at: returns ray i
///   chosen: as trace_batch
template <class RayAt, class Trace>
void trace_ranges(const Executor& ex, const char* label, TraceKernel kernel, const RayAt& ray_at, u64 n,
                  const Aabb& bounds, u32* chosen, const Trace& trace) {
  constexpr u64 grain = 2048;
  const bool packets =
      kernel == TraceKernel::packets || (kernel == TraceKernel::automatic && stay_together(ray_at, n, bounds));
  parallel_ranges(ex, label, n, grain, [&](u64 begin, u64 end) { trace(begin, end, packets); });
  if (chosen != nullptr && n > 0) *chosen = u32(packets ? TraceKernel::packets : TraceKernel::thread_per_ray);
}

/// Contract: trace/batch/trace_rays.inl.
template <class Query>
void trace_batch(const Executor& ex, const char* label, TraceKernel kernel, const Query& query, u64 n,
                 u32* chosen) {
  const auto ray_at = [&](u64 i) -> const Ray& { return query.rays[i]; };
  const auto batch = detail::batch_of(query, false);
  trace_ranges(ex, label, kernel, ray_at, n, batch.bounds, chosen, [&](u64 begin, u64 end, bool packets) {
    auto part = batch;
    part.packets = packets;
    trace_simd(part, begin, end);
  });
}

}  // namespace copse::cpu
