// The children of a node of every layout, for one ray and all of them at once, or for many rays and one after
// another.

#if defined(COPSE_TRACE_CPU_SIMD_CHILDREN) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_CHILDREN
#undef COPSE_TRACE_CPU_SIMD_CHILDREN
#else
#define COPSE_TRACE_CPU_SIMD_CHILDREN
#endif

#include "trace/binary_tree.h"
#include "trace/cpu/simd_rays.inl"
#include "trace/wide_tree.h"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

using copse::detail::BinaryTree;
using copse::detail::WideTree;

template <u32 width>
using Lanes = hn::CappedTag<float, width>;

/// The slabs of one ray in vectors of a node's width: children in the lanes.
template <u32 width>
struct ChildSlabs {
  VecOf<Lanes<width>> scale[3], near_offset[3], far_offset[3];
  u32 backwards[3];  // 1 where the ray moves against the axis

  HWY_INLINE ChildSlabs(const RayGroup& group, u32 lane) {
    const Lanes<width> d;
    for (u32 k = 0; k < 3; ++k) {
      scale[k] = hn::Set(d, group.scale[k][lane]);
      near_offset[k] = hn::Set(d, group.near_offset[k][lane]);
      far_offset[k] = hn::Set(d, group.far_offset[k][lane]);
      backwards[k] = octant_of(group.kind[lane]) >> k & 1;
    }
  }
};

/// The slabs of one ray with axes in the lanes: x, y, z and nothing, as often as fits.
template <u32 width>
struct AxisSlabs {
  VecOf<Lanes<width>> scale, near_offset, far_offset;
  u32 backwards[3];

  /// `far`: the far offset of nothing; its other numbers are 0.
  HWY_INLINE AxisSlabs(const RayGroup& group, u32 lane, float far) {
    const Lanes<width> d;
    alignas(16) const float s[4] = {group.scale[0][lane], group.scale[1][lane], group.scale[2][lane], 0};
    alignas(16)
        const float n[4] = {group.near_offset[0][lane], group.near_offset[1][lane], group.near_offset[2][lane], 0};
    alignas(16)
        const float f[4] = {group.far_offset[0][lane], group.far_offset[1][lane], group.far_offset[2][lane], far};
    scale = hn::LoadDup128(d, s), near_offset = hn::LoadDup128(d, n), far_offset = hn::LoadDup128(d, f);
    for (u32 k = 0; k < 3; ++k) backwards[k] = octant_of(group.kind[lane]) >> k & 1;
  }
};

/// Where boxes are entered, and which of them at or before `limit`; the first lane's is bit 0.
template <class D>
HWY_INLINE u32 entered(D d, VecOf<D> entry, VecOf<D> exit, float limit, float* entries) {
  entry = hn::Max(entry, hn::Zero(d));
  exit = hn::Mul(exit, hn::Set(d, copse::detail::slab_growth));
  hn::Store(entry, d, entries);
  return bits_of_mask(d, hn::Le(entry, hn::Min(exit, hn::Set(d, limit))));
}

/// The planes of boxes for a packet: that of an axis and a side of the child in a slot stands at
/// planes[side * side_stride + axis * axis_stride + slot * slot_stride].
template <u32 side_size, u32 axis_size, u32 slot_size>
struct PlaneTable {
  static constexpr u32 side_stride = side_size, axis_stride = axis_size, slot_stride = slot_size;
  const float* planes;
};

template <class Tree>
struct Children;

// ---- Binary trees ---------------------------------------------------------------------------------------------

template <>
struct Children<BinaryTree> {
  static constexpr u32 width = 2;
  static constexpr u32 entry_stride = 4;
  using Slabs = AxisSlabs<8>;
  using Planes = PlaneTable<4, 1, 8>;

  const BvhNode* pair;

  HWY_INLINE Children(const BinaryTree& tree, u32 node) : pair(tree.nodes + node) {}
  HWY_INLINE static Slabs slabs(const RayGroup& group, u32 lane) { return {group, lane, infinity}; }
  HWY_INLINE WideChild child(u32 slot) const { return {pair[slot].first, pair[slot].count}; }
  HWY_INLINE u32 existing() const { return 3; }
  HWY_INLINE Planes planes(float*) const { return {&pair->lo.x}; }

