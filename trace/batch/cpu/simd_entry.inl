// Batches on the CPU through the trees of one layout, that of BodyView. Highway includes this file once per
// instruction set. The function at the end chooses among them when it is called. On a target without vectors, rays
// go one after another by the traversal of trace/walk/walk.h.

// Batches are compiled for several instruction sets, each in a namespace of its own. The best one of the machine is
// chosen at run time. Excluded are sets that are close to another one, and sets whose vectors have no size at compile
// time, as these cannot be members.

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "trace/batch/cpu/simd_entry.inl"
#include "trace/batch/cpu/simd_batch.h"

#include "hwy/foreach_target.h"

#include "hwy/highway.h"
#if HWY_TARGET != HWY_SCALAR
#include "trace/batch/cpu/simd_trace.inl"
#endif

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

using SimdTree = decltype(copse::detail::tree_of(std::declval<const copse::detail::BodyView&>()));

#if HWY_TARGET != HWY_SCALAR
HWY_INLINE void trace_packed(const SimdBatch<SimdTree>& batch, u64 begin, u64 end) {
  PackedTriangle few[4] = {};
  trace_triangles(batch, packed_triangles(batch, few), begin, end);
}
#endif

// SSE4 is for machines without AVX2. There, SIMD reads only packed triangles, as all rays through an Accel do. Code
// for indexed triangles would be a sixth of all SIMD code.
void trace_layout(const SimdBatch<SimdTree>& batch, u64 begin, u64 end) {
#if HWY_TARGET != HWY_SCALAR
  if (batch.packed != nullptr) return trace_packed(batch, begin, end);
#endif
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_SSE4
  trace_triangles(batch, copse::detail::IndexedTriangles{batch.table}, begin, end);
#else
  for (u64 i = begin; i < end; ++i) trace_alone(batch, i);
#endif
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
