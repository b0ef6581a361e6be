#pragma once

// A tree at a time between two keys: the same nodes with two sets of boxes. A traversal interpolates the boxes as it
// reads them. So a box at a time is as tight as the boxes of the keys. A node has the same steps at all keys
// (motion/build/motion_keys.inl), so that plane bytes can be interpolated before they are converted to floats.
//
// Why does a box at a time contain its triangles? At both keys, all corners are on one side of a plane of the box.
// The plane and the corners are interpolated with the same weights, 1 - part and part, which are not negative. So the
// exact plane at this time has the exact corners on the same side. The rest is rounding, in units of u = 2^-24 of the
// largest coordinate M of the axis, at either key:
//   - the corners: 3 u M (moving_triangles.h);
//   - a plane that is computed as a coordinate: 4 u M, for the weight 1 - part, two products and their sum;
//   - a plane that is computed as a time, in units of `scale`: u M at either key, as boxes are checked with rounded
//     sums; 3 u M for the node's origin; 8 u M for steps in floats, on the host, where there are two weights, products
//     and sums of up to 2 M (for steps in integers see MovingAxis); 3 u (M + |origin of the ray|) for the base and the
//     two sums.
// The robust traversal moves planes apart by 16 u M. The fast one does so by 16 u of the reach, which is at least 2 M
// plus the origin's coordinate. Both are added to the padding of the slabs.

#include "motion/walk/host_spans.h"
#include "motion/walk/key_time.h"
#include "trace/walk/wide_walk.h"

namespace copse::detail {

/// Tag type by which the traversals of wide trees find moving trees.
struct MovingNode {
  static constexpr u32 width = CompressedBvh4Node::width;
};

/// A node at both keys. Their links are the same.
struct NodeAtKeys {
  const CompressedBvh4Node* before;
  const CompressedBvh4Node* after;
  float part;

  COPSE_HD WideChild child(u32 slot) const { return before->child(slot); }

  /// The box of a child, moved outwards as above.
  COPSE_HD Aabb child_box(u32 slot) const {
    const Aabb a = before->child_box(slot);
    if (part == 0) return a;
    const Aabb b = after->child_box(slot);
    const vec3 pad(padding(a.lo.x, a.hi.x, b.lo.x, b.hi.x), padding(a.lo.y, a.hi.y, b.lo.y, b.hi.y),
                   padding(a.lo.z, a.hi.z, b.lo.z, b.hi.z));
    return {vec3(sub_rn(weighted(a.lo.x, b.lo.x), pad.x), sub_rn(weighted(a.lo.y, b.lo.y), pad.y),
                 sub_rn(weighted(a.lo.z, b.lo.z), pad.z)),
            vec3(add_rn(weighted(a.hi.x, b.hi.x), pad.x), add_rn(weighted(a.hi.y, b.hi.y), pad.y),
                 add_rn(weighted(a.hi.z, b.hi.z), pad.z))};
  }

 private:
  /// Does not subtract coordinates: a high plane may be infinite.
  COPSE_HD float weighted(float p, float q) const {
    return add_rn(mul_rn(sub_rn(1.0f, part), p), mul_rn(part, q));
  }
  COPSE_HD static float padding(float lo_a, float hi_a, float lo_b, float hi_b) {
    constexpr float share = 1.0f / (1u << 20);
    const float largest =
        max_number(max_number(magnitude(lo_a), magnitude(hi_a)), max_number(magnitude(lo_b), magnitude(hi_b)));
    return multiply_add(largest, share, min_denormals);
  }
};

/// All nodes at both keys.
struct NodesAtKeys {
  const CompressedBvh4Node* before;
  const CompressedBvh4Node* after;
  float part;

  COPSE_HD NodeAtKeys operator[](u32 node) const { return {before + node, after + node, part}; }
};

/// The weights of the bytes of two keys, in units of 2^-14. They are rounded, but their sum is exactly 1.
struct ByteWeights {
  static constexpr u32 one = 1u << 14;

  u32 before, after;

  COPSE_HD explicit ByteWeights(float part) {
    after = u32(multiply_add(part, float(one), 0.5f));
    before = one - after;
  }

  /// Interpolates four planes between both keys. A plane q steps from the origin becomes the float 2^23 + 2^14 q,
  /// made from its bits:
  ///
  ///   0 10010110 0qqqqqqqqffffffffffffff      8 bits of steps, 14 of their fraction
  COPSE_HD void mix(u32 planes, u32 second_planes, float (&mixed)[4]) const {
    constexpr u32 two_to_23 = 0x4b000000u;
    if constexpr (COPSE_DEVICE_CODE == 1) {
      const u32 weights = after << 16 | before;
      const u32 low = pick_bytes(planes, second_planes, 0x5140), high = pick_bytes(planes, second_planes, 0x7362);
      u32 sums[4];
      asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(sums[0]) : "r"(weights), "r"(low), "r"(two_to_23));
      asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(sums[1]) : "r"(weights), "r"(low), "r"(two_to_23));
      asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(sums[2]) : "r"(weights), "r"(high), "r"(two_to_23));
      asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(sums[3]) : "r"(weights), "r"(high), "r"(two_to_23));
