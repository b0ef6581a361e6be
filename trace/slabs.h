#pragma once

// Ray against axis-aligned box, cheap enough for every node and yet conservative: no box is missed around a
// triangle that intersect_triangle hits.
//
// A ray is made ready once for all boxes of a tree (make_slabs). Then a plane costs one multiply-add, and a box
// six of them, a maximum, a minimum and a product:
//
//   entry = max(near_x, near_y, near_z, 0)       near = plane * scale + near_offset
//   exit  = min(far_x, far_y, far_z) * growth    far  = plane * scale + far_offset
//
// Times of boxes are counted from the ray's t_min, in units in which the direction's largest component is 1 to 2
// (in trees of more than 2^60, 2^60 times as little). So they are never negative where it matters, and what
// rounding may move is folded into growth and offsets:
//   - exits grow by a factor of 1 + 2^-19, for 3 roundings a plane, 2^-24 each, and for that of the scale;
//   - the offsets by 2^-22 of |origin * scale|, for its rounding: that is the grain of the origin's coordinates;
//   - by 2^-19 of |t_min|, as those errors are in proportion to t and not to t - t_min;
//   - and by 2^-20 of the time to the farthest corner of the tree: the triangle test shears its vertices, with 3
//     roundings each, and a vertex may be far behind the hit that lies on its edge.
// Along an axis in which the ray hardly moves within the tree, or not at all, the scale is finite and the offsets
// are farther apart than any time within the tree: a box counts as soon as the origin lies between its planes,
// give or take 2^-59 of the tree's coordinates. So nothing is NaN, and no case is a special one in the loop.
//
// Source: Ize, "Robust BVH Ray Traversal", JCGT 2013, pads the far end by 2 ulp of the product with the inverse.
// Here the near end is padded too, since boxes are compared with the t of hits as well. Woop, Benthin, Wald,
// "Watertight Ray/Triangle Intersection", JCGT 2013, pad by the farthest of a box's planes for the same reason.

#include "builders/geometry/aabb.h"
#include "trace/ray.h"

namespace copse {

/// A ray made ready for the boxes of one tree.
struct RaySlabs {
  vec3 scale;
  vec3 near_offset, far_offset;
  vec3 origin;       // for the host
  float start;       // t_min in the units of boxes
  float time_scale;  // units of boxes in a unit of t, a power of two

  /// False where the interval has no part in the tree: t_min is infinite.
  bool is_bounded;
};

/// Where a ray is inside a box, in the units of boxes, rounded outwards. Missed unless entry <= exit.
struct BoxSpan {
  float entry;
  float exit;
};

namespace detail {

/// Host code multiplies the difference: std::fma is a call where the compiler may not use the instruction.
inline constexpr bool fuses_slabs = COPSE_DEVICE_CODE == 1;

/// a * b + c, rounded once or twice.
COPSE_HD inline float multiply_add(float a, float b, float c) {
  if constexpr (fuses_slabs) {
    return fmaf(a, b, c);
  } else {
    return add_rn(mul_rn(a, b), c);
  }
}

COPSE_HD inline float plane_time(float plane, float origin, float scale, float offset) {
  return multiply_add(fuses_slabs ? plane : sub_rn(plane, origin), scale, offset);
}

/// What all axes of a ray share.
struct SlabSetup {
  float time_scale;
  float units;  // one over it
  float start;
  float reach;         // no time within the tree is farther from 0, nor from start
  float padding;       // of what the triangle test rounds at the farthest vertices
  float most_product;  // of a scale and the extent of its axis
};

inline constexpr float two_to_60 = 1152921504606846976.0f;
inline constexpr float slab_growth = 1.0f + 1.0f / (1u << 19);

/// A t that rounds to one of the least numbers, or to zero, may be off by so much: 2^-147.
inline constexpr float least_denormals = 1.0f / (1u << 30) / (1u << 30) / (1u << 30) / (1u << 30) / (1u << 27);

inline constexpr float most_extent = 3e38f;

/// How far coordinates of the tree are from zero and from the origin at most. Planes may be infinite.
COPSE_HD inline float extent_of_axis(float lo, float hi, float origin) {
  const float farthest = max_number(magnitude(lo), magnitude(hi));
  return min_number(most_extent, add_rn(min_number(most_extent, farthest), magnitude(origin)));
}

/// The scale of an axis in which the ray hardly moves. Out of line: it divides, and few rays need it.
[[gnu::noinline]] COPSE_HD inline float scale_of_still_axis(float most_product, float extent) {
  constexpr float least_extent = 1e-37f, most_scale = two_to_60 * 1099511627776.0f;
  // Differences that may be no floats decide nothing: on the host they give NaN, which is not heeded.
  if (extent >= most_extent) return fuses_slabs ? 1 / two_to_60 / two_to_60 : 0.0f;
  return min_number(most_scale, div_rn(most_product, max_number(least_extent, extent)));
}

/// One axis of the slabs.
struct SlabAxis {
  float scale, near_offset, far_offset;

