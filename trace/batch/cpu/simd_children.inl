// The children of a node, in trees with boxes in full precision. One ray or a block of rays meets all children at
// once; a packet of rays meets one child after another.

#if defined(COPSE_TRACE_CPU_SIMD_CHILDREN) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_CHILDREN
#undef COPSE_TRACE_CPU_SIMD_CHILDREN
#else
#define COPSE_TRACE_CPU_SIMD_CHILDREN
#endif

#include "trace/batch/cpu/simd_blocks.inl"
#include "trace/batch/cpu/simd_keys.inl"
#include "trace/walk/binary_tree.h"
#include "trace/walk/wide_tree.h"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

using copse::detail::BinaryTree;
using copse::detail::WideTree;

/// Makes the sort keys of boxes from the times at which rays enter and leave them, and sorts them in each block with
/// the nearest last. Returns bits of the boxes that are entered at or before `limit`.
HWY_INLINE u32 sort_entered_blocks(Rays entry, Rays exit, Rays limit, VecOf<RayKeys>& keys) {
  const RayLanes d;
  const RayKeys di;
  entry = hn::Max(entry, hn::Zero(d));
  const RayMask entered = hn::Le(entry, hn::Min(exit, limit));
  constexpr u32 sign = 1u << 31;  // of -0.0
  const auto slots = hn::And(hn::Iota(di, 0), hn::Set(di, 3));
  const auto key = hn::Or(hn::AndNot(hn::Set(di, i32(sign | 3)), hn::BitCast(di, entry)), slots);
  keys = sort_blocks(hn::IfThenElse(hn::RebindMask(di, entered), key, hn::Set(di, -1)));
  return bits_of_mask(d, entered);
}

template <u32 width>
using Lanes = hn::CappedTag<float, width>;

/// The slabs of one ray with axes in the lanes: x, y, z and an unused lane, as often as they fit.
template <u32 width>
struct AxisSlabs {
  VecOf<Lanes<width>> scale, near_offset, far_offset;
  u32 backwards[3];

  AxisSlabs() = default;

  /// `far`: the far offset of the unused lane. Its other numbers are 0.
  HWY_INLINE AxisSlabs(const RayGroup& group, u32 lane, float far) {
    const Lanes<width> d;
    const auto in_lanes = [&](const PerRay(&v)[3], float last) {
      const hn::Repartition<double, Lanes<width>> dd;
      const auto xy = hn::OddEven(hn::Set(d, v[1][lane]), hn::Set(d, v[0][lane]));
      const auto z = hn::OddEven(hn::Set(d, last), hn::Set(d, v[2][lane]));
      return hn::BitCast(d, hn::InterleaveLower(dd, hn::BitCast(dd, xy), hn::BitCast(dd, z)));
    };
    scale = in_lanes(group.scale, 0);
    near_offset = in_lanes(group.near_offset, 0), far_offset = in_lanes(group.far_offset, far);
    for (u32 k = 0; k < 3; ++k) backwards[k] = octant_of(group.kind[lane]) >> k & 1;
  }
};

/// The planes of boxes for a packet. The plane of an axis, a side and a slot is at planes[side * side_stride + axis *
/// axis_stride + slot * slot_stride].
template <u32 side_size, u32 axis_size, u32 slot_size>
struct PlaneTable {
  static constexpr u32 side_stride = side_size, axis_stride = axis_size, slot_stride = slot_size;
  const float* planes;
};

template <class Tree>
struct Children;

template <>
struct Children<BinaryTree> {
  static constexpr u32 width = 2;
  static constexpr bool in_blocks = false;
  using Slabs = AxisSlabs<8>;
  using Planes = PlaneTable<4, 1, 8>;

  const BvhNode* pair;

  HWY_INLINE Children(const BinaryTree& tree, u32 node) : pair(tree.nodes + node) {}
  HWY_INLINE static Slabs slabs(const RayGroup& group, u32 lane) { return {group, lane, infinity}; }
  HWY_INLINE WideChild child(u32 slot) const { return {pair[slot].first, pair[slot].count}; }
  HWY_INLINE u32 existing() const { return 3; }
  HWY_INLINE Planes planes(float*) const { return {&pair->lo.x}; }

