#pragma once

// The slab test of a ray against axis-aligned boxes. It is cheap enough for every node, and conservative: no
// ray misses a box around a triangle that intersect_triangle hits.
//
// A ray is prepared once for all boxes of a tree (make_slabs). Then a plane costs one multiply-add, and a box
// six of them, a maximum and a minimum:
//
//   entry = max(near_x, near_y, near_z, 0)       near = plane * scale + near_offset
//   exit  = min(far_x, far_y, far_z)             far  = plane * scale + far_offset
//
// Times of boxes are counted from the ray's t_min, in units in which the direction's largest component is 1 to 2 (in
// trees larger than 2^60, in units 2^60 times as long). So the times that matter are not negative. The offsets also
// contain a padding for all rounding errors:
//   - 2^-22 of |origin * scale|, for the rounding of this product: it is the grain of the origin's coordinates;
//   - 2^-19 of |t_min|, as errors are in proportion to t and not to t - t_min;
//   - 2^-19 of the time to the farthest corner of the tree: 32 roundings of 2^-24. Planes take 4: 1 for the multiply-add,
//     2 for the scale, 1 for the sum of the offsets. (No plane at which the ray leaves a box is met after that corner.)
//     Where a component of the direction is denormal in its units, the scale takes 4 more. The other 24 are for the t of
//     hits. It differs by at most 20 such roundings from the times at which the ray is in the triangle's own box
//     (trace/hit/intersect.h), and so in every box around that.
//   - Two parts for underflow in the triangle test, where a rounding is up to 2^-150, however small the number is.
//     Across the ray, the test is off by 2^-150 in its product r z, and by 2^-149 in r itself. So its ray is beside this
//     one by up to 2^-150 and 2^-149 of z. The padding has at least four times as much (`underflow`), times the scale: a
//     ray that hardly moves along an axis takes long for it.
//     Along the ray, the three products of weights and z are off by 3 * 2^-150. The sum of the weights is 2^-80 or more,
//     so the mean of z is off by 2^-68. The time to the farthest corner is therefore that of 2^-45 or more (min_depth),
//     of which 2^-68 is 2 roundings. Corners within 2^-43 have no such weights. So a fourth of the farthest corner's
//     distance along any axis is enough, and small trees keep their tight boxes.
// Along an axis, the ray may move hardly or not at all within the tree. Then the scale is a finite number, and the
// offsets are farther apart than any time within the tree: the ray is between the planes as soon as the origin is, up
// to 2^-59 of the tree's coordinates. So nothing is NaN, and the loop has no special case.
//
// Source: Ize, "Robust BVH Ray Traversal", JCGT 2013, pads the far end by 2 ulp of the product with the inverse.
// Here the near end is padded too, since boxes are compared with the t of hits as well. Woop, Benthin, Wald,
// "Watertight Ray/Triangle Intersection", JCGT 2013, pad by the farthest plane of a box for the same reason.

#include "builders/geometry/aabb.h"
#include "trace/ray.h"

namespace copse {

/// A ray prepared for the boxes of one tree.
struct RaySlabs {
  vec3 scale;
  vec3 near_offset, far_offset;
  vec3 origin;       // for the host
  float start;       // t_min in the units of boxes
  float time_scale;  // units of boxes per unit of t, a power of two

