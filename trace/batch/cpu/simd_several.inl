// Several hits of each ray of a batch. Highway includes this file once per instruction set, as simd_entry.inl says.
// Only rays through an Accel list hits in batches, so there is one layout, and triangles are packed.

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "trace/batch/cpu/simd_several.inl"
#include "trace/batch/cpu/simd_batch.h"

#include "hwy/foreach_target.h"

#include "hwy/highway.h"
#if HWY_TARGET != HWY_SCALAR
#include "trace/batch/cpu/simd_trace.inl"
#endif

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

void collect_here(const SimdBatch<copse::detail::WideTree<CompressedBvh4Node>>& batch, u64 begin, u64 end) {
#if HWY_TARGET != HWY_SCALAR
  PackedTriangle few[4] = {};
  trace_range<Goal::several>(batch, packed_triangles(batch, few), begin, end);
#else
  for (u64 i = begin; i < end && !batch.collector->has_lost(); ++i) collect_alone(batch, i);
#endif
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::cpu {

HWY_EXPORT(collect_here);

void collect_simd(const SimdBatch<copse::detail::WideTree<CompressedBvh4Node>>& batch, u64 begin, u64 end) {
  HWY_DYNAMIC_DISPATCH(collect_here)(batch, begin, end);
}

}  // namespace copse::cpu
#endif
