// What waits on the ways of rays that each go their own.

#if defined(COPSE_TRACE_CPU_SIMD_WAITING) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_WAITING
#undef COPSE_TRACE_CPU_SIMD_WAITING
#else
#define COPSE_TRACE_CPU_SIMD_WAITING
#endif

#include "builders/bvh/wide_node.h"
#include "trace/cpu/simd_blocks.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// What children wait for the rays of a group: the keys by which they were sorted, with the slot in the lowest
/// bits, and the nodes. A tree so deep that they do not fit is left to the walk that climbs.
struct WaitingChildren {
  static constexpr u32 size = 256, stride = 2 * size + 16;  // for each ray; not all in the same cache sets

  u32 tops[ray_lanes];  // of each ray, counted from `words`
  u32 words[ray_lanes * stride];

  HWY_INLINE void clear() {
    for (u32 lane = 0; lane < ray_lanes; ++lane) tops[lane] = bottom(lane);
  }

  /// Where nothing waits.
  HWY_INLINE static u32 bottom(u32 lane) { return lane * stride; }
  HWY_INLINE i32* keys(u32 top) { return reinterpret_cast<i32*>(words + top); }
  HWY_INLINE u32* nodes(u32 top) { return words + size + top; }

  /// Bits of the rays that might have no room for the children of nodes in one of the next `turns`.
  HWY_INLINE u32 full(u32 width, u32 turns) const {
    u32 rays = 0;
    for (u32 lane = 0; lane < ray_lanes; ++lane) {
      rays |= u32(tops[lane] - bottom(lane) > size - turns * (width - 1) - 8) << lane;
    }
    return rays;
  }

  /// The children of a node, whose keys the caller wrote; room for 8 is written.
  HWY_INLINE void push(u32 lane, u32 node, u32 pushed) {
    const hn::CappedTag<u32, 4> d;
    const auto same = hn::Set(d, node);
    u32* to = nodes(tops[lane]);
    hn::StoreU(same, d, to);
    if (pushed > 4) hn::StoreU(same, d, to + 4);
    tops[lane] += pushed;
  }

  /// A child at its place among all that wait, the nearest last.
  HWY_INLINE void insert(u32 lane, i32 key, u32 node) {
    u32 at = tops[lane]++;
    for (; at != bottom(lane) && *keys(at - 1) < key; --at) {
      *keys(at) = *keys(at - 1), *nodes(at) = *nodes(at - 1);
    }
    *keys(at) = key, *nodes(at) = node;
  }
};

/// Asks for what a child will be visited with: others take their turn before it. Of a leaf three lines, which are
/// three triangles and more.
template <class Tree, class Triangles>
HWY_INLINE void prefetch(const Tree& tree, const Triangles& triangles, const WideChild& at) {
  const char* data;
  if (at.is_leaf()) {
    if constexpr (Triangles::takes_places) {
      data = reinterpret_cast<const char*>(triangles.packed + at.first);
      __builtin_prefetch(data + 128);
    } else {
      data = reinterpret_cast<const char*>(tree.primitive_ids + at.first);
    }
  } else {
    data = reinterpret_cast<const char*>(tree.nodes + at.first);
  }
  __builtin_prefetch(data), __builtin_prefetch(data + 64);
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
