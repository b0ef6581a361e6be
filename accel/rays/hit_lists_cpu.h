#pragma once

#include "accel/rays/hit_lister_cpu.h"
#include "primitives/cpu/for_each.h"

namespace copse::cpu {

/// Contract: accel/rays/hit_lists.inl.
template <class F>
void for_each_ray(const Executor& ex, const char* label, u64 n, F f) {
  for_each(ex, label, n, f);
}

/// Contract: accel/rays/hit_lists.inl.
template <class View>
void trace_first_hits(const Executor& ex, const char* label, const copse::detail::HitBatch<View>& batch, u32 k,
                      copse::detail::HitOf<View>* hits, u32* counts) {
  for_each(ex, label, batch.rays.size(), copse::detail::StoreFirstHits<View>{batch, k, hits, counts});
}

/// Contract: accel/rays/hit_lists.inl.
inline void trace_first_hits(const Executor& ex, const char* label,
                             const copse::detail::HitBatch<AccelView>& batch, u32 k, Hit* hits, u32* counts) {
  constexpr u64 grain = 2048;
  const bool packets = detail::takes_packets(batch);
  parallel_ranges(ex, label, batch.rays.size(), grain, [&](u64 begin, u64 end) {
    std::fill(counts + begin, counts + end, 0u);
    for (u64 first = begin; first < end; first += detail::rays_of_block) {
      const u64 n = smaller(detail::rays_of_block, end - first);
      HitCollector collector{
          .order = {{batch.view.triangles.data()}}, .k = k, .lists = hits + first * k, .lengths = counts + first};
      detail::collect_hits(batch, first, n, packets, collector);
      collector.finish_first(n);
    }
  });
}

/// Contract: accel/rays/hit_lists.inl.
inline void count_lists(const Executor& ex, const copse::detail::HitBatch<AccelView>& batch, u32* counts) {
  ScratchArena::Frame frame(ex.scratch);
  detail::HitLister(ex, frame, batch).count(counts);
}

/// Contract: accel/rays/hit_lists.inl.
inline void find_lists(const Executor& ex, const copse::detail::HitBatch<AccelView>& batch, u64* offsets,
                       copse::detail::HitTarget<Hit>& hits) {
  ScratchArena::Frame frame(ex.scratch);
  detail::HitLister(ex, frame, batch).find(frame, offsets, hits);
}

}  // namespace copse::cpu
