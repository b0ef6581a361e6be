// Batches on the CPU through the trees of one layout, COPSE_SIMD_TREE: the code for every instruction set, for
// which Highway includes this file once each, and the function that chooses among them when it is called.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "trace/cpu/simd_entry.inl"
#include "trace/cpu/simd_batch.h"
#include "trace/cpu/simd_targets.h"

#include "hwy/foreach_target.h"

#include "trace/cpu/simd_layout.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

void trace_layout(const SimdBatch<COPSE_SIMD_TREE>& batch, u64 begin, u64 end) {
  trace_batch_range(batch, begin, end);
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::cpu {

HWY_EXPORT(trace_layout);

void trace_simd(const SimdBatch<COPSE_SIMD_TREE>& batch, u64 begin, u64 end) {
  HWY_DYNAMIC_DISPATCH(trace_layout)(batch, begin, end);
}

}  // namespace copse::cpu
#endif
