// Traces a range of a batch: prepares rays, traverses for them in packets or independently, and writes their
// results.

#if defined(COPSE_TRACE_CPU_SIMD_TRACE) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_TRACE
#undef COPSE_TRACE_CPU_SIMD_TRACE
#else
#define COPSE_TRACE_CPU_SIMD_TRACE
#endif

#include <algorithm>

#include "trace/batch/cpu/simd_batch.h"
#include "trace/batch/cpu/simd_packet.inl"
#include "trace/batch/cpu/simd_stragglers.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// Leaves are read four triangles at a time. Fewer than four in all are copied to an array of four first.
template <class Tree>
HWY_INLINE CountedTriangles packed_triangles(const SimdBatch<Tree>& batch, PackedTriangle (&few)[4]) {
  if (batch.packed_count >= 4) return {{batch.packed}, u32(batch.packed_count)};
  std::copy_n(batch.packed, batch.packed_count, few);
  return {{few}, 4};
}

/// The rays of the same kind as the first of `rays`.
HWY_INLINE u32 alike(const RayGroup& group, u32 rays) {
  const hn::Repartition<u32, RayLanes> du;
  const auto kind = hn::Set(du, group.kind[lowest_bit(rays)]);
  return rays & bits_of_mask(du, hn::Eq(hn::Load(du, group.kind.values), kind));
}

template <Goal goal, class Tree, class Triangles>
HWY_INLINE u32 walk_packets(const Tree& tree, const Triangles& triangles, RayGroup& group, u32 rays) {
  u32 too_deep = 0;
  while (rays != 0) {
    const u32 packet = alike(group, rays);
    rays &= ~packet;
    PacketWalk<goal, Tree, Triangles> walk(tree, triangles, group, group.kind[lowest_bit(packet)]);
    too_deep |= walk.walk(packet);
  }
  return too_deep;
}

/// Traces rays of a batch, one group at a time, with a lane per ray.
template <Goal goal, class Tree, class Triangles>
class GroupTracer {
  using Stragglers = StragglerGroup<goal, Tree, Triangles>;

 public:
  HWY_INLINE GroupTracer(const SimdBatch<Tree>& batch, const Triangles& triangles)
      : batch_(batch),
        triangles_(triangles),
        walks_(batch.tree, triangles, group_),
        straggler_group_(batch, triangles) {
    group_.masks = batch.masks, group_.collector = batch.collector;
  }

  /// Traces `count` rays from `begin` on, at most ray_lanes. `rays`: these rays, and any others up to ray_lanes.
  HWY_INLINE void trace(const Ray* rays, u64 begin, u32 count) {
    prepare_ray(rays, batch_.bounds, group_);
    for (u32 lane = 0; lane < ray_lanes; ++lane) group_.ids[lane] = begin + lane;
    for (u32 lane = 0; batch_.masks != nullptr && lane < ray_lanes; ++lane) {
      group_.ray_masks[lane] = lane < count ? batch_.masks->of_ray(begin + lane) : 0;
    }
    const u32 asked = u32((u64{1} << count) - 1);
    const u32 walking = group_.walking & ~group_.given_up & asked;
    u32 retraced = group_.given_up, stragglers = 0;
    if (walking != 0 && batch_.packets) {
      retraced |= walk_packets<goal>(batch_.tree, triangles_, group_, walking);
    } else if (walking != 0) {
      walks_.begin_together(walking);
      walks_.walk(Stragglers::max_rays);
      retraced |= walks_.too_deep();
      stragglers = walks_.under_way() & ~walks_.too_deep();
    }
    if (stragglers != 0) straggler_group_.take(walks_, stragglers);
    write_results<goal>(batch_, triangles_, group_, asked & ~stragglers, retraced);
  }

  /// Traces the stragglers. Results are complete only after it.
  HWY_INLINE void finish() { straggler_group_.finish(); }

 private:
  const SimdBatch<Tree>& batch_;
  const Triangles triangles_;
  RayGroup group_;
  RayWalks<goal, Tree, Triangles> walks_;
  Stragglers straggler_group_;
};

template <Goal goal, class Tree, class Triangles>
HWY_NOINLINE void trace_range(const SimdBatch<Tree>& batch, const Triangles& triangles, u64 begin, u64 end) {
  GroupTracer<goal, Tree, Triangles> groups(batch, triangles);
  for (; begin + ray_lanes <= end; begin += ray_lanes) {
    groups.trace(batch.rays + begin, begin, ray_lanes);
    if (goal == Goal::several && batch.collector->has_lost()) return;
  }
  if (begin != end) {
    Ray last[ray_lanes];
    for (u32 i = 0; i < ray_lanes; ++i) last[i] = batch.rays[smaller(begin + i, end - 1)];
    groups.trace(last, begin, u32(end - begin));
  }
  groups.finish();
}

template <class Tree, class Triangles>
HWY_INLINE void trace_triangles(const SimdBatch<Tree>& batch, const Triangles& triangles, u64 begin, u64 end) {
  if (batch.occluded == nullptr) {
    trace_range<Goal::closest>(batch, triangles, begin, end);
  } else {
    trace_range<Goal::any>(batch, triangles, begin, end);
  }
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
