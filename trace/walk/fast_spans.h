#pragma once

// A ray against all children of a wide node, for fast traversals. It reads only boxes and tags. The remaining data of
// a child is read when the traversal goes there; the cache line is still in the cache then. So a child is pushed as
// its node and its tag alone.
//
// The boxes of compressed nodes are not decoded: multiplied with the ray's scale, the grid's steps become times. The
// ray meets a plane that is q steps from the origin of its axis at
//
//   near_base + q / 2^24 * step        q / 2^24 as core/bits.h makes it of a byte
//
// The base is rounded, by up to 2^-24 of the time from the node's origin on. That is at most 2^-23 of the time
// that the ray takes along the axis through the whole tree. Prepared rays have room for it
// (trace/hit/prepared_ray.h).

#include "builders/geometry/vector_rn.h"
#include "trace/walk/wide_tree.h"

namespace copse::detail {

/// One axis of a grid, in the units of boxes.
struct FastAxis {
  float near_base, far_base, step;

  COPSE_HD FastAxis(u32 origin, u32 exponent_and_more, float ray_origin, float scale, float near_offset,
                    float far_offset) {
    constexpr u32 exponent_mask = 0x7f800000u;
    step = mul_rn(float_from_bits(exponent_and_more << 23 & exponent_mask), scale);
    near_base = plane_time(float_from_bits(origin), ray_origin, scale, near_offset);
    far_base = plane_time(float_from_bits(origin), ray_origin, scale, far_offset);
  }
};

struct FastGrid {
  FastAxis x, y, z;

  /// `origin`: the first quad of a compressed node.
  COPSE_HD FastGrid(const Quad& origin, const RaySlabs& ray)
      : FastGrid(origin, origin.words[3] + times_2_to_24, ray) {}

  /// Fills spans[0] to spans[3] for the four children with their planes in the bytes of six words.
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

 private:
  /// Adds 24 to each exponent. In trees in the common range no exponent is near 255, so the sum does not overflow.
  static constexpr u32 times_2_to_24 = 0x00181818u;

  COPSE_HD FastGrid(const Quad& origin, u32 exponents, const RaySlabs& ray)
      : x(origin.words[0], exponents, ray.origin.x, ray.scale.x, ray.near_offset.x, ray.far_offset.x),
        y(origin.words[1], exponents >> 8, ray.origin.y, ray.scale.y, ray.near_offset.y, ray.far_offset.y),
        z(origin.words[2], exponents >> 16, ray.origin.z, ray.scale.z, ray.near_offset.z, ray.far_offset.z) {}
};

/// A tag is a byte per child by which the child is found again. Tags grow with the slot. Here the tag is the slot
/// itself.
template <class Node>
struct ChildTags {
  static constexpr bool holds_count = false;
  static constexpr u32 end_tag = 0, end_count = ~u32{0};  // of the entry that ends a traversal

  COPSE_HD static constexpr u32 of_four(u32 k) { return k == 0 ? 0x03020100u : 0x07060504u; }
};

/// In nodes of 64 bytes the tag is the slot and the count of the leaf, so that only one word is read again:
///
///   ssnnnnnn
template <>
struct ChildTags<CompressedBvh4Node> {
  static constexpr bool holds_count = true;
  static constexpr u32 end_tag = 255, end_count = 63;
  static_assert(CompressedBvh4Node::max_in_leaf < end_count - 1);  // end_count - 1: a traversal that gave up
  static constexpr u32 slots = 0xc0804000u, slot_shift = 6, count_mask = 63;
  u32 bytes;

  COPSE_HD u32 of_four(u32) const { return bytes; }
};

/// Fills `spans` for the children of a node, and returns their tags. The span of an empty slot is a miss, but may be
/// a hit in compressed nodes of no size.
COPSE_HD inline ChildTags<Bvh4Node> find_spans(const Bvh4Node& node, const RaySlabs& ray, BoxSpan (&spans)[4]) {
  const Bvh4Reader reader(&node, ray);
#pragma unroll
  for (u32 slot = 0; slot < 4; ++slot) spans[slot] = reader.span(ray, slot);
  return {};
}

COPSE_HD inline ChildTags<CompressedBvh4Node> find_spans(const CompressedBvh4Node& node, const RaySlabs& ray,
                                                         BoxSpan (&spans)[4]) {
  const auto* quads = reinterpret_cast<const Quad*>(&node);
  const Quad origin = quads[0], lo = quads[2], hi = quads[3];
  FastGrid(origin, ray)
      .find_spans({ray, lo.words[1], lo.words[2], lo.words[3], hi.words[0], hi.words[1], hi.words[2]}, spans);
  return {lo.words[0] | ChildTags<CompressedBvh4Node>::slots};
}

COPSE_HD inline ChildTags<CompressedBvh8Node> find_spans(const CompressedBvh8Node& node, const RaySlabs& ray,
                                                         BoxSpan (&spans)[8]) {
  const auto* quads = reinterpret_cast<const Quad*>(&node);
  const Quad origin = quads[0], a = quads[2], b = quads[3], c = quads[4];
  const FastGrid grid(origin, ray);
  grid.find_spans({ray, a.words[0], a.words[2], b.words[0], b.words[2], c.words[0], c.words[2]}, spans);
  grid.find_spans({ray, a.words[1], a.words[3], b.words[1], b.words[3], c.words[1], c.words[3]}, spans + 4);
  return {};
}

using Word [[gnu::may_alias]] = u32;

/// The child of a node with this tag. It reads word by word, since members of 16 bytes would be loaded whole.
COPSE_HD inline WideChild tagged_child(const Bvh4Node& node, u32 tag) {
  const auto* words = reinterpret_cast<const Word*>(&node) + tag;
  return {words[24], words[28]};
}
COPSE_HD inline WideChild tagged_child(const CompressedBvh4Node& node, u32 tag) {
  using Tags = ChildTags<CompressedBvh4Node>;
  return {reinterpret_cast<const Word*>(&node)[4 + (tag >> Tags::slot_shift)], tag & Tags::count_mask};
}
COPSE_HD inline WideChild tagged_child(const CompressedBvh8Node& node, u32 tag) {
  return node.child(tag);
}

}  // namespace copse::detail