  /// The two boxes of a node fill 8 lanes, 4 for each.
  HWY_INLINE u32 enter(const Slabs& ray, float limit, i32* keys) const {
    const Lanes<8> d;
    const hn::Repartition<u32, Lanes<8>> du;
    const hn::Repartition<i32, Lanes<8>> di;
    constexpr u32 lanes = u32(hn::MaxLanes(d)), boxes = lanes / 4;
    alignas(16) static constexpr u32 coordinates[4] = {~0u, ~0u, ~0u, 0};
    const auto used = hn::BitCast(d, hn::LoadDup128(du, coordinates));
    const auto once = hn::RebindMask(d, hn::Eq(hn::And(hn::Iota(di, 0), hn::Set(di, 3)), hn::Zero(di)));  // of 4
    const auto backwards = hn::Lt(ray.scale, hn::Zero(d));
    i32 child_keys[2];
    u32 count = 0;
    for (u32 box = 0; box < 2; box += boxes) {
      const float* floats = &pair[box].lo.x;
      auto lo = hn::LoadU(d, floats), hi = hn::LoadU(d, floats + lanes);
      if constexpr (boxes == 2) {
        const auto left = lo, right = hi;
        lo = hn::ConcatLowerLower(d, right, left), hi = hn::ConcatUpperUpper(d, right, left);
      }
      lo = hn::And(lo, used), hi = hn::And(hi, used);
      const auto near = hn::IfThenElse(backwards, hi, lo), far = hn::IfThenElse(backwards, lo, hi);
      auto entry = hn::MulAdd(near, ray.scale, ray.near_offset), exit = hn::MulAdd(far, ray.scale, ray.far_offset);
      entry = hn::Max(entry, hn::Shuffle2301(entry)), exit = hn::Min(exit, hn::Shuffle2301(exit));
      entry = hn::Max(entry, hn::Shuffle1032(entry)), exit = hn::Min(exit, hn::Shuffle1032(exit));
      const auto entered = hn::And(once, hn::Le(entry, hn::Min(exit, hn::Set(d, limit))));
      const auto key =
          hn::IfThenElse(hn::RebindMask(di, entered), hn::BitCast(di, hn::Abs(entry)), hn::Set(di, -2));
      count += u32(hn::CountTrue(d, entered));
      child_keys[box] = hn::GetLane(key) & ~1;
      if constexpr (boxes == 2) child_keys[1] = hn::GetLane(hn::UpperHalf(hn::Half<decltype(di)>(), key));
    }
    child_keys[1] |= 1;
    keys[0] = larger(child_keys[0], child_keys[1]);
    keys[1] = smaller(child_keys[0], child_keys[1]);
    return count;
  }
};

template <>
struct Children<WideTree<Bvh4Node>> {
  static constexpr u32 width = 4;
  static constexpr bool in_blocks = true;
  using Planes = PlaneTable<12, 4, 1>;

  const Bvh4Node* node;

  HWY_INLINE Children(const WideTree<Bvh4Node>& tree, u32 id) : node(tree.nodes + id) {}
  HWY_INLINE WideChild child(u32 slot) const { return node->child(slot); }
  HWY_INLINE u32 existing() const { return 15; }  // the empty box is missed
  HWY_INLINE Planes planes(float*) const { return {node->lo_x}; }

  /// sort_entered_blocks for rays at different nodes.
  HWY_INLINE static u32 enter(const WideTree<Bvh4Node>& tree, const u32 (&nodes)[block_rays],
                              const RayBlocks& rays, const RayGroup& group, VecOf<RayKeys>& keys) {
    const RayLanes d;
    const float* planes[block_rays];
    for (u32 r = 0; r < block_rays; ++r) planes[r] = tree.nodes[nodes[r]].lo_x;
    Rays near[3], far[3];
    for (u32 k = 0; k < 3; ++k) {
      const Rays lo = load_blocks(d, planes, 4 * k), hi = load_blocks(d, planes, 12 + 4 * k);
      const Rays scale = rays.of(group.scale[k]);
      const RayMask backwards = hn::Lt(scale, hn::Zero(d));
      near[k] = hn::MulAdd(hn::IfThenElse(backwards, hi, lo), scale, rays.of(group.near_offset[k]));
      far[k] = hn::MulAdd(hn::IfThenElse(backwards, lo, hi), scale, rays.of(group.far_offset[k]));
    }
    return sort_entered_blocks(largest_of(d, near[0], near[1], near[2]), smallest_of(d, far[0], far[1], far[2]),
                               rays.of(group.boxes_limit), keys);
  }
};

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
