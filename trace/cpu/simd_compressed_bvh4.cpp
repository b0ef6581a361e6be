// Batches on the CPU through trees of four children in 64 bytes.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "trace/cpu/simd_compressed_bvh4.cpp"
#include "trace/cpu/simd_batch.h"
#include "trace/cpu/simd_targets.h"

#include "hwy/foreach_target.h"

#include "trace/cpu/simd_layout.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

void trace_layout(const SimdBatch<detail::WideTree<CompressedBvh4Node>>& batch, u64 begin, u64 end) {
  trace_batch_range(batch, begin, end);
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::cpu {

HWY_EXPORT(trace_layout);

void trace_simd(const SimdBatch<detail::WideTree<CompressedBvh4Node>>& batch, u64 begin, u64 end) {
  HWY_DYNAMIC_DISPATCH(trace_layout)(batch, begin, end);
}

}  // namespace copse::cpu
#endif
