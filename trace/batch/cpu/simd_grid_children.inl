// The children of nodes with boxes in steps of a grid. See simd_children.inl.

#if defined(COPSE_TRACE_CPU_SIMD_GRID_CHILDREN) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_GRID_CHILDREN
#undef COPSE_TRACE_CPU_SIMD_GRID_CHILDREN
#else
#define COPSE_TRACE_CPU_SIMD_GRID_CHILDREN
#endif

#include "trace/batch/cpu/simd_children.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// The steps of the grid as floats, in the lanes that the coordinates of an origin have.
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

/// Returns the steps of a node's planes: lo_x of all slots, lo_y, lo_z, hi_x and so on. These members are contiguous.
template <class Node>
HWY_INLINE const u8* plane_steps(const Node* node) {
  return reinterpret_cast<const u8*>(node) + offsetof(Node, lo_x);
}

template <u32 axis, class D>
HWY_INLINE VecOf<D> axis_lane(D, VecOf<D> v) {
  return hn::Broadcast<int(axis)>(v);
}

/// A node's grid in the units of boxes. The ray meets a plane q steps from the origin at q * step + base. If the
/// origin is far away, its time is rounded by up to 2^-16 of a step for planes near the ray. So near and far bases
/// are moved apart by 2^-12 of a step.
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
    const u8* lo = plane_steps(node) + axis * width + slot;
    const u32 side = 3 * width * backwards[axis];
    const auto axis_step = axis_lane<axis>(d, step);
    near[axis] = hn::MulAdd(load_bytes(d, lo + side), axis_step, axis_lane<axis>(d, near_base));
    far[axis] = hn::MulAdd(load_bytes(d, lo + (3 * width - side)), axis_step, axis_lane<axis>(d, far_base));
  }
};

/// sort_entered for the children of a node in the slots of `existing`.
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

/// Writes the planes, 6 per slot, with the roundings of child_box.
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
      const auto bytes = load_bytes(d, plane_steps(node) + plane * width + slot);
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

/// In each block, the bytes with these numbers, in this order. A number of 128 gives 0.
HWY_INLINE VecOf<RayIds> spread_bytes(Rays words, const u8 (&bytes)[16]) {
  const hn::Repartition<u8, RayLanes> d8;
  return hn::BitCast(RayIds(), hn::TableLookupBytesOr0(hn::BitCast(d8, words), hn::LoadDup128(d8, bytes)));
}

/// The nodes of several rays, one per block, in the order of memory: the origin, the exponents of the steps, then a
/// word for the four planes of an axis and a side. Times are as in GridTimes.
struct GridBlocks {
  Rays origin_and_steps, lo, hi;  // lo begins in its second word

  HWY_INLINE explicit GridBlocks(const float* const (&nodes)[block_rays])
      : origin_and_steps(load_blocks(RayLanes(), nodes, 0)),
        lo(load_blocks(RayLanes(), nodes, 8)),
        hi(load_blocks(RayLanes(), nodes, 12)) {}

  /// The four bytes of a word as numbers.
  template <u32 word>
  HWY_INLINE static Rays numbers(Rays words) {
    constexpr u8 b = 4 * word, none = 128;
    alignas(16) static constexpr u8 bytes[16] = {b,     none, none, none, b + 1, none, none, none,
                                                 b + 2, none, none, none, b + 3, none, none, none};
    return hn::ConvertTo(RayLanes(), hn::BitCast(RayKeys(), spread_bytes(words, bytes)));
  }
  /// The steps of an axis. The exponents move to the highest byte, and from there to their place.
  template <u32 axis>
  HWY_INLINE Rays step() const {
    constexpr u8 b = 12 + axis, none = 128;
    alignas(16) static constexpr u8 bytes[16] = {none, none, none, b, none, none, none, b,
                                                 none, none, none, b, none, none, none, b};
    return hn::BitCast(RayLanes(), hn::ShiftRight<1>(spread_bytes(origin_and_steps, bytes)));
  }

  template <u32 axis>
  HWY_INLINE void spans(const RayBlocks& rays, const RayGroup& group, Rays (&near)[3], Rays (&far)[3]) const {
    const RayLanes d;
    const Rays scale = rays.of(group.scale[axis]);
    const Rays steps = hn::Mul(step<axis>(), scale);
    const Rays slack = hn::Mul(hn::Abs(steps), hn::Set(d, 1.0f / 4096));
    const Rays origin = hn::Broadcast<int(axis)>(origin_and_steps);
    const Rays near_base = hn::Sub(hn::MulAdd(origin, scale, rays.of(group.near_offset[axis])), slack);
    const Rays far_base = hn::Add(hn::MulAdd(origin, scale, rays.of(group.far_offset[axis])), slack);
    const Rays low = numbers<1 + axis>(lo), high = numbers<axis>(hi);
    const RayMask backwards = hn::Lt(scale, hn::Zero(d));
    near[axis] = hn::MulAdd(hn::IfThenElse(backwards, high, low), steps, near_base);
    far[axis] = hn::MulAdd(hn::IfThenElse(backwards, low, high), steps, far_base);
  }
};

template <>
struct Children<WideTree<CompressedBvh4Node>> : GridChildren<CompressedBvh4Node> {
  static constexpr bool in_blocks = true;

  HWY_INLINE Children(const WideTree<CompressedBvh4Node>& tree, u32 id) : GridChildren{tree.nodes + id} {}
  HWY_INLINE u32 existing() const {
    u32 bits = 0;
    for (u32 slot = 0; slot < 4; ++slot) bits |= u32(node->first[slot] != invalid_id) << slot;
    return bits;
  }

  /// sort_entered_blocks for rays at different nodes.
  HWY_INLINE static u32 enter(const WideTree<CompressedBvh4Node>& tree, const u32 (&nodes)[block_rays],
                              const RayBlocks& rays, const RayGroup& group, VecOf<RayKeys>& keys) {
    const RayLanes d;
    const RayKeys di;
    const float* words[block_rays];
    for (u32 r = 0; r < block_rays; ++r) words[r] = &tree.nodes[nodes[r]].origin.x;
    const GridBlocks grids(words);
    Rays near[3], far[3];
    grids.spans<0>(rays, group, near, far);
    grids.spans<1>(rays, group, near, far);
    grids.spans<2>(rays, group, near, far);
    const auto first = hn::BitCast(di, load_blocks(d, words, 4));
    const RayMask nothing = hn::RebindMask(d, hn::Eq(first, hn::Set(di, i32(invalid_id))));
    const Rays exit = hn::Mul(smallest_of(d, far[0], far[1], far[2]), hn::Set(d, copse::detail::slab_growth));
    return sort_entered_blocks(largest_of(d, near[0], near[1], near[2]),
                               hn::IfThenElse(nothing, hn::Set(d, -1.0f), exit), rays.of(group.boxes_limit), keys);
  }
};

template <>
struct Children<WideTree<CompressedBvh8Node>> : GridChildren<CompressedBvh8Node> {
  HWY_INLINE Children(const WideTree<CompressedBvh8Node>& tree, u32 id) : GridChildren{tree.nodes + id} {}

  /// Bits of the bytes of meta that are not 0.
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