  /// Both boxes of a node fill 8 lanes, each its own 4.
  HWY_INLINE u32 enter(const Slabs& ray, float limit, float* entries) const {
    const Lanes<8> d;
    const hn::Repartition<u32, Lanes<8>> du;
    constexpr u32 lanes = u32(hn::MaxLanes(d)), boxes = lanes / 4;
    alignas(16) static constexpr u32 coordinates[4] = {~0u, ~0u, ~0u, 0};
    const auto used = hn::BitCast(d, hn::LoadDup128(du, coordinates));
    const auto backwards = hn::Lt(ray.scale, hn::Zero(d));
    u32 bits = 0;
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
      bits |= entered(d, entry, exit, limit, entries + 4 * box) << 4 * box;
    }
    return (bits & 1) | (bits >> 3 & 2);
  }
};

// ---- Four children in full precision --------------------------------------------------------------------------

template <>
struct Children<WideTree<Bvh4Node>> {
  static constexpr u32 width = 4;
  static constexpr u32 entry_stride = 1;
  using Slabs = ChildSlabs<4>;
  using Planes = PlaneTable<12, 4, 1>;

  const Bvh4Node* node;

  HWY_INLINE Children(const WideTree<Bvh4Node>& tree, u32 id) : node(tree.nodes + id) {}
  HWY_INLINE static Slabs slabs(const RayGroup& group, u32 lane) { return {group, lane}; }
  HWY_INLINE WideChild child(u32 slot) const { return node->child(slot); }
  HWY_INLINE u32 existing() const { return 15; }  // the empty box is missed
  HWY_INLINE Planes planes(float*) const { return {node->lo_x}; }

  HWY_INLINE u32 enter(const Slabs& ray, float limit, float* entries) const {
    const Lanes<4> d;
    const float* planes = node->lo_x;
    VecOf<Lanes<4>> near[3], far[3];
    for (u32 k = 0; k < 3; ++k) {
      const u32 side = 12 * ray.backwards[k];
      near[k] = hn::MulAdd(hn::Load(d, planes + 4 * k + side), ray.scale[k], ray.near_offset[k]);
      far[k] = hn::MulAdd(hn::Load(d, planes + 4 * k + (12 - side)), ray.scale[k], ray.far_offset[k]);
    }
    return entered(d, largest_of(d, near[0], near[1], near[2]), smallest_of(d, far[0], far[1], far[2]), limit,
                   entries);
  }
};

// ---- Boxes in steps of a grid ---------------------------------------------------------------------------------

/// Steps of the grid as floats, in the lanes of an origin.
template <class D, class Node>
HWY_INLINE VecOf<D> load_steps(D d, const Node* node) {
  const hn::Repartition<u32, D> du;
  u32 exponents;
  std::memcpy(&exponents, node->exponents, sizeof exponents);
  alignas(16) static constexpr u32 places[4] = {0, 8, 16, 24};
  const auto bytes = hn::And(hn::Shr(hn::Set(du, exponents), hn::LoadDup128(du, places)), hn::Set(du, 255));
  return hn::BitCast(d, hn::ShiftLeft<23>(bytes));
}

template <class D>
HWY_INLINE VecOf<D> load_bytes(D d, const u8* bytes) {
  const hn::Rebind<u8, D> d8;
  const hn::Rebind<i32, D> di;
  return hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(d8, bytes)));
}

template <u32 axis, class D>
HWY_INLINE VecOf<D> axis_lane(D, VecOf<D> v) {
  return hn::Broadcast<int(axis)>(v);
}

