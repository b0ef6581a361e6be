// Batches of several hits per ray through an Accel.
//
// The cooperative stage, accel/rays/hit_lists_cpu.h and accel/rays/hit_lists.cuh:
//
//   for_each_ray(ex, label, n, f)
//     Calls f(i) for rays 0 to n - 1.
//   trace_first_hits(ex, label, batch, k, hits, counts)
//     Stores the first k hits of each ray of a HitBatch, and how many there are.
//
// and of any backend with another way than that of accel/rays/store_hits.h:
//
//   count_lists(ex, batch, counts)
//     Stores how many hits each ray has.
//   find_lists(ex, batch, offsets, hits)
//     Stores all hits of each ray, and where its list begins.

#include "accel/rays/store_hits.h"
#include "primitives/scan.h"

namespace copse::detail {

template <class Executor>
void place_hit_lists(const Executor& ex, const u32* counts, u64 n, u64* offsets) {
  u64* const no_total = nullptr;
  exclusive_scan(ex, "trace: place hits", n + 1, HitCountsAndEnd{counts, n}, u64{0}, Plus{}, offsets, no_total);
}

template void place_hit_lists(const BodyExecutor&, const u32*, u64, u64*);
template void store_first_hits(const BodyExecutor&, const HitBatch<AccelView>&, u32, Hit*, u32*);
template void count_hits_of(const BodyExecutor&, const HitBatch<AccelView>&, u32*);
template void find_hit_lists(const BodyExecutor&, const HitBatch<AccelView>&, u64*, HitTarget<Hit>&);

}  // namespace copse::detail
