#pragma once

#include "primitives/cpu/for_each.h"
#include "trace/batch/cpu/simd_batch.h"
#include "trace/batch/cpu/stay_together.h"
#include "trace/batch/ray_queries.h"
#include "trace/trace_options.h"

namespace copse::cpu {

namespace detail {

inline const TriangleTable* table_of(const TriangleTable& table) {
  return &table;
}
inline const TriangleTable* table_of(const BufferSpan<const PackedTriangle>&) {
  return nullptr;
}
inline const PackedTriangle* packed_of(const TriangleTable&) {
  return nullptr;
}
inline const PackedTriangle* packed_of(const BufferSpan<const PackedTriangle>& packed) {
  return packed.data();
}
inline u64 packed_count_of(const TriangleTable&) {
  return 0;
}
inline u64 packed_count_of(const BufferSpan<const PackedTriangle>& packed) {
  return packed.size();
}

/// Null for queries without masks.
template <class Query>
const copse::detail::BatchMasks* masks_of(const Query& query) {
  if constexpr (Query::has_masks) {
    return &query.masks;
  } else {
    return nullptr;
  }
}

template <class Query>
SimdBatch<typename Query::Tree> batch_of(const Query& query, bool packets) {
  SimdBatch<typename Query::Tree> batch{query.tree,
                                        query.tree.bounds(),
                                        table_of(query.source),
                                        packed_of(query.source),
                                        query.rays,
                                        nullptr,
                                        nullptr,
                                        masks_of(query),
                                        packets,
                                        packed_count_of(query.source)};
  if constexpr (std::is_same_v<typename Query::Result, Hit>) {
    batch.hits = query.results;
  } else {
    batch.occluded = query.results;
  }
  return batch;
}

}  // namespace detail

/// Contract: trace/batch/trace_rays_with.h. Packets where they are asked for, or where a sample of the rays says that
/// neighbours stay together; else a ray after another.
template <class Query>
void trace_batch(const Executor& ex, const char* label, TraceKernel kernel, const Query& query, u64 n,
                 u32* chosen) {
  constexpr u64 grain = 2048;
  const bool packets = kernel == TraceKernel::packets ||
                       (kernel == TraceKernel::automatic && stay_together(query.rays, n, query.tree.bounds()));
  const auto batch = detail::batch_of(query, packets);
  parallel_ranges(ex, label, n, grain, [&](u64 begin, u64 end) { trace_simd(batch, begin, end); });
  if (chosen != nullptr && n > 0) *chosen = u32(packets ? TraceKernel::packets : TraceKernel::thread_per_ray);
}

}  // namespace copse::cpu
