// The traversal of a packet. Neighbouring rays go through the tree together, one per lane, and read every node once
// for all of them. When few rays of the packet remain, they go on one by one.
//
// Source: Benthin, Wald, Woop, Ernst, Mark, "Combining Single and Packet-Ray Tracing for Arbitrary Ray
// Distributions on the Intel MIC Architecture", TVCG 2012. Here the rays of a packet have the same signs and the
// same axis of their shear, so that planes and coordinates are chosen once for all.

#if defined(COPSE_TRACE_CPU_SIMD_PACKET) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_PACKET
#undef COPSE_TRACE_CPU_SIMD_PACKET
#else
#define COPSE_TRACE_CPU_SIMD_PACKET
#endif

#include "trace/batch/cpu/simd_walk.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// Converts a place among the tree's primitive ids to the number by which the triangle is fetched.
template <class Triangles>
struct PlaceToTriangle {
  const u32* primitive_ids;
  HWY_INLINE u32 operator()(u32 place) const {
    if constexpr (Triangles::takes_places) {
      return place;
    } else {
      return primitive_ids[place];
    }
  }
};

/// At most this many remaining rays go on one by one.
inline constexpr u32 min_in_packet = ray_lanes >= 16 ? 3 : ray_lanes >= 8 ? 2 : 1;

/// A child on the stack, and where the rays enter it.
struct PacketEntry {
  PerRay entry;
  u32 first, count;
  u32 rays;   // bits of the rays that enter it
  float key;  // where the first of them enters it
};

/// The slabs of a packet's rays.
struct PacketSlabs {
  Rays scale[3], near_offset[3], far_offset[3];
  u32 near_side[3];

  HWY_INLINE PacketSlabs(const RayGroup& group, u32 kind) {
    for (u32 k = 0; k < 3; ++k) {
      scale[k] = group.scale[k].load();
      near_offset[k] = group.near_offset[k].load();
      far_offset[k] = group.far_offset[k].load();
      near_side[k] = octant_of(kind) >> k & 1;
    }
  }
};

template <Goal goal, class Tree, class Triangles>
class PacketWalk {
  using Node = Children<Tree>;

 public:
  static constexpr u32 stack_size = 96;

  HWY_INLINE PacketWalk(const Tree& tree, const Triangles& triangles, RayGroup& group, u32 kind)
      : tree_(tree), triangles_(triangles), group_(group), axes_(axis_of(kind)), slabs_(group, kind) {}

  /// Traverses the tree for the rays of these bits. Returns bits of those for which the tree is too deep.
  HWY_INLINE u32 walk(u32 rays) {
    WideChild at = tree_.root();
    too_deep_ = 0;
    for (;;) {
      if (population_count(rays) <= min_in_packet) {
        walk_alone(rays, at);
      } else if (at.is_leaf()) {
        test_leaf(rays, at);
      } else {
        push_children(rays, at.first);
      }
      if (!pop(at, rays)) return too_deep_;
    }
  }

 private:
  HWY_INLINE void walk_alone(u32 rays, WideChild at) {
    RayWalks<goal, Tree, Triangles> walks(tree_, triangles_, group_);
    walks.begin(rays, at);
    walks.walk(0);
    too_deep_ |= walks.too_deep();
  }

  HWY_INLINE void test_leaf(u32 rays, WideChild leaf) {
    const PlaceToTriangle<Triangles> ids{tree_.primitive_ids};
    for (u32 i = 0; i < leaf.count; ++i) test_triangle<goal>(triangles_, ids(leaf.first + i), axes_, group_, rays);
    group_.boxes_limit.store(boxes_limit(group_.limit.load(), group_.start.load(), group_.time_scale.load()));
  }

  /// Pushes the children that rays enter, the nearest last. If there is no room, the rays go on one by one.
  HWY_INLINE void push_children(u32 rays, u32 node) {
    const RayLanes d;
    using Planes = typename Node::Planes;
    if (top_ + Node::width > stack_size) {
      walk_alone(rays, {node, 0});
      return;
    }
    alignas(64) float room[6 * Node::width];
    const Node children(tree_, node);
    const float* planes = children.planes(room).planes;
    const float *near[3], *far[3];
    for (u32 k = 0; k < 3; ++k) {
      near[k] = planes + Planes::axis_stride * k + Planes::side_stride * slabs_.near_side[k];
      far[k] = planes + Planes::axis_stride * k + Planes::side_stride * (1 - slabs_.near_side[k]);
    }
    const Rays limit = group_.boxes_limit.load();
    const u32 bottom = top_;
    for (u32 existing = children.existing(); existing != 0; existing &= existing - 1) {
      const u32 slot = lowest_bit(existing), at = slot * Planes::slot_stride;
      Rays entry = hn::Zero(d), exit = hn::Set(d, infinity);
      for (u32 k = 0; k < 3; ++k) {
        entry = hn::Max(entry, hn::MulAdd(hn::Set(d, near[k][at]), slabs_.scale[k], slabs_.near_offset[k]));
        exit = hn::Min(exit, hn::MulAdd(hn::Set(d, far[k][at]), slabs_.scale[k], slabs_.far_offset[k]));
      }
      const u32 entered = rays & bits_of_mask(d, hn::Le(entry, hn::Min(exit, limit)));
      if (entered == 0) continue;
      const WideChild child = children.child(slot);
      prefetch(tree_, triangles_, child);
      push(child, entered, entry, bottom);
    }
  }

  HWY_INLINE void push(const WideChild& child, u32 rays, Rays entry, u32 bottom) {
    PacketEntry& last = stack_[top_++];
    last.entry.store(entry);
    last.first = child.first, last.count = child.count, last.rays = rays;
    last.key = last.entry[lowest_bit(rays)];
    u32 at = top_ - 1;
    if (at == bottom || !(stack_[at - 1].key < last.key)) return;
    const PacketEntry moved = last;
    for (; at > bottom && stack_[at - 1].key < moved.key; --at) stack_[at] = stack_[at - 1];
    stack_[at] = moved;
  }

  /// Takes the latest child that any of its rays enters within the limit.
  HWY_INLINE bool pop(WideChild& at, u32& rays) {
    const RayLanes d;
    while (top_ > 0) {
      const PacketEntry& entry = stack_[--top_];
      rays = entry.rays & bits_of_mask(d, hn::Le(entry.entry.load(), group_.boxes_limit.load()));
      if constexpr (goal == Goal::any) rays &= ~hit();
      at = {entry.first, entry.count};
      if (rays != 0) return true;
    }
    return false;
  }

  HWY_INLINE u32 hit() const {
    const hn::Repartition<u32, RayLanes> du;
    const auto closest = hn::Load(du, group_.closest.values);
    return bits_of_mask(du, hn::Ne(closest, hn::Set(du, invalid_id)));
  }

  const Tree& tree_;
  const Triangles& triangles_;
  RayGroup& group_;
  const Axes axes_;
  const PacketSlabs slabs_;
  PacketEntry stack_[stack_size];
  u32 top_ = 0;
  u32 too_deep_ = 0;
};

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
