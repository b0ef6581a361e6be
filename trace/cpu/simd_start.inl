// The first steps of rays that go apart. Neighbours begin near each other, in the same boxes: every node whose box
// holds their origins is visited by all of them, whatever their directions. So they go down to where they begin
// together, a lane each, and only then each its own way. Where the closest hits are asked for no visit is in vain,
// as no hit is nearer than a box in which the ray begins.

#if defined(COPSE_TRACE_CPU_SIMD_START) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_START
#undef COPSE_TRACE_CPU_SIMD_START
#else
#define COPSE_TRACE_CPU_SIMD_START
#endif

#include "trace/cpu/simd_children.inl"
#include "trace/cpu/simd_waiting.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// So many rays go on together; fewer go on alone.
inline constexpr u32 fewest_at_start = ray_lanes > 8 ? ray_lanes / 4 : 2;

/// Children that rays enter from outside, or in which too few begin: each ray comes to them on its own.
struct StartChildren {
  static constexpr u32 size = 32;

  u32 nodes[size], slots[size];
  PerRay entries[size];
  VecOf<RayIds> of_ray;  // for each ray, bits of those that it enters

  HWY_INLINE void put(u32 i, u32 node, u32 slot, u32 rays, Rays entry) {
    const RayIds d;
    nodes[i] = node, slots[i] = slot;
    entries[i].store(entry);
    const auto entered = hn::RebindMask(d, mask_of_bits(RayLanes(), rays));
    of_ray = hn::Or(of_ray, hn::IfThenElseZero(entered, hn::Set(d, 1u << i)));
  }

  /// Puts them among what waits for each ray, the nearest last.
  template <u32 width>
  HWY_INLINE void hand_out(WaitingChildren& waiting) const {
    IdPerRay bits;
    hn::Store(of_ray, RayIds(), bits.values);
    for (u32 lane = 0; lane < ray_lanes; ++lane) {
      for (u32 left = bits[lane]; left != 0; left &= left - 1) {
        const u32 i = u32(__builtin_ctz(left));
        waiting.insert(lane, i32((bits_of(entries[i][lane]) & ~(width - 1)) | slots[i]), nodes[i]);
      }
    }
  }
};

template <class Tree, class Triangles>
class StartTogether {
  using Node = Children<Tree>;

 public:
  HWY_INLINE StartTogether(const Tree& tree, const Triangles& triangles, const RayGroup& group)
      : tree_(tree), triangles_(triangles), limit_(group.boxes_limit.load()) {
    for (u32 k = 0; k < 3; ++k) {
      scale_[k] = group.scale[k].load();
      near_offset_[k] = group.near_offset[k].load(), far_offset_[k] = group.far_offset[k].load();
    }
    apart_.of_ray = hn::Zero(RayIds());
  }

  /// Puts what the rays whose bits are set enter below `root`, an inner node, among what waits for them, of which
  /// there is nothing yet.
  HWY_NOINLINE void descend(u32 rays, u32 root, WaitingChildren& waiting) {
    Counts counts{0, 0};
    visit(root, rays, counts);
    while (counts.together > 0) {
      const Together at = together_[--counts.together];
      if (counts.together + counts.apart + 2 * Node::width <= StartChildren::size) {
        visit(Node(tree_, at.node).child(at.slot).first, at.rays, counts);
      } else {
        apart_.put(counts.apart++, at.node, at.slot, at.rays, hn::Zero(RayLanes()));
      }
    }
    apart_.template hand_out<Node::width>(waiting);
  }

 private:
  /// An inner child in whose box rays begin.
  struct Together {
    u32 node, slot, rays;
  };
  /// How many wait: for rays together, and for each apart. As many places as in StartChildren serve both.
  struct Counts {
    u32 together, apart;
  };

  HWY_INLINE void visit(u32 node, u32 rays, Counts& counts) {
    using Planes = typename Node::Planes;
    const RayLanes d;
    alignas(64) float room[6 * Node::width];
    const Node children(tree_, node);
    const float* planes = children.planes(room).planes;
    for (u32 existing = children.existing(); existing != 0; existing &= existing - 1) {
      const u32 slot = u32(__builtin_ctz(existing));
      Rays entry = hn::Zero(d), exit = limit_;
      for (u32 k = 0; k < 3; ++k) {
        const float* plane = planes + Planes::axis_stride * k + Planes::slot_stride * slot;
        const Rays lo = hn::Set(d, plane[0]), hi = hn::Set(d, plane[Planes::side_stride]);
        const RayMask backwards = hn::Lt(scale_[k], hn::Zero(d));
        entry = hn::Max(entry, hn::MulAdd(hn::IfThenElse(backwards, hi, lo), scale_[k], near_offset_[k]));
        exit = hn::Min(exit, hn::MulAdd(hn::IfThenElse(backwards, lo, hi), scale_[k], far_offset_[k]));
      }
      const u32 entered = rays & bits_of_mask(d, hn::Le(entry, exit));
      if (entered == 0) continue;
      const WideChild child = children.child(slot);
      prefetch(tree_, triangles_, child);
      u32 begin = entered & bits_of_mask(d, hn::Eq(entry, hn::Zero(d)));
      if (!child.is_inner() || u32(__builtin_popcount(begin)) < fewest_at_start) begin = 0;
      together_[counts.together] = {node, slot, begin};
      counts.together += begin != 0 ? 1 : 0;
      apart_.put(counts.apart, node, slot, entered & ~begin, entry);
      counts.apart += entered != begin ? 1 : 0;
    }
  }

  const Tree tree_;
  const Triangles triangles_;
  Rays limit_, scale_[3], near_offset_[3], far_offset_[3];
  Together together_[StartChildren::size];
  StartChildren apart_;
};

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