  COPSE_HD SlabAxis(const SlabSetup& setup, float origin, float direction, float extent) {
    constexpr float origin_padding = 1.0f / (1u << 22), start_padding = 1.0f / (1u << 19);
    constexpr float least_padding = 1.0f / two_to_60 / two_to_60 / (1u << 6);  // for denormals
    scale = about_one_over(mul_rn(direction, setup.units));
    const bool moves = mul_rn(magnitude(scale), extent) <= setup.most_product && extent < most_extent;
    float padding = add_rn(mul_rn(magnitude(setup.start), start_padding), least_padding);
    padding = add_rn(padding, add_rn(setup.padding, mul_rn(setup.time_scale, least_denormals)));
    if (!moves) {
      scale = scale_of_still_axis(setup.most_product, extent);
      if (direction < 0) scale = -scale;
      padding = add_rn(padding, mul_rn(setup.reach, 2.0f));
    }
    const float at_origin = mul_rn(origin, scale);
    padding = add_rn(padding, mul_rn(magnitude(at_origin), origin_padding));
    near_offset = sub_rn(-setup.start, padding);
    far_offset = add_rn(-setup.start, padding);
    if constexpr (fuses_slabs) {
      near_offset = sub_rn(near_offset, at_origin);
      far_offset = sub_rn(far_offset, at_origin);
    }
  }
};

/// `farthest`: the extent of the axis along which the ray moves most.
COPSE_HD inline SlabSetup set_up_slabs(const Ray& ray, float farthest) {
  constexpr u32 least_exponent = 0x00800000u, most_exponent = 0x7e800000u, one_squared = 0x7f000000u;
  constexpr float vertex_padding = 1.0f / (1u << 20), most_padding = 1e30f;
  constexpr float least_start = -3e38f, most_normal = two_to_60 * 1125899906842624.0f;
  const vec3& d = ray.direction;
  const float largest = max_number(magnitude(d.x), max_number(magnitude(d.y), magnitude(d.z))), extent = farthest;
  // The power of two below the largest component, of those whose inverse is normal too.
  const u32 exponent = smaller(larger(bits_of(largest) & 0x7f800000u, least_exponent), most_exponent);
  SlabSetup setup;
  setup.time_scale = float_from_bits(exponent);
  setup.units = float_from_bits(one_squared - exponent);
  // Denormal directions are 2^-23 of that at least.
  farthest = mul_rn(farthest, exponent == least_exponent ? 8388608.0f : 1.01f);
  // Planes in steps of a grid are met at times of up to 2^15 times as much on the way: that must be a float.
  if (farthest > two_to_60 && setup.time_scale > 1 / two_to_60) {
    setup.time_scale = mul_rn(setup.time_scale, 1 / two_to_60);
    setup.units = mul_rn(setup.units, two_to_60);
    farthest = mul_rn(farthest, 1 / two_to_60);
  }
  setup.start = max_number(mul_rn(ray.t_min, setup.time_scale), max_number(least_start, mul_rn(farthest, -2.0f)));
  setup.reach = mul_rn(farthest, 4.0f);
  setup.most_product = min_number(most_normal, mul_rn(setup.reach, two_to_60));
  const float far_time = mul_rn(extent, about_one_over(mul_rn(largest, setup.units)));
  setup.padding = min_number(most_padding, mul_rn(far_time, vertex_padding));
  return setup;
}

}  // namespace detail

/// Makes a traceable ray ready for boxes within `bounds`, which must not be empty. Boxes may reach out by as much
/// again as the bounds are away from zero.
COPSE_HD inline RaySlabs make_slabs(const Ray& ray, const Aabb& bounds) {
  const vec3 extent(detail::extent_of_axis(bounds.lo.x, bounds.hi.x, ray.origin.x),
                    detail::extent_of_axis(bounds.lo.y, bounds.hi.y, ray.origin.y),
                    detail::extent_of_axis(bounds.lo.z, bounds.hi.z, ray.origin.z));
  const float dx = magnitude(ray.direction.x), dy = magnitude(ray.direction.y), dz = magnitude(ray.direction.z);
  const bool mostly_x = dx >= dy && dx >= dz;
  const detail::SlabSetup setup = detail::set_up_slabs(ray, mostly_x ? extent.x : dy >= dz ? extent.y : extent.z);
  const detail::SlabAxis x(setup, ray.origin.x, ray.direction.x, extent.x);
  const detail::SlabAxis y(setup, ray.origin.y, ray.direction.y, extent.y);
  const detail::SlabAxis z(setup, ray.origin.z, ray.direction.z, extent.z);
  return {vec3(x.scale, y.scale, z.scale),
          vec3(x.near_offset, y.near_offset, z.near_offset),
          vec3(x.far_offset, y.far_offset, z.far_offset),
          ray.origin,
          setup.start,
          setup.time_scale,
          setup.start < infinity};
}

/// A limit in units of t as one that boxes are compared with, rounded up.
COPSE_HD inline float box_limit(const RaySlabs& ray, float limit) {
  constexpr float least_padding = 1.0f / (1u << 30) / (1u << 30) / (1u << 30) / (1u << 20);
  const float time = mul_rn(add_rn(limit, detail::least_denormals), ray.time_scale);
  const float padding = mul_rn(add_rn(magnitude(time), magnitude(ray.start)), 1.0f / (1u << 19));
  return add_rn(sub_rn(time, ray.start), is_finite(padding) ? max_number(padding, least_padding) : 0.0f);
}

/// The span between the planes at which a ray enters and leaves.
COPSE_HD inline BoxSpan intersect_planes(const RaySlabs& ray, const vec3& near, const vec3& far) {
  const float near_x = detail::plane_time(near.x, ray.origin.x, ray.scale.x, ray.near_offset.x);
  const float near_y = detail::plane_time(near.y, ray.origin.y, ray.scale.y, ray.near_offset.y);
  const float near_z = detail::plane_time(near.z, ray.origin.z, ray.scale.z, ray.near_offset.z);
  const float far_x = detail::plane_time(far.x, ray.origin.x, ray.scale.x, ray.far_offset.x);
  const float far_y = detail::plane_time(far.y, ray.origin.y, ray.scale.y, ray.far_offset.y);
  const float far_z = detail::plane_time(far.z, ray.origin.z, ray.scale.z, ray.far_offset.z);
  return {largest_or_zero(near_x, near_y, near_z),
          mul_rn(smallest_or_negative(far_x, far_y, far_z), detail::slab_growth)};
}

/// The part of the ray from t_min on that lies in a box; the empty box is missed.
COPSE_HD inline BoxSpan intersect_box(const RaySlabs& ray, const vec3& lo, const vec3& hi) {
  const bool x = ray.scale.x < 0, y = ray.scale.y < 0, z = ray.scale.z < 0;
  return intersect_planes(ray, vec3(x ? hi.x : lo.x, y ? hi.y : lo.y, z ? hi.z : lo.z),
                          vec3(x ? lo.x : hi.x, y ? lo.y : hi.y, z ? lo.z : hi.z));
}

/// True where the box may hold a hit at or before `limit`, in the units of boxes.
COPSE_HD inline bool is_within(const BoxSpan& span, float limit) {
  return span.entry <= min_number(span.exit, limit);
}

}  // namespace copse