#pragma unroll
      for (u32 k = 0; k < 4; ++k) mixed[k] = float_from_bits(sums[k]);
    } else {
      for (u32 k = 0; k < 4; ++k) {
        const u32 sum = before * (planes >> 8 * k & 255u) + after * (second_planes >> 8 * k & 255u);
        mixed[k] = float_from_bits(two_to_23 + sum);
      }
    }
  }
};

/// One axis of a node at both keys, in the units of boxes. The ray meets a plane at base + mixed * unit.
struct MovingAxis {
  float near_base, far_base, unit;

  /// The bases are 2^23 units too low, which are 512 steps, as `mixed` contains 2^23. That rounds them by up to 2^-15
  /// of a step, and rounded weights move a plane by up to 2^-7 of a step. So near and far bases are moved apart by
  /// 2^-6.
  COPSE_HD MovingAxis(u32 origin, u32 second_origin, u32 exponent_and_more, float part, float ray_origin,
                      float scale, float near_offset, float far_offset) {
    constexpr u32 exponent_mask = 0x7f800000u;
    constexpr float more = 512.0f + 1.0f / 64, less = 512.0f - 1.0f / 64;
    const bool backwards = scale < 0;
    const float at =
        fma_rn(part, sub_rn(float_from_bits(second_origin), float_from_bits(origin)), float_from_bits(origin));
    const float step = mul_rn(float_from_bits(exponent_and_more << 23 & exponent_mask), scale);
    near_base = multiply_add(step, backwards ? -less : -more, plane_time(at, ray_origin, scale, near_offset));
    far_base = multiply_add(step, backwards ? -more : -less, plane_time(at, ray_origin, scale, far_offset));
    unit = mul_rn(step, 1.0f / ByteWeights::one);
  }
};

template <>
struct ChildTags<MovingNode> : ChildTags<CompressedBvh4Node> {};

/// The planes of the children of a node, in words of four bytes.
COPSE_HD inline PlaneBytes planes_of_node(const RaySlabs& ray, const Quad& lo, const Quad& hi) {
  return {ray, lo.words[1], lo.words[2], lo.words[3], hi.words[0], hi.words[1], hi.words[2]};
}

/// The spans of the children, by integers of 16 and 8 bits.
COPSE_HD inline void find_mixed_spans(const NodeAtKeys& node, const RaySlabs& ray, const Quad& o, const Quad& p,
                                      const PlaneBytes& a, const PlaneBytes& b, BoxSpan (&spans)[4]) {
  const u32 steps = o.words[3];
  const MovingAxis x(o.words[0], p.words[0], steps, node.part, ray.origin.x, ray.scale.x, ray.near_offset.x,
                     ray.far_offset.x);
  const MovingAxis y(o.words[1], p.words[1], steps >> 8, node.part, ray.origin.y, ray.scale.y, ray.near_offset.y,
                     ray.far_offset.y);
  const MovingAxis z(o.words[2], p.words[2], steps >> 16, node.part, ray.origin.z, ray.scale.z, ray.near_offset.z,
                     ray.far_offset.z);
  const ByteWeights weights(node.part);
  float near_x[4], near_y[4], near_z[4], far_x[4], far_y[4], far_z[4];
  weights.mix(a.near_x, b.near_x, near_x), weights.mix(a.far_x, b.far_x, far_x);
  weights.mix(a.near_y, b.near_y, near_y), weights.mix(a.far_y, b.far_y, far_y);
  weights.mix(a.near_z, b.near_z, near_z), weights.mix(a.far_z, b.far_z, far_z);
#pragma unroll
  for (u32 k = 0; k < 4; ++k) {
    spans[k] = {
        largest_or_zero(multiply_add(near_x[k], x.unit, x.near_base), multiply_add(near_y[k], y.unit, y.near_base),
                        multiply_add(near_z[k], z.unit, z.near_base)),
        smallest_or_negative(multiply_add(far_x[k], x.unit, x.far_base),
                             multiply_add(far_y[k], y.unit, y.far_base),
                             multiply_add(far_z[k], z.unit, z.far_base))};
  }
}

/// The same on the host, with planes and times in floats.
inline void find_host_spans(const NodeAtKeys& node, const RaySlabs& ray, const PlaneBytes& a, const PlaneBytes& b,
                            BoxSpan (&spans)[4]) {
  const vec3 &o = node.before->origin, &p = node.after->origin;
  const u8(&steps)[3] = node.before->exponents;
  const HostMovingAxis x(o.x, p.x, steps[0], node.part, ray.origin.x, ray.scale.x, ray.near_offset.x,
                         ray.far_offset.x);
  const HostMovingAxis y(o.y, p.y, steps[1], node.part, ray.origin.y, ray.scale.y, ray.near_offset.y,
                         ray.far_offset.y);
  const HostMovingAxis z(o.z, p.z, steps[2], node.part, ray.origin.z, ray.scale.z, ray.near_offset.z,
                         ray.far_offset.z);
  const FourFloats entry =
      largest_of(largest_of(x.near_times(a.near_x, b.near_x), y.near_times(a.near_y, b.near_y)),
                 largest_of(z.near_times(a.near_z, b.near_z), FourFloats{}));
  const FourFloats exit = smallest_of(smallest_of(x.far_times(a.far_x, b.far_x), y.far_times(a.far_y, b.far_y)),
                                      z.far_times(a.far_z, b.far_z));
  for (int k = 0; k < 4; ++k) spans[k] = {entry[k], exit[k]};
}