/// The spans of a node's children in the units of boxes. A plane q steps from the origin is met at q * step +
/// base; that of the origin may be far away, rounded by up to 2^-16 of a step where the plane is near, so bases
/// give way by 2^-12.
template <class Node>
HWY_INLINE u32 enter_grid(const Node* node, const AxisSlabs<Node::width>& ray, float limit, float* entries) {
  constexpr u32 width = Node::width;
  const Lanes<width> d;
  constexpr u32 lanes = u32(hn::MaxLanes(d));
  const auto steps = load_steps(d, node);
  const auto origin = hn::LoadDup128(d, &node->origin.x);
  const auto step = hn::Mul(steps, ray.scale);
  const auto slack = hn::Mul(hn::Abs(step), hn::Set(d, 1.0f / 4096));
  const auto near_base = hn::Sub(hn::MulAdd(origin, ray.scale, ray.near_offset), slack);
  const auto far_base = hn::Add(hn::MulAdd(origin, ray.scale, ray.far_offset), slack);
  const u32 x = ray.backwards[0] * 3 * width, y = ray.backwards[1] * 3 * width, z = ray.backwards[2] * 3 * width;
  const u8* planes = node->lo_x;
  u32 bits = 0;
  for (u32 slot = 0; slot < width; slot += lanes) {
    const u8* const at = planes + slot;
    const auto step_x = axis_lane<0>(d, step), step_y = axis_lane<1>(d, step), step_z = axis_lane<2>(d, step);
    const auto near_x = hn::MulAdd(load_bytes(d, at + x), step_x, axis_lane<0>(d, near_base));
    const auto near_y = hn::MulAdd(load_bytes(d, at + width + y), step_y, axis_lane<1>(d, near_base));
    const auto near_z = hn::MulAdd(load_bytes(d, at + 2 * width + z), step_z, axis_lane<2>(d, near_base));
    const auto far_x = hn::MulAdd(load_bytes(d, at + 3 * width - x), step_x, axis_lane<0>(d, far_base));
    const auto far_y = hn::MulAdd(load_bytes(d, at + 4 * width - y), step_y, axis_lane<1>(d, far_base));
    const auto far_z = hn::MulAdd(load_bytes(d, at + 5 * width - z), step_z, axis_lane<2>(d, far_base));
    bits |= entered(d, largest_of(d, near_x, near_y, near_z), smallest_of(d, far_x, far_y, far_z), limit,
                    entries + slot)
            << slot;
  }
  return bits;
}

/// Writes the planes as child_box has them, with the same roundings: 6 of them for each slot.
template <class Node>
HWY_INLINE void decode_planes(const Node* node, float* out) {
  constexpr u32 width = Node::width;
  const Lanes<width> d;
  constexpr u32 lanes = u32(hn::MaxLanes(d));
  const auto steps = load_steps(d, node), origin = hn::LoadDup128(d, &node->origin.x);
  const VecOf<Lanes<width>> step[3] = {axis_lane<0>(d, steps), axis_lane<1>(d, steps), axis_lane<2>(d, steps)};
  const VecOf<Lanes<width>> base[3] = {axis_lane<0>(d, origin), axis_lane<1>(d, origin), axis_lane<2>(d, origin)};
  for (u32 plane = 0; plane < 6; ++plane) {
    const u32 k = plane % 3;
    for (u32 slot = 0; slot < width; slot += lanes) {
      const auto bytes = load_bytes(d, node->lo_x + plane * width + slot);
      hn::Store(hn::Add(base[k], hn::Mul(bytes, step[k])), d, out + plane * width + slot);
    }
  }
}

template <class Node>
struct GridChildren {
  static constexpr u32 width = Node::width;
  static constexpr u32 entry_stride = 1;
  using Slabs = AxisSlabs<width>;
  using Planes = PlaneTable<3 * width, width, 1>;

  const Node* node;

  HWY_INLINE static Slabs slabs(const RayGroup& group, u32 lane) { return {group, lane, 0}; }
  HWY_INLINE WideChild child(u32 slot) const { return node->child(slot); }
  HWY_INLINE Planes planes(float* room) const {
    decode_planes(node, room);
    return {room};
  }
};

template <>
struct Children<WideTree<CompressedBvh4Node>> : GridChildren<CompressedBvh4Node> {
  HWY_INLINE Children(const WideTree<CompressedBvh4Node>& tree, u32 id) : GridChildren{tree.nodes + id} {}
  HWY_INLINE u32 existing() const {
    u32 bits = 0;
    for (u32 slot = 0; slot < 4; ++slot) bits |= u32(node->first[slot] != invalid_id) << slot;
    return bits;
  }
  HWY_INLINE u32 enter(const Slabs& ray, float limit, float* entries) const {
    return enter_grid(node, ray, limit, entries) & existing();
  }
};

template <>
struct Children<WideTree<CompressedBvh8Node>> : GridChildren<CompressedBvh8Node> {
  HWY_INLINE Children(const WideTree<CompressedBvh8Node>& tree, u32 id) : GridChildren{tree.nodes + id} {}

  /// The bytes of meta that are not 0.
  HWY_INLINE u32 existing() const {
    u64 meta;
    std::memcpy(&meta, node->meta, sizeof meta);
    constexpr u64 low = 0x7f7f7f7f7f7f7f7full;
    const u64 highest = (((meta & low) + low) | meta) & ~low;  // bit 7 of each
    return u32((highest >> 7) * 0x0102040810204080ull >> 56);
  }
  HWY_INLINE u32 enter(const Slabs& ray, float limit, float* entries) const {
    return enter_grid(node, ray, limit, entries) & existing();
  }
};

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
