// Batches on the CPU through the trees of one layout, that of BodyView: the code for every instruction set, for each
// of which Highway includes this file once, and the function that chooses among them when it is called.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "trace/batch/cpu/simd_entry.inl"
#include "trace/batch/cpu/simd_batch.h"
#include "trace/batch/cpu/simd_targets.h"

#include "hwy/foreach_target.h"

#include "trace/batch/cpu/simd_layout.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

using SimdTree = decltype(copse::detail::tree_of(std::declval<const copse::detail::BodyView&>()));

void trace_layout(const SimdBatch<SimdTree>& batch, u64 begin, u64 end) {
  trace_batch_range(batch, begin, end);
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::cpu {

using SimdTree = decltype(copse::detail::tree_of(std::declval<const copse::detail::BodyView&>()));

HWY_EXPORT(trace_layout);

void trace_simd(const SimdBatch<SimdTree>& batch, u64 begin, u64 end) {
  HWY_DYNAMIC_DISPATCH(trace_layout)(batch, begin, end);
}

}  // namespace copse::cpu
#endif