COPSE_HD inline ChildTags<MovingNode> find_spans(const NodeAtKeys& node, const RaySlabs& ray,
                                                 BoxSpan (&spans)[4]) {
  const auto* quads = reinterpret_cast<const Quad*>(node.before);
  const auto* second_quads = reinterpret_cast<const Quad*>(node.after);
  const Quad lo = quads[2], hi = quads[3], second_lo = second_quads[2], second_hi = second_quads[3];
  const PlaneBytes a = planes_of_node(ray, lo, hi), b = planes_of_node(ray, second_lo, second_hi);
  if constexpr (COPSE_DEVICE_CODE == 1) {
    find_mixed_spans(node, ray, quads[0], second_quads[0], a, b, spans);
  } else {
    find_host_spans(node, ray, a, b, spans);
  }
  return {{lo.words[0] | ChildTags<CompressedBvh4Node>::slots}};
}

COPSE_HD inline WideChild tagged_child(const NodeAtKeys& node, u32 tag) {
  return tagged_child(*node.before, tag);
}

/// The tree with the interface that the traversals of wide trees use.
template <>
struct WideTree<MovingNode> {
  static constexpr u32 width = MovingNode::width;

  NodesAtKeys nodes;
  const u32* parents;
  const Aabb* box;  // of all keys; null for a time that is NaN

  COPSE_HD Aabb bounds() const { return box == nullptr ? Aabb::empty() : *box; }
  COPSE_HD WideChild root() const { return {0, 0}; }

  COPSE_HD static u64 order(const BoxSpan& span, u32 slot) { return (entry_key(span) & ~(width - 1)) | slot; }

  /// Returns the child of a node to visit first, and pushes the others. Returns nothing if the ray misses all.
  template <class Stack>
  [[gnu::always_inline]] COPSE_HD WideChild descend(const RaySlabs& slabs, float limit, u32 node,
                                                    Stack& stack) const {
    u32 keys[width];
#pragma unroll
    for (u32 slot = 0; slot < width; ++slot) {
      const BoxSpan entered = span(slabs, node, slot);
      const bool is_entered = is_within(entered, limit) && !child(node, slot).is_nothing();
      keys[slot] = is_entered ? u32(order(entered, slot)) : no_key;
    }
    sort_keys(keys);
#pragma unroll
    for (u32 k = width - 1; k > 0; --k) {
      if (keys[k] == no_key) continue;
      const WideChild behind = child(node, keys[k] & (width - 1));
      stack.push(behind.first, behind.count, keys[k]);
    }
    return keys[0] == no_key ? WideChild::nothing() : child(node, keys[0] & (width - 1));
  }

  COPSE_HD WideChild child(u32 node, u32 slot) const {
    return nodes[node].child(slot);
  }
  COPSE_HD BoxSpan span(const RaySlabs& slabs, u32 node, u32 slot) const {
    const Aabb around = nodes[node].child_box(slot);
    return intersect_box(slabs, around.lo, around.hi);
  }

  /// Goes from a node to its parent, and to its slot there. False at the root.
  COPSE_HD bool to_parent(u32& node, u32& slot) const {
    if (node == 0) return false;
    const u32 parent = parents[node];
    for (slot = 0; slot < width - 1; ++slot) {
      const WideChild other = child(parent, slot);
      if (other.is_inner() && other.first == node) break;
    }
    node = parent;
    return true;
  }
};

using MovingTree = WideTree<MovingNode>;

/// prepare_ray, with padding for the rounding of boxes between keys. The box of the tree already contains this
/// padding.
COPSE_HD inline PreparedRay prepare_moving_ray(const Ray& ray, const TreeReach& tree) {
  constexpr float share = 1.0f / (1u << 20);
  PreparedRay prepared = prepare_ray(ray, tree);
  const float grain = mul_rn(multiply_add(tree.farthest, 2.0f, TreeReach::largest_magnitude(ray.origin)), share);
  RaySlabs& slabs = prepared.slabs;
  const vec3 pad(mul_rn(magnitude(slabs.scale.x), grain), mul_rn(magnitude(slabs.scale.y), grain),
                 mul_rn(magnitude(slabs.scale.z), grain));
  slabs.near_offset = sub_rn(slabs.near_offset, pad);
  slabs.far_offset = add_rn(slabs.far_offset, pad);
  return prepared;
}

}  // namespace copse::detail
