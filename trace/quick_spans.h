#pragma once

// A ray against all children of a wide node, as quick walks need it: boxes alone, not what stands in them, which
// is read again for the one child that the walk goes to. The line is in the cache then, and pushing a child is no
// more than naming its node and slot.
//
// Boxes in steps of a grid are never made: their steps are multiplied with the ray's scale and so become times. A
// plane q steps from the origin of its axis is met at
//
//   near_base + q / 2^24 * step        q / 2^24 as core/bits.h makes it of a byte
//
// which is rounded where the base is, by up to 2^-24 of the time from the node's origin on. That is no more than
// 2^-23 of the time that the ray takes along the axis through the whole tree; rays are made ready with room for it
// (trace/ready_ray.h).

#include "trace/vector_rn.h"
#include "trace/wide_tree.h"

namespace copse::detail {

/// One axis of a grid, in the units of boxes.
struct QuickAxis {
  float near_base, far_base, step;

  COPSE_HD QuickAxis(u32 origin, u32 exponent_and_more, float ray_origin, float scale, float near_offset,
                     float far_offset) {
    constexpr u32 exponent_mask = 0x7f800000u;
    constexpr float two_to_24 = 1u << 24;
    step = mul_rn(float_from_bits(exponent_and_more << 23 & exponent_mask), mul_rn(scale, two_to_24));
    near_base = plane_time(float_from_bits(origin), ray_origin, scale, near_offset);
    far_base = plane_time(float_from_bits(origin), ray_origin, scale, far_offset);
  }
};

struct QuickGrid {
  QuickAxis x, y, z;

  /// `origin`: the quad that a compressed node begins with.
  COPSE_HD QuickGrid(const Quad& origin, const RaySlabs& ray)
      : x(origin.words[0], origin.words[3], ray.origin.x, ray.scale.x, ray.near_offset.x, ray.far_offset.x),
        y(origin.words[1], origin.words[3] >> 8, ray.origin.y, ray.scale.y, ray.near_offset.y, ray.far_offset.y),
        z(origin.words[2], origin.words[3] >> 16, ray.origin.z, ray.scale.z, ray.near_offset.z, ray.far_offset.z) {
  }

  /// The spans of the four children whose planes are the bytes of six words, into spans[0] on.
  COPSE_HD void find_spans(const PlaneBytes& planes, BoxSpan* spans) const {
    const FourBytes near_x(planes.near_x), near_y(planes.near_y), near_z(planes.near_z);
    const FourBytes far_x(planes.far_x), far_y(planes.far_y), far_z(planes.far_z);
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      spans[k] = {largest_or_zero(multiply_add(near_x.of[k], x.step, x.near_base),
                                  multiply_add(near_y.of[k], y.step, y.near_base),
                                  multiply_add(near_z.of[k], z.step, z.near_base)),
                  smallest_or_negative(multiply_add(far_x.of[k], x.step, x.far_base),
                                       multiply_add(far_y.of[k], y.step, y.far_base),
                                       multiply_add(far_z.of[k], z.step, z.far_base))};
    }
  }
};

/// Fills `spans` for the children of a node. Where a slot holds nothing the span says that it is missed, or, in
/// compressed nodes of no size, that it is met.
COPSE_HD inline void find_spans(const Bvh4Node& node, const RaySlabs& ray, BoxSpan (&spans)[4]) {
  const Bvh4Reader reader(&node, ray);
#pragma unroll
  for (u32 slot = 0; slot < 4; ++slot) spans[slot] = reader.span(ray, slot);
}

COPSE_HD inline void find_spans(const CompressedBvh4Node& node, const RaySlabs& ray, BoxSpan (&spans)[4]) {
  const auto* quads = reinterpret_cast<const Quad*>(&node);
  const Quad origin = quads[0], lo = quads[2], hi = quads[3];
  QuickGrid(origin, ray)
      .find_spans({ray, lo.words[1], lo.words[2], lo.words[3], hi.words[0], hi.words[1], hi.words[2]}, spans);
}

COPSE_HD inline void find_spans(const CompressedBvh8Node& node, const RaySlabs& ray, BoxSpan (&spans)[8]) {
  const auto* quads = reinterpret_cast<const Quad*>(&node);
  const Quad origin = quads[0], a = quads[2], b = quads[3], c = quads[4];
  const QuickGrid grid(origin, ray);
  grid.find_spans({ray, a.words[0], a.words[2], b.words[0], b.words[2], c.words[0], c.words[2]}, spans);
  grid.find_spans({ray, a.words[1], a.words[3], b.words[1], b.words[3], c.words[1], c.words[3]}, spans + 4);
}

using Word [[gnu::may_alias]] = u32;

/// What stands in a slot of a node. Read word by word, since members of 16 bytes would be loaded whole.
COPSE_HD inline WideChild child_in_slot(const Bvh4Node& node, u32 slot) {
  const auto* words = reinterpret_cast<const Word*>(&node) + slot;
  return {words[24], words[28]};
}
COPSE_HD inline WideChild child_in_slot(const CompressedBvh4Node& node, u32 slot) {
  const auto* words = reinterpret_cast<const Word*>(&node) + slot;
  const auto* bytes = reinterpret_cast<const u8*>(&node) + slot;
  return {words[4], bytes[32]};
}
COPSE_HD inline WideChild child_in_slot(const CompressedBvh8Node& node, u32 slot) {
  return node.child(slot);
}

}  // namespace copse::detail
