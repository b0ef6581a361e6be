// The first steps of rays that go apart. Neighbours start near each other, in the same boxes. Whatever their
// directions, all of them visit every node whose box contains their origins. So they descend to their origins
// together, one per lane, and only then separate. For closest hits no visit is in vain, as no hit is nearer than a
// box in which the ray starts.

#if defined(COPSE_TRACE_CPU_SIMD_SHARED_DESCENT) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_SHARED_DESCENT
#undef COPSE_TRACE_CPU_SIMD_SHARED_DESCENT
#else
#define COPSE_TRACE_CPU_SIMD_SHARED_DESCENT
#endif

#include "trace/batch/cpu/simd_children.inl"
#include "trace/batch/cpu/simd_grid_children.inl"
#include "trace/batch/cpu/simd_stacks.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// If fewer rays than this start in a child, each of them visits it alone.
inline constexpr u32 min_in_descent = ray_lanes > 8 ? ray_lanes / 4 : 2;

/// Children that rays enter from outside, or in which too few rays start. Each ray visits them alone. They are sorted
/// by the middle of the ray's span in their boxes, as in trace/walk/binary_tree.h. If boxes overlap much, many of
/// them contain the origin. Then this order finds hits sooner than the order in which boxes are entered. A key is
///
///   0mmm mmmm mmmm mmme eeee eeee eeen nnnn
///
///   m: the middle, in the highest bits of a float without its sign
///   e: where the ray enters, in the same form; both are rounded down
///   n: the number of the child
struct SeparateChildren {
  static constexpr u32 size = KeyColumns::size;
  static_assert(size == 32);

  alignas(64) u32 nodes[size];
  alignas(64) u32 slots[size];
  KeyColumns keys;

  HWY_INLINE void put(u32 i, u32 node, u32 slot, u32 rays, Rays entry, Rays exit) {
    const RayKeys d;
    nodes[i] = node, slots[i] = slot;
    const auto middle = hn::BitCast(d, hn::Abs(hn::Add(entry, exit)));  // twice the middle has the same order
    const auto key = hn::Or(hn::ShiftLeft<17>(hn::ShiftRight<17>(middle)),
                            hn::ShiftLeft<5>(hn::ShiftRight<19>(hn::BitCast(d, hn::Abs(entry)))));
    const auto entered = hn::RebindMask(d, mask_of_bits(RayLanes(), rays));
    keys.set(i, hn::IfThenElse(entered, hn::Or(key, hn::Set(d, i32(i))), hn::Set(d, -1)));
  }

  /// Pushes the first `count` children on the stacks of the rays, which must be empty, with the nearest on top. It
  /// writes four at a time. Values that it writes above the top of a stack are unused.
  HWY_INLINE void hand_out(u32 count, ChildStacks& stacks) {
    const RayKeys d;
    keys.sort(count);
    auto tops = hn::BitCast(d, ChildStacks::bottoms());
    for (u32 row = 0; row < count; row += 4) {
      VecOf<RayKeys> of_keys[4], of_nodes[4];
      for (u32 i = 0; i < 4; ++i) {
        const auto key = keys[row + i];
        const auto number = hn::And(key, hn::Set(d, i32(size - 1)));
        const auto entry = hn::ShiftLeft<19>(hn::And(hn::ShiftRight<5>(key), hn::Set(d, 0xfff)));
        of_keys[i] = hn::Or(entry, numbers_in(slots, number));
        of_nodes[i] = numbers_in(nodes, number);
        tops = hn::Add(tops, hn::Add(hn::ShiftRight<31>(key), hn::Set(d, 1)));  // 1 for keys not negative
      }
      transpose_blocks(d, of_keys), transpose_blocks(d, of_nodes);
      for (u32 column = 0; column < 4; ++column) {
        i32 *to_keys[block_rays], *to_nodes[block_rays];
        for (u32 r = 0; r < block_rays; ++r) {
          const u32 at = ChildStacks::bottom(4 * r + column) + row;
          to_keys[r] = stacks.keys(at), to_nodes[r] = reinterpret_cast<i32*>(stacks.nodes(at));
        }
        store_blocks(d, of_keys[column], to_keys), store_blocks(d, of_nodes[column], to_nodes);
      }
    }
    hn::Store(hn::BitCast(RayIds(), tops), RayIds(), stacks.tops.values);
  }

 private:
  HWY_INLINE static VecOf<RayKeys> numbers_in(const u32 (&table)[size], VecOf<RayKeys> i) {
    const RayKeys d;
    const i32* values = reinterpret_cast<const i32*>(table);
    if constexpr (size == 2 * ray_lanes) {
      const auto half = hn::Set(d, i32(ray_lanes));
      const auto low = hn::IndicesFromVec(d, hn::AndNot(half, i));
      const auto upper = hn::TableLookupLanes(hn::Load(d, values + ray_lanes), low);
      return hn::IfThenElse(hn::Lt(i, half), hn::TableLookupLanes(hn::Load(d, values), low), upper);
    } else {
      return hn::GatherIndex(d, values, i);
    }
  }
};

template <class Tree, class Triangles>
class SharedDescent {
  using Node = Children<Tree>;
  static constexpr u32 width = Node::width;

