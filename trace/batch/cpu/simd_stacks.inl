// Traversal stacks of rays that are traced independently.

#if defined(COPSE_TRACE_CPU_SIMD_STACKS) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_STACKS
#undef COPSE_TRACE_CPU_SIMD_STACKS
#else
#define COPSE_TRACE_CPU_SIMD_STACKS
#endif

#include "builders/bvh/wide_node.h"
#include "trace/batch/cpu/simd_blocks.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// The stacks of the rays of a group. An entry is the node, and the sort key of one of its children with the slot in
/// the lowest bits. If a tree is too deep for a stack, the ray is retraced by the traversal that climbs.
struct ChildStacks {
  static constexpr u32 size = 256, stride = 2 * size + 16;  // per ray; not all in the same cache sets

  IdPerRay tops;  // per ray, counted from `words`
  u32 words[ray_lanes * stride];

  HWY_INLINE void clear() { hn::Store(bottoms(), RayIds(), tops.values); }

  /// The top of an empty stack.
  HWY_INLINE static u32 bottom(u32 lane) { return lane * stride; }
  HWY_INLINE static VecOf<RayIds> bottoms() {
    const RayIds d;
    return hn::Mul(hn::Iota(d, 0), hn::Set(d, stride));
  }
  HWY_INLINE i32* keys(u32 top) { return reinterpret_cast<i32*>(words + top); }
  HWY_INLINE u32* nodes(u32 top) { return words + size + top; }

  /// Bits of the rays whose stacks may become full in the next `turns` visits of nodes with `width` children.
  HWY_INLINE u32 full(u32 width, u32 turns) const {
    const RayIds d;
    const auto waiting = hn::Sub(hn::Load(d, tops.values), bottoms());
    return bits_of_mask(d, hn::Gt(waiting, hn::Set(d, size - turns * (width - 1) - 8)));
  }

  /// Pushes children of a node, whose keys the caller has already written. It writes the room of 8 entries.
  HWY_INLINE void push(u32 lane, u32 node, u32 pushed) {
    const hn::CappedTag<u32, 4> d;
    const auto same = hn::Set(d, node);
    u32* to = nodes(tops[lane]);
    hn::StoreU(same, d, to);
    if (pushed > 4) hn::StoreU(same, d, to + 4);
    tops[lane] += pushed;
  }

  /// Copies the stack of ray `from` of another group to ray `to`.
  HWY_INLINE void copy(u32 to, ChildStacks& others, u32 from) {
    u32 at = bottom(to);
    for (u32 i = bottom(from); i != others.tops[from]; ++i, ++at) {
      *keys(at) = *others.keys(i), *nodes(at) = *others.nodes(i);
    }
    tops[to] = at;
  }
};

/// The address that a visit of the child will read first.
template <class Tree, class Triangles>
HWY_INLINE const char* place_of(const Tree& tree, const Triangles& triangles, const WideChild& at) {
  const void* leaf;
  if constexpr (Triangles::takes_places) {
    leaf = triangles.packed + at.first;
  } else {
    leaf = tree.primitive_ids + at.first;
  }
  return static_cast<const char*>(at.is_leaf() ? leaf : tree.nodes + at.first);
}

/// Prefetches the memory of a child, since other rays take their turns before its visit. For a leaf it fetches three
/// cache lines, which hold at least three triangles.
template <class Tree, class Triangles>
HWY_INLINE void prefetch(const Tree& tree, const Triangles& triangles, const WideChild& at) {
  const char* data = place_of(tree, triangles, at);
  prefetch_line(data), prefetch_line(data + 64);
  if (Triangles::takes_places && at.is_leaf()) prefetch_line(data + 128);
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
