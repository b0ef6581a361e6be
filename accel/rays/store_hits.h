#pragma once

// What batches of several hits per ray do for each ray. For bodies: the executor's primitives must be included.
//
// All hits come by count, scan and fill: each ray is traced twice, so that no list needs room for the longest one. A
// list is found in the memory of its results, and sorted there.

#include "accel/rays/hit_batch.h"
#include "primitives/inputs.h"

namespace copse::detail {

template <class View>
struct StoreFirstHits {
  HitBatch<View> batch;
  u32 k;
  HitOf<View>* hits;
  u32* counts;  // null: the rest of a list is filled with misses

  COPSE_HD void operator()(u64 i) const {
    HitOf<View> drafts[max_first_hits];
    const Ray ray = batch.rays.at(i);
    const u32 count = find_first<default_stack_size>(batch.view, ray, batch.mask_of(i), batch.cull, drafts, k);
    const auto order = HitSearch<View>::order_of(batch.view);
    HitOf<View>* const out = hits + i * k;
    for (u32 j = 0; j < count; ++j) out[j] = order.finished(drafts[j]);
    if (counts != nullptr) {
      counts[i] = count;
    } else {
      for (u32 j = count; j < k; ++j) out[j] = order.miss(ray.t_max);
    }
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

template <class View>
struct StoreHitLists {
  HitBatch<View> batch;
  const u64* offsets;
  BufferSpan<HitOf<View>> hits;

  COPSE_HD void operator()(u64 i) const {
    const u64 begin = offsets[i], end = smaller(offsets[i + 1], hits.size());
    if (begin >= end) return;
    const auto order = HitSearch<View>::order_of(batch.view);
    HitHeap<typename HitSearch<View>::Order> heap{order, hits.data() + begin, end - begin};
    HitSearch<View>::template run<default_stack_size>(batch.view, batch.rays.at(i), batch.mask_of(i), batch.cull,
                                                      heap);
    heap.sort();
    for (u64 j = begin; j < end; ++j) hits.data()[j] = order.finished(hits.data()[j]);
  }
};

/// The length of each of `n` lists, and a 0 behind the last one, so that an exclusive scan ends with the total.
struct HitCountsAndEnd {
  const u32* counts;
  u64 n;
  COPSE_HD u64 operator()(u64 i) const { return i < n ? counts[i] : 0; }
};

template <class Executor, class View>
void store_first_hits(const Executor& ex, const HitBatch<View>& batch, u32 k, HitOf<View>* hits, u32* counts) {
  for_each_ray(ex, "trace: first hits", batch.rays.size(), StoreFirstHits<View>{batch, k, hits, counts});
}

template <class Executor, class View>
void count_hits_of(const Executor& ex, const HitBatch<View>& batch, u32* counts) {
  for_each_ray(ex, "trace: count hits", batch.rays.size(), CountHits<View>{batch, counts});
}

template <class Executor, class View>
void store_hit_lists(const Executor& ex, const HitBatch<View>& batch, const u64* offsets,
                     BufferSpan<HitOf<View>> hits) {
  for_each_ray(ex, "trace: store hits", batch.rays.size(), StoreHitLists<View>{batch, offsets, hits});
}

}  // namespace copse::detail