 public:
  HWY_INLINE SharedDescent(const Tree& tree, const Triangles& triangles, const RayGroup& group)
      : tree_(tree), triangles_(triangles), limit_(group.boxes_limit.load()) {
    for (u32 k = 0; k < 3; ++k) {
      scale_[k] = group.scale[k].load();
      near_offset_[k] = group.near_offset[k].load(), far_offset_[k] = group.far_offset[k].load();
    }
  }

  /// Pushes the children that the rays of these bits enter below `root`, an inner node. Their stacks must be empty.
  /// It visits nodes in the order in which it found them. So prefetched memory has time to arrive, and no visit waits
  /// for the branches of the one before.
  HWY_NOINLINE void descend(u32 rays, u32 root, ChildStacks& stacks) {
    Counts counts = visit(root, rays, {0, 0});
    for (u32 i = 0; i < counts.together; ++i) {
      const Together at = together_[i];
      const bool has_room = counts.together - i - 1 + counts.apart + 2 * width <= SeparateChildren::size &&
                            counts.together + width <= max_together;
      if (has_room) {
        counts = visit(at.child, at.rays, counts);
      } else {
        const Rays origin = hn::Zero(RayLanes());
        apart_.put(counts.apart++, at.node, at.slot, at.rays, origin, origin);
      }
    }
    apart_.hand_out(counts.apart, stacks);
  }

 private:
  static constexpr u32 max_together = 64;

  /// An inner child that enough rays visit together, as they start in its box.
  struct Together {
    u32 node, slot, child, rays;
  };
  /// The number of children found: those visited together, including the visited ones, and those for single rays.
  struct Counts {
    u32 together, apart;
  };
  /// The rays that enter a child, those that also start in it, and the times at which they enter and leave.
  struct Entered {
    u32 rays, beginning;
    Rays entry, exit;
  };

  /// Finds which rays enter the children of a node. No ray enters a child that does not exist.
  HWY_INLINE void enter(const float* planes, u32 existing, u32 rays, Entered (&children)[width]) const {
    using Planes = typename Node::Planes;
    const RayLanes d;
    // Copies, so that these stay in registers.
    const Rays limit = limit_, scale[3] = {scale_[0], scale_[1], scale_[2]};
    const Rays near_offset[3] = {near_offset_[0], near_offset_[1], near_offset_[2]};
    const Rays far_offset[3] = {far_offset_[0], far_offset_[1], far_offset_[2]};
    const RayMask backwards[3] = {hn::Lt(scale[0], hn::Zero(d)), hn::Lt(scale[1], hn::Zero(d)),
                                  hn::Lt(scale[2], hn::Zero(d))};
#pragma GCC unroll 8
    for (u32 slot = 0; slot < width; ++slot) {
      Rays near[3], far[3];
#pragma GCC unroll 3
      for (u32 k = 0; k < 3; ++k) {
        const float* plane = planes + Planes::axis_stride * k + Planes::slot_stride * slot;
        const Rays lo = hn::Set(d, plane[0]), hi = hn::Set(d, plane[Planes::side_stride]);
        near[k] = hn::MulAdd(hn::IfThenElse(backwards[k], hi, lo), scale[k], near_offset[k]);
        far[k] = hn::MulAdd(hn::IfThenElse(backwards[k], lo, hi), scale[k], far_offset[k]);
      }
      Entered& child = children[slot];
      child.entry = hn::Max(largest_of(d, near[0], near[1], near[2]), hn::Zero(d));
      child.exit = hn::Min(smallest_of(d, far[0], far[1], far[2]), limit);
      const u32 asked = rays & (0u - (existing >> slot & 1));
      child.rays = asked & bits_of_mask(d, hn::Le(child.entry, child.exit));
      child.beginning = child.rays & bits_of_mask(d, hn::Eq(child.entry, hn::Zero(d)));
    }
  }

  /// Visits a node: lists the children that the rays enter. It has no branch on that, since rays enter about half of
  /// the children and branches would be mispredicted.
  HWY_NOINLINE Counts visit(u32 node, u32 rays, Counts counts) {
    alignas(64) float room[6 * width];
    const Node children(tree_, node);
    const float* planes = children.planes(room).planes;
    Entered entered[width];
    enter(planes, children.existing(), rays, entered);
#pragma GCC unroll 8
    for (u32 slot = 0; slot < width; ++slot) {
      const WideChild child = children.child(slot);
      const u32 beginning = entered[slot].beginning;
      const u32 enough = u32(population_count(beginning) >= min_in_descent) & u32(child.is_inner());
      const u32 together = beginning & (0u - enough), apart = entered[slot].rays & ~together;
      const char* data = place_of(tree_, triangles_, child);
      data = entered[slot].rays != 0 ? data : reinterpret_cast<const char*>(planes);
      prefetch_line(data), prefetch_line(data + 64);
      together_[counts.together] = {node, slot, child.first, together};
      counts.together += enough;
      apart_.put(counts.apart, node, slot, apart, entered[slot].entry, entered[slot].exit);
      counts.apart += apart != 0 ? 1 : 0;
    }
    return counts;
  }

  const Tree tree_;
  const Triangles triangles_;
  Rays limit_, scale_[3], near_offset_[3], far_offset_[3];
  Together together_[max_together];
  SeparateChildren apart_;
};

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