  /// False if t_min is infinite, so that no part of the interval is in the tree.
  bool is_bounded;
};

/// The times at which a ray enters and leaves a box, in the units of boxes, rounded outwards. The ray misses it
/// unless entry <= exit.
struct BoxSpan {
  float entry;
  float exit;
};

namespace detail {

/// The host subtracts the origin and then multiplies: std::fma is a function call where the compiler may not use the
/// instruction.
inline constexpr bool fuses_slabs = COPSE_DEVICE_CODE == 1;

/// a * b + c, rounded once or twice.
COPSE_HD inline float multiply_add(float a, float b, float c) {
  if constexpr (fuses_slabs) {
    return fused_multiply_add(a, b, c);
  } else {
    return add_rn(mul_rn(a, b), c);
  }
}

COPSE_HD inline float plane_time(float plane, float origin, float scale, float offset) {
  return multiply_add(fuses_slabs ? plane : sub_rn(plane, origin), scale, offset);
}

/// The numbers that all axes of a ray share.
struct SlabSetup {
  float time_scale;
  float units;  // one over it
  float start;
  float reach;        // times within the tree differ by at most this from 0 and from start
  float padding;      // without the parts for the rounding of the origin and for underflow across the ray
  float underflow;    // the distance by which it moves rays
  float max_product;  // of a scale and the extent along its axis
};

inline constexpr float two_to_60 = 1152921504606846976.0f;

/// Factor of exits, for planes in steps of a grid, which are rounded more often.
inline constexpr float slab_growth = 1.0f + 1.0f / (1u << 19);

/// The time to the farthest corner counts as that of this distance at least: 2^-45.
inline constexpr float min_depth = 1.0f / (1u << 30) / (1u << 15);

inline constexpr float max_extent = 3e38f;

/// Upper bound of the magnitude of the tree's coordinates, and of their distance from the origin. Planes may be
/// infinite.
COPSE_HD inline float extent_of_axis(float lo, float hi, float origin) {
  return min_number(max_extent, add_rn(max_number(magnitude(lo), magnitude(hi)), magnitude(origin)));
}

/// `farthest`: the extent of the axis along which the ray moves fastest. slab_padding sets the padding later.
COPSE_HD inline SlabSetup set_up_slabs(const Ray& ray, float farthest, float largest) {
  constexpr u32 min_exponent = 0x00800000u, max_exponent = 0x7e800000u;
  constexpr float min_start = -3e38f, max_product = two_to_60 * 1125899906842624.0f;
  // The largest power of two up to the largest component, among those whose inverse is a normal number too.
  const u32 exponent = smaller(larger(bits_of(largest) & 0x7f800000u, min_exponent), max_exponent);
  SlabSetup setup;
  setup.time_scale = float_from_bits(exponent);
  setup.units = float_from_bits(one_twice - exponent);
  setup.underflow = multiply_add(farthest, min_denormals, min_denormals);
  // Denormal directions have at least 2^-23 of a unit.
  farthest = mul_rn(farthest, exponent == min_exponent ? 8388608.0f : 1.01f);
  // For planes in steps of a grid, times up to 2^15 times as long occur. They must be finite.
  if (farthest > two_to_60 && setup.time_scale > 1 / two_to_60) {
    setup.time_scale = mul_rn(setup.time_scale, 1 / two_to_60);
    setup.units = mul_rn(setup.units, two_to_60);
    farthest = mul_rn(farthest, 1 / two_to_60);
  }
  setup.start = max_number(mul_rn(ray.t_min, setup.time_scale), max_number(min_start, mul_rn(farthest, -2.0f)));
  setup.reach = mul_rn(farthest, 4.0f);
  setup.max_product = min_number(max_product, mul_rn(setup.reach, two_to_60));
  return setup;
}

/// `far_time`: a time by which the ray has met the farthest corner of the tree; it may be infinite.
COPSE_HD inline float slab_padding(const SlabSetup& setup, float far_time) {
  constexpr float part = 1.0f / (1u << 19), max_padding = 1e33f;
  constexpr float min_padding = 1.0f / two_to_60 / two_to_60 / (1u << 6);  // for denormals
  const float least = multiply_add(setup.time_scale, min_denormals, min_padding);
  return add_rn(min_number(max_padding, mul_rn(far_time, part)),
                multiply_add(magnitude(setup.start), part, least));
}

/// min_depth, or less in small trees.
COPSE_HD inline float least_depth(const vec3& extent) {
  return min_number(min_depth, mul_rn(max_number(max_number(extent.x, extent.y), extent.z), 0.25f));
}

/// One axis of the slabs.
struct SlabAxis {
  float scale, near_offset, far_offset;

  COPSE_HD void pad(const SlabSetup& setup, float origin, float padding) {
    constexpr float origin_padding = 1.0f / (1u << 22);
    const float at_origin = mul_rn(origin, scale);
    padding = multiply_add(magnitude(scale), setup.underflow, padding);
    padding = multiply_add(magnitude(at_origin), origin_padding, padding);
    const float middle = fuses_slabs ? -add_rn(setup.start, at_origin) : -setup.start;
    near_offset = sub_rn(middle, padding);
    far_offset = add_rn(middle, padding);
  }

  /// False along an axis in which the ray hardly moves within the tree.
  COPSE_HD bool moves(const SlabSetup& setup, float extent) const {
    return mul_rn(magnitude(scale), extent) <= setup.max_product && extent < max_extent;
  }

