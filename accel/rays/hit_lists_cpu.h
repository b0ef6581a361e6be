#pragma once

#include "accel/rays/store_hits.h"
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

}  // namespace copse::cpu
