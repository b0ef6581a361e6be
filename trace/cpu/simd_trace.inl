// Ranges of batches: rays made ready, walked for together or one by one, and their results.

#if defined(COPSE_TRACE_CPU_SIMD_TRACE) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_TRACE
#undef COPSE_TRACE_CPU_SIMD_TRACE
#else
#define COPSE_TRACE_CPU_SIMD_TRACE
#endif

#include "trace/cpu/simd_batch.h"
#include "trace/cpu/simd_packet.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// The rays of the same kind as the first of `rays`.
HWY_INLINE u32 alike(const RayGroup& group, u32 rays) {
  const hn::Repartition<u32, RayLanes> du;
  const auto kind = hn::Set(du, group.kind[u32(__builtin_ctz(rays))]);
  return rays & bits_of_mask(du, hn::Eq(hn::Load(du, group.kind.values), kind));
}

template <bool any, class Tree, class Triangles>
HWY_INLINE u32 walk_packets(const Tree& tree, const Triangles& triangles, RayGroup& group) {
  u32 too_deep = 0;
  for (u32 rays = group.walking & ~group.given_up; rays != 0;) {
    const u32 packet = alike(group, rays);
    rays &= ~packet;
    PacketWalk<any, Tree, Triangles> walk(tree, triangles, group, group.kind[u32(__builtin_ctz(packet))]);
    too_deep |= walk.walk(packet);
  }
  return too_deep;
}

template <bool any, class Tree, class Triangles>
HWY_INLINE u32 walk_one_by_one(const Tree& tree, const Triangles& triangles, RayGroup& group) {
  RayWalks<any, Tree, Triangles> walks(tree, triangles, group);
  return walks.walk_from_root(group.walking & ~group.given_up);
}

/// Writes the hits of a group; those of `whole` rays by the walk that has no depth limit.
template <class Tree, class Triangles>
HWY_INLINE void write_hits(const SimdBatch<Tree>& batch, const Triangles& triangles, const RayGroup& group,
                           u32 whole, u64 begin, u32 count) {
  PerRay u, v;
  u.store(hn::Mul(group.v.load(), group.inverse.load())), v.store(hn::Mul(group.w.load(), group.inverse.load()));
  for (u32 lane = 0; lane < count; ++lane) {
    const u64 i = begin + lane;
    const u32 closest = group.closest[lane];
    if (whole >> lane & 1) {
      trace_whole(batch, triangles, i);
    } else if (closest == invalid_id) {
      batch.hits[i] = {batch.rays[i].t_max, invalid_id, invalid_id, 0, 0};
    } else {
      batch.hits[i] = {group.limit[lane], triangles.local_id(closest), triangles.geometry(closest), u[lane],
                       v[lane]};
    }
  }
}

template <class Tree, class Triangles>
HWY_INLINE void write_occluded(const SimdBatch<Tree>& batch, const Triangles& triangles, const RayGroup& group,
                               u32 whole, u64 begin, u32 count) {
  for (u32 lane = 0; lane < count; ++lane) {
    batch.occluded[begin + lane] = group.closest[lane] != invalid_id ? 1 : 0;
    if (whole >> lane & 1) trace_whole(batch, triangles, begin + lane);
  }
}

/// Traces `count` rays from `begin` on, ray_lanes at most. `rays`: they, and any more up to ray_lanes.
template <bool any, class Tree, class Triangles>
HWY_INLINE void trace_group(const SimdBatch<Tree>& batch, const Triangles& triangles, const Ray* rays, u64 begin,
                            u32 count) {
  RayGroup group;
  make_ready(rays, batch.bounds, group);
  group.masks = batch.masks;
  for (u32 lane = 0; batch.masks != nullptr && lane < ray_lanes; ++lane) {
    group.ray_masks[lane] = lane < count ? batch.masks->of_ray(begin + lane) : 0;
  }
  group.walking &= count == 32 ? ~0u : (1u << count) - 1;
  group.given_up &= group.walking;
  u32 whole = group.given_up;
  if (group.walking != whole) {
    whole |= batch.packets ? walk_packets<any>(batch.tree, triangles, group)
                           : walk_one_by_one<any>(batch.tree, triangles, group);
  }
  if constexpr (any) {
    write_occluded(batch, triangles, group, whole, begin, count);
  } else {
    write_hits(batch, triangles, group, whole, begin, count);
  }
}

template <bool any, class Tree, class Triangles>
HWY_NOINLINE void trace_range(const SimdBatch<Tree>& batch, const Triangles& triangles, u64 begin, u64 end) {
  for (; begin + ray_lanes <= end; begin += ray_lanes) {
    trace_group<any>(batch, triangles, batch.rays + begin, begin, ray_lanes);
  }
  if (begin == end) return;
  Ray last[ray_lanes];
  for (u32 i = 0; i < ray_lanes; ++i) last[i] = batch.rays[smaller(begin + i, end - 1)];
  trace_group<any>(batch, triangles, last, begin, u32(end - begin));
}

template <class Tree, class Triangles>
HWY_INLINE void trace_triangles(const SimdBatch<Tree>& batch, const Triangles& triangles, u64 begin, u64 end) {
  if (batch.hits != nullptr) {
    trace_range<false>(batch, triangles, begin, end);
  } else {
    trace_range<true>(batch, triangles, begin, end);
  }
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
