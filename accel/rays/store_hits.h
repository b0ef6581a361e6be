#pragma once

// The functors of batches of several hits per ray. For bodies: the executor's primitives must be included.
//
// All hits are listed by count, scan and fill: each ray is traced twice, so that no list needs room for the longest
// one. Each list is written and sorted in the memory of its results. Through an Accel, the CPU has another way:
// accel/rays/hit_lister_cpu.h.

#include "accel/rays/hit_batch.h"
#include "primitives/core/scratch_arena.h"
#include "primitives/inputs.h"

namespace copse::detail {

/// For executors that give each ray a thread of its own: see hit_lists.inl.
template <class View>
struct StoreFirstHits {
  HitBatch<View> batch;
  u32 k;
  HitOf<View>* hits;
  u32* counts;

  COPSE_HD void operator()(u64 i) const {
    HitOf<View> drafts[max_first_hits];
    const Ray ray = batch.rays.at(i);
    counts[i] = find_first<default_stack_size>(batch.view, ray, batch.mask_of(i), batch.cull, drafts, k);
    const auto order = HitSearch<View>::order_of(batch.view);
    for (u32 j = 0; j < counts[i]; ++j) hits[i * k + j] = order.finished(drafts[j]);
  }
};

/// Writes misses behind the last hit of each list.
template <class View>
struct FillWithMisses {
  RaySpan rays;
  const u32* counts;
  u32 k;
  HitOf<View>* hits;

  COPSE_HD void operator()(u64 i) const {
    const u64 ray = i / k;
    if (i % k >= counts[ray]) hits[i] = HitSearch<View>::Order::miss(rays.at(ray).t_max);
  }
};

template <class View>
struct CountHits {
  HitBatch<View> batch;
  u32* counts;

  COPSE_HD void operator()(u64 i) const {
    counts[i] = count_all<default_stack_size>(batch.view, batch.rays.at(i), batch.mask_of(i), batch.cull);
  }
};

/// Stores the first `room` hits of ray i, at least one. It must have as many.
template <class View>
COPSE_HD inline void store_hit_list(const HitBatch<View>& batch, u64 i, HitOf<View>* list, u64 room) {
  const auto order = HitSearch<View>::order_of(batch.view);
  HitHeap<typename HitSearch<View>::Order> heap{order, list, room};
  HitSearch<View>::template run<default_stack_size>(batch.view, batch.rays.at(i), batch.mask_of(i), batch.cull,
                                                    heap);
  heap.sort();
  for (u64 j = 0; j < room; ++j) list[j] = order.finished(list[j]);
}

template <class View>
struct StoreHitLists {
  HitBatch<View> batch;
  const u64* offsets;
  BufferSpan<HitOf<View>> hits;

  COPSE_HD void operator()(u64 i) const {
    const u64 begin = offsets[i], end = smaller(offsets[i + 1], hits.size());
    if (begin < end) store_hit_list(batch, i, hits.data() + begin, end - begin);
  }
};

/// The length of each of `n` lists, and a 0 after the last one, so that an exclusive scan ends with the total.
struct HitCountsAndEnd {
  const u32* counts;
  u64 n;
  COPSE_HD u64 operator()(u64 i) const { return i < n ? counts[i] : 0; }
};

template <class Executor, class View>
void store_first_hits(const Executor& ex, const HitBatch<View>& batch, u32 k, HitOf<View>* hits, u32* counts) {
  const u64 n = batch.rays.size();
  ScratchArena::Frame frame(ex.scratch);
  u32* const found = counts == nullptr ? frame.template allocate<u32>(n) : counts;
  trace_first_hits(ex, "trace: first hits", batch, k, hits, found);
  if (counts == nullptr)
    for_each(ex, "trace: fill lists", n * k, FillWithMisses<View>{batch.rays, found, k, hits});
}

/// Stores the offsets: the sums of the counts before each ray.
template <class Executor>
void place_hit_lists(const Executor& ex, const u32* counts, u64 n, u64* offsets);

template <class Executor, class View>
void count_lists(const Executor& ex, const HitBatch<View>& batch, u32* counts) {
  for_each_ray(ex, "trace: count hits", batch.rays.size(), CountHits<View>{batch, counts});
}

template <class Executor, class View>
void find_lists(const Executor& ex, const HitBatch<View>& batch, u64* offsets, HitTarget<HitOf<View>>& hits) {
  const u64 n = batch.rays.size();
  ScratchArena::Frame frame(ex.scratch);
  u32* const counts = frame.template allocate<u32>(n);
  count_lists(ex, batch, counts);
  place_hit_lists(ex, counts, n, offsets);
  if (hits.grows()) hits.resize(hits.read(offsets + n));
  if (hits.span().empty()) return;
  for_each_ray(ex, "trace: store hits", n, StoreHitLists<View>{batch, offsets, hits.span()});
}

template <class Executor, class View>
void count_hits_of(const Executor& ex, const HitBatch<View>& batch, u32* counts) {
  count_lists(ex, batch, counts);
}

template <class Executor, class View>
void find_hit_lists(const Executor& ex, const HitBatch<View>& batch, u64* offsets, HitTarget<HitOf<View>>& hits) {
  find_lists(ex, batch, offsets, hits);
}

}  // namespace copse::detail
