// Ranges of batches for the target that is compiled for: by SIMD where it has vectors, else a ray after another by
// the walk of trace/walk/walk.h.

#if defined(COPSE_TRACE_CPU_SIMD_LAYOUT) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_LAYOUT
#undef COPSE_TRACE_CPU_SIMD_LAYOUT
#else
#define COPSE_TRACE_CPU_SIMD_LAYOUT
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "trace/batch/cpu/simd_batch.h"
#if HWY_TARGET != HWY_SCALAR
#include "trace/batch/cpu/simd_trace.inl"
#endif

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
template <class Tree, class Triangles>
void trace_triangles(const SimdBatch<Tree>& batch, const Triangles& triangles, u64 begin, u64 end) {
  for (u64 i = begin; i < end; ++i) retrace_robust(batch, triangles, i);
}

template <class Tree>
void trace_packed(const SimdBatch<Tree>& batch, u64 begin, u64 end) {
  trace_triangles(batch, copse::detail::PlacedTriangles{batch.packed}, begin, end);
}
#else
/// Leaves are read four triangles at a time, so fewer go by a copy.
template <class Tree>
void trace_packed(const SimdBatch<Tree>& batch, u64 begin, u64 end) {
  PackedTriangle few[4] = {};
  if (batch.packed_count < 4) std::copy_n(batch.packed, batch.packed_count, few);
  const bool is_copied = batch.packed_count < 4;
  const CountedTriangles triangles{{is_copied ? few : batch.packed}, is_copied ? 4 : u32(batch.packed_count)};
  trace_triangles(batch, triangles, begin, end);
}
#endif

template <class Tree>
void trace_batch_range(const SimdBatch<Tree>& batch, u64 begin, u64 end) {
  if (batch.packed != nullptr) {
    trace_packed(batch, begin, end);
  } else {
    trace_triangles(batch, copse::detail::IndexedTriangles{batch.table}, begin, end);
  }
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
