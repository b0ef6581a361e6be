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
// Times of boxes are counted from the ray's t_min, in units in which the direction's largest component is 1 to 2.
// So they are never negative where it matters, and what rounding may move is folded into growth and offsets:
//   - exits grow by a factor of 1 + 2^-19, for 3 roundings a plane and 3 a coordinate of the triangle test at
//   either
//     end, 2^-24 each, and for that of the scale;
//   - the offsets by 2^-22 of |origin * scale|, for its rounding: that is the grain of the origin's coordinates;
//   - and by 2^-19 of |t_min|, as those errors are in proportion to t and not to t - t_min.
// Along an axis in which the ray hardly moves within the tree, or not at all, the scale is finite and the offsets
// are farther apart than any time within the tree: a box counts as soon as the origin lies between its planes,
// give or take 2^-59 of the tree's coordinates. So nothing is NaN, and no case is a special one in the loop.
//
// Source: Ize, "Robust BVH Ray Traversal", JCGT 2013, pads the far end by 2 ulp of the product with the inverse.
// Here the near end is padded too, since boxes are compared with the t of hits as well.

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
  float start;
  float reach;  // no time within the tree is farther from 0, nor from start
};

inline constexpr float slab_growth = 1.0f + 1.0f / (1u << 19);

COPSE_HD inline float largest_magnitude(float lo, float hi) {
  return max_number(magnitude(lo), magnitude(hi));
}

/// One axis of the slabs: where the tree lies between lo and hi.
struct SlabAxis {
  float scale, near_offset, far_offset;

  COPSE_HD SlabAxis(const SlabSetup& setup, float origin, float direction, float lo, float hi) {
    constexpr float two_to_60 = 1152921504606846976.0f;
    constexpr float two_to_100 = two_to_60 * 1099511627776.0f, two_to_110 = two_to_100 * 1024;
    constexpr float origin_padding = 1.0f / (1u << 22), start_padding = 1.0f / (1u << 19);
    constexpr float least_padding = 1.0f / two_to_100 / (1u << 26);  // for denormals

    const float extent = add_rn(largest_magnitude(lo, hi), magnitude(origin));
    const float most = min_number(two_to_100, div_rn(min_number(two_to_110, mul_rn(setup.reach, two_to_60)),
                                                     max_number(least_padding, extent)));
    const float inverse = div_rn(setup.time_scale, direction);
    const bool moves = magnitude(inverse) <= most;
    scale = moves ? inverse : (direction < 0 ? -most : most);

    const float at_origin = mul_rn(origin, scale);
    float padding = add_rn(mul_rn(magnitude(at_origin), origin_padding),
                           add_rn(mul_rn(magnitude(setup.start), start_padding), least_padding));
    if (!moves) padding = add_rn(padding, mul_rn(setup.reach, 2.0f));
    near_offset = sub_rn(-setup.start, padding);
    far_offset = add_rn(-setup.start, padding);
    if constexpr (fuses_slabs) {
      near_offset = sub_rn(near_offset, at_origin);
      far_offset = sub_rn(far_offset, at_origin);
    }
  }
};

COPSE_HD inline SlabSetup set_up_slabs(const Ray& ray, const Aabb& bounds) {
  constexpr float least_start = -3e38f;
  const vec3& d = ray.direction;
  const float x = magnitude(d.x), y = magnitude(d.y), z = magnitude(d.z);
  const float largest = max_number(x, max_number(y, z));
  SlabSetup setup;
  // The power of two below the largest component; that of the least normal number for denormals.
  setup.time_scale = float_from_bits(larger(bits_of(largest) & 0x7f800000u, 0x00800000u));
  const u32 axis = x == largest ? 0 : y == largest ? 1 : 2;
  const float extent = axis == 0   ? add_rn(largest_magnitude(bounds.lo.x, bounds.hi.x), magnitude(ray.origin.x))
                       : axis == 1 ? add_rn(largest_magnitude(bounds.lo.y, bounds.hi.y), magnitude(ray.origin.y))
                                   : add_rn(largest_magnitude(bounds.lo.z, bounds.hi.z), magnitude(ray.origin.z));
  const float farthest = mul_rn(extent, div_rn(mul_rn(setup.time_scale, 1.01f), largest));
  setup.start = max_number(mul_rn(ray.t_min, setup.time_scale), max_number(least_start, mul_rn(farthest, -2.0f)));
  setup.reach = mul_rn(farthest, 4.0f);
  return setup;
}

}  // namespace detail

/// Makes a traceable ray ready for boxes within `bounds`, which must not be empty. Boxes may reach out by as much
/// again as the bounds are away from zero.
COPSE_HD inline RaySlabs make_slabs(const Ray& ray, const Aabb& bounds) {
  const detail::SlabSetup setup = detail::set_up_slabs(ray, bounds);
  const detail::SlabAxis x(setup, ray.origin.x, ray.direction.x, bounds.lo.x, bounds.hi.x);
  const detail::SlabAxis y(setup, ray.origin.y, ray.direction.y, bounds.lo.y, bounds.hi.y);
  const detail::SlabAxis z(setup, ray.origin.z, ray.direction.z, bounds.lo.z, bounds.hi.z);
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
  constexpr float least_denormals = 1.0f / (1u << 30) / (1u << 30) / (1u << 30) / (1u << 30) / (1u << 27);
  constexpr float least_padding = 1.0f / (1u << 30) / (1u << 30) / (1u << 30) / (1u << 20);
  const float time = mul_rn(add_rn(limit, least_denormals), ray.time_scale);
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