  /// Sets such an axis: a finite scale, and offsets farther apart than any time within the tree.
  COPSE_HD void hold(const SlabSetup& setup, float origin, float direction, float extent) {
    constexpr float min_extent = 1e-37f, max_scale = two_to_60 * 1099511627776.0f;
    scale = min_number(max_scale, div_rn(setup.max_product, max_number(min_extent, extent)));
    // Differences may be infinite here. Then the axis decides nothing: on the host NaN results, which min and max
    // ignore.
    if (extent >= max_extent) scale = fuses_slabs ? 1 / two_to_60 / two_to_60 : 0.0f;
    if (direction < 0) scale = -scale;
    pad(setup, origin, add_rn(setup.padding, mul_rn(setup.reach, 2.0f)));
  }
};

}  // namespace detail

/// Prepares a traceable ray for boxes within `bounds`, which must not be empty. Boxes may reach beyond the bounds: up
/// to twice as far from zero.
COPSE_HD inline RaySlabs make_slabs(const Ray& ray, const Aabb& bounds) {
  const vec3& origin = ray.origin;
  const vec3& direction = ray.direction;
  const vec3 extent(detail::extent_of_axis(bounds.lo.x, bounds.hi.x, origin.x),
                    detail::extent_of_axis(bounds.lo.y, bounds.hi.y, origin.y),
                    detail::extent_of_axis(bounds.lo.z, bounds.hi.z, origin.z));
  const float dx = magnitude(direction.x), dy = magnitude(direction.y), dz = magnitude(direction.z);
  const float largest = max_number(max_number(dx, dy), dz);
  // The axis that make_shear takes, also if components are equal: the error of t is in proportion to the time along
  // it.
  const float farthest = dz == largest ? extent.z : dy == largest ? extent.y : extent.x;
  detail::SlabSetup setup = detail::set_up_slabs(ray, farthest, largest);

  detail::SlabAxis x, y, z;
  x.scale = about_one_over(mul_rn(direction.x, setup.units));
  y.scale = about_one_over(mul_rn(direction.y, setup.units));
  z.scale = about_one_over(mul_rn(direction.z, setup.units));
  const float min_scale = min_number(min_number(magnitude(x.scale), magnitude(y.scale)), magnitude(z.scale));
  const float depth = max_number(farthest, detail::least_depth(extent));
  setup.padding = detail::slab_padding(setup, mul_rn(depth, min_scale));
  x.pad(setup, origin.x, setup.padding);
  y.pad(setup, origin.y, setup.padding);
  z.pad(setup, origin.z, setup.padding);

  const bool moves_x = x.moves(setup, extent.x), moves_y = y.moves(setup, extent.y),
             moves_z = z.moves(setup, extent.z);
  if (!(moves_x && moves_y && moves_z)) {
    if (!moves_x) x.hold(setup, origin.x, direction.x, extent.x);
    if (!moves_y) y.hold(setup, origin.y, direction.y, extent.y);
    if (!moves_z) z.hold(setup, origin.z, direction.z, extent.z);
  }
  return {vec3(x.scale, y.scale, z.scale),
          vec3(x.near_offset, y.near_offset, z.near_offset),
          vec3(x.far_offset, y.far_offset, z.far_offset),
          origin,
          setup.start,
          setup.time_scale,
          setup.start < infinity};
}

/// Converts a limit from units of t to a limit for boxes, rounded up.
COPSE_HD inline float box_limit(const RaySlabs& ray, float limit) {
  constexpr float min_padding = 1.0f / (1u << 30) / (1u << 30) / (1u << 30) / (1u << 20);
  const float time = mul_rn(add_rn(limit, detail::min_denormals), ray.time_scale);
  const float padding = mul_rn(add_rn(magnitude(time), magnitude(ray.start)), 1.0f / (1u << 19));
  return add_rn(sub_rn(time, ray.start), is_finite(padding) ? max_number(padding, min_padding) : 0.0f);
}

/// The span from the last near plane to the first far plane.
COPSE_HD inline BoxSpan intersect_planes(const RaySlabs& ray, const vec3& near, const vec3& far) {
  const float near_x = detail::plane_time(near.x, ray.origin.x, ray.scale.x, ray.near_offset.x);
  const float near_y = detail::plane_time(near.y, ray.origin.y, ray.scale.y, ray.near_offset.y);
  const float near_z = detail::plane_time(near.z, ray.origin.z, ray.scale.z, ray.near_offset.z);
  const float far_x = detail::plane_time(far.x, ray.origin.x, ray.scale.x, ray.far_offset.x);
  const float far_y = detail::plane_time(far.y, ray.origin.y, ray.scale.y, ray.far_offset.y);
  const float far_z = detail::plane_time(far.z, ray.origin.z, ray.scale.z, ray.far_offset.z);
  return {largest_or_zero(near_x, near_y, near_z), smallest_or_negative(far_x, far_y, far_z)};
}

/// The octant of a direction has bit 0 set if x is negative, bit 1 for y, bit 2 for z. any_octant: not known at
/// compile time.
inline constexpr u32 any_octant = 8;

/// The part of the ray from t_min on in a box. The ray misses the empty box. If the octant is known at compile time,
/// no instruction has to choose the planes that the ray meets first.
template <u32 octant = any_octant>
COPSE_HD inline BoxSpan intersect_box(const RaySlabs& ray, const vec3& lo, const vec3& hi) {
  const bool x = octant == any_octant ? ray.scale.x < 0 : (octant & 1) != 0;
  const bool y = octant == any_octant ? ray.scale.y < 0 : (octant & 2) != 0;
  const bool z = octant == any_octant ? ray.scale.z < 0 : (octant & 4) != 0;
  return intersect_planes(ray, vec3(x ? hi.x : lo.x, y ? hi.y : lo.y, z ? hi.z : lo.z),
                          vec3(x ? lo.x : hi.x, y ? lo.y : hi.y, z ? lo.z : hi.z));
}

/// True if the box may contain a hit at or before `limit`, in the units of boxes.
COPSE_HD inline bool is_within(const BoxSpan& span, float limit) {
  return span.entry <= min_number(span.exit, limit);
}

}  // namespace copse
