// Writes the results of a group's rays.

#if defined(COPSE_TRACE_CPU_SIMD_RESULTS) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_RESULTS
#undef COPSE_TRACE_CPU_SIMD_RESULTS
#else
#define COPSE_TRACE_CPU_SIMD_RESULTS
#endif

#include "trace/batch/cpu/simd_batch.h"
#include "trace/batch/cpu/simd_rays.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

template <class Tree, class Triangles>
HWY_INLINE void write_hits(const SimdBatch<Tree>& batch, const Triangles& triangles, const RayGroup& group,
                           u32 rays, u32 retraced) {
  PerRay u, v;
  u.store(hn::Mul(group.v.load(), group.inverse.load())), v.store(hn::Mul(group.w.load(), group.inverse.load()));
  for (; rays != 0; rays &= rays - 1) {
    const u32 lane = lowest_bit(rays), closest = group.closest[lane];
    const u64 i = group.ids[lane];
    if (retraced >> lane & 1) {
      trace_alone(batch, i);
    } else if (closest == invalid_id) {
      batch.hits[i] = {batch.rays[i].t_max, invalid_id, invalid_id, 0, 0};
    } else {
      batch.hits[i] = {group.limit[lane], triangles.local_id(closest), triangles.geometry(closest), u[lane],
                       v[lane]};
    }
  }
}

template <class Tree>
HWY_INLINE void write_occluded(const SimdBatch<Tree>& batch, const RayGroup& group, u32 rays, u32 retraced) {
  for (; rays != 0; rays &= rays - 1) {
    const u32 lane = lowest_bit(rays);
    const u64 i = group.ids[lane];
    batch.occluded[i] = group.closest[lane] != invalid_id ? 1 : 0;
    if (retraced >> lane & 1) trace_alone(batch, i);
  }
}

template <class Tree>
HWY_INLINE void write_short_hits(const SimdBatch<Tree>& batch, const RayGroup& group, u32 rays, u32 retraced) {
  for (; rays != 0; rays &= rays - 1) {
    const u32 lane = lowest_bit(rays), closest = group.closest[lane];
    const u64 i = group.ids[lane];
    batch.short_hits[i] = {closest == invalid_id ? batch.rays[i].t_max : group.limit[lane], closest};
    if (retraced >> lane & 1) trace_alone(batch, i);
  }
}

/// Writes the results of the rays of these bits. Rays in `retraced` are traced again, by the traversal without a
/// depth limit. Several hits are written already; those that are found again are repeats.
template <Goal goal, class Tree, class Triangles>
HWY_INLINE void write_results(const SimdBatch<Tree>& batch, const Triangles& triangles, const RayGroup& group,
                              u32 rays, u32 retraced) {
  if constexpr (goal == Goal::several) {
    for (rays &= retraced; rays != 0; rays &= rays - 1) collect_alone(batch, group.ids[lowest_bit(rays)]);
  } else if constexpr (goal == Goal::any) {
    write_occluded(batch, group, rays, retraced);
  } else if (batch.hits != nullptr) {
    write_hits(batch, triangles, group, rays, retraced);
  } else {
    write_short_hits(batch, group, rays, retraced);
  }
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
