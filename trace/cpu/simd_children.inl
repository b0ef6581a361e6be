// The children of a node of every layout, for one ray and all of them at once, or for many rays and one after
// another.

#if defined(COPSE_TRACE_CPU_SIMD_CHILDREN) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_CHILDREN
#undef COPSE_TRACE_CPU_SIMD_CHILDREN
#else
#define COPSE_TRACE_CPU_SIMD_CHILDREN
#endif

#include "trace/binary_tree.h"
#include "trace/cpu/simd_blocks.inl"
#include "trace/cpu/simd_keys.inl"
#include "trace/wide_tree.h"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

using copse::detail::BinaryTree;
using copse::detail::WideTree;

/// Where boxes are entered and left by each ray's block: their keys, in order in each block with the nearest last,
/// and bits of those that are entered at or before `limit`.
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

/// The slabs of one ray with axes in the lanes: x, y, z and nothing, as often as fits.
template <u32 width>
struct AxisSlabs {
  VecOf<Lanes<width>> scale, near_offset, far_offset;
  u32 backwards[3];

  AxisSlabs() = default;

  /// `far`: the far offset of nothing; its other numbers are 0.
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
  static constexpr bool in_blocks = false;
  using Slabs = AxisSlabs<8>;
  using Planes = PlaneTable<4, 1, 8>;

  const BvhNode* pair;

  HWY_INLINE Children(const BinaryTree& tree, u32 node) : pair(tree.nodes + node) {}
  HWY_INLINE static Slabs slabs(const RayGroup& group, u32 lane) { return {group, lane, infinity}; }
  HWY_INLINE WideChild child(u32 slot) const { return {pair[slot].first, pair[slot].count}; }
  HWY_INLINE u32 existing() const { return 3; }
  HWY_INLINE Planes planes(float*) const { return {&pair->lo.x}; }

  /// Both boxes of a node fill 8 lanes, each its own 4.
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

// ---- Four children in full precision --------------------------------------------------------------------------

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

  /// For rays that stand at a node each; as sort_entered_blocks.
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

/// A node's grid in the units of boxes. A plane q steps from the origin is met at q * step + base; that of the
/// origin may be far away, rounded by up to 2^-16 of a step where the plane is near, so bases give way by 2^-12.
template <class Node>
struct GridTimes {
  static constexpr u32 width = Node::width;
  using D = Lanes<width>;

  const Node* node;
  const u32* backwards;
  VecOf<D> step, near_base, far_base;

  HWY_INLINE GridTimes(const Node* of, const AxisSlabs<width>& ray) : node(of), backwards(ray.backwards) {
    const D d;
    const auto origin = hn::LoadDup128(d, &node->origin.x);
    step = hn::Mul(load_steps(d, node), ray.scale);
    const auto slack = hn::Mul(hn::Abs(step), hn::Set(d, 1.0f / 4096));
    near_base = hn::Sub(hn::MulAdd(origin, ray.scale, ray.near_offset), slack);
    far_base = hn::Add(hn::MulAdd(origin, ray.scale, ray.far_offset), slack);
  }

  /// When the ray enters and leaves the children from `slot` on.
  HWY_INLINE void spans(u32 slot, VecOf<D>& entry, VecOf<D>& exit) const {
    const D d;
    VecOf<D> near[3], far[3];
    axis_spans<0>(slot, near, far), axis_spans<1>(slot, near, far), axis_spans<2>(slot, near, far);
    entry = largest_of(d, near[0], near[1], near[2]);
    exit = hn::Mul(smallest_of(d, far[0], far[1], far[2]), hn::Set(d, copse::detail::slab_growth));
  }

 private:
  template <u32 axis>
  HWY_INLINE void axis_spans(u32 slot, VecOf<D> (&near)[3], VecOf<D> (&far)[3]) const {
    const D d;
    const u8* lo = node->lo_x + axis * width + slot;
    const u32 side = 3 * width * backwards[axis];
    const auto axis_step = axis_lane<axis>(d, step);
    near[axis] = hn::MulAdd(load_bytes(d, lo + side), axis_step, axis_lane<axis>(d, near_base));
    far[axis] = hn::MulAdd(load_bytes(d, lo + (3 * width - side)), axis_step, axis_lane<axis>(d, far_base));
  }
};

/// sort_entered for the children of a node that stand in the slots of `existing`.
template <class Node>
HWY_INLINE u32 enter_grid(const Node* node, const AxisSlabs<Node::width>& ray, float limit, u32 existing,
                          i32* keys) {
  constexpr u32 width = Node::width;
  const Lanes<width> d;
  const GridTimes<Node> times(node, ray);
  VecOf<Lanes<width>> entry, exit;
  if constexpr (hn::MaxLanes(d) == width) {
    times.spans(0, entry, exit);
    return sort_entered<width>(d, entry, exit, limit, mask_of_bits(d, existing), keys);
  } else {
    alignas(16) float entries[width], exits[width];
    for (u32 slot = 0; slot < width; slot += u32(hn::MaxLanes(d))) {
      times.spans(slot, entry, exit);
      hn::Store(entry, d, entries + slot), hn::Store(exit, d, exits + slot);
    }
    u32 count = 0;
    for (u32 slot = 0; slot < width; ++slot) {
      const BoxSpan span{max_number(0.0f, entries[slot]), exits[slot]};
      if ((existing >> slot & 1) == 0 || !is_within(span, limit)) continue;
      keys[count++] = i32((bits_of(span.entry) & ~(width - 1)) | slot);
      insert_last(keys, count);
    }
    return count;
  }
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
  static constexpr bool in_blocks = false;
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
  HWY_INLINE u32 enter(const Slabs& ray, float limit, i32* keys) const {
    return enter_grid(node, ray, limit, existing(), keys);
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
  HWY_INLINE u32 enter(const Slabs& ray, float limit, i32* keys) const {
    return enter_grid(node, ray, limit, existing(), keys);
  }
};

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
