#pragma once

// Prepares a ray for fast traversal of one tree, in some 50 instructions. make_slabs (trace/hit/slabs.h) prepares
// every ray. The code here handles only rays with numbers in a common range. The others give up and take robust
// traversal.
//
// In the common range the reach is 2^-40 to 2^58, and the largest component of the direction is 2^-40 to 2^40. Then
// no product leaves the range of float, and what make_slabs adds for denormals is below the rounding of the rest. The
// time to the farthest corner is at most the reach, as the largest component is 1 or more in the units of boxes.
// Components below 2^-38 of the largest count as 2^-38 of it, which moves the ray by 2^-38 of its way. The same
// comparisons exclude NaN and infinities.

#include "builders/geometry/vector_rn.h"
#include "trace/hit/intersect.h"
#include "trace/hit/slabs.h"

namespace copse::detail {

/// The numbers of a tree that are needed to prepare a ray.
struct TreeReach {
  Aabb bounds;
  float farthest;  // largest magnitude of a coordinate

  COPSE_HD static TreeReach of(const Aabb& bounds) {
    return {bounds, max_number(largest_magnitude(bounds.lo), largest_magnitude(bounds.hi))};
  }
  COPSE_HD static float largest_magnitude(const vec3& p) {
    return max_number(max_number(magnitude(p.x), magnitude(p.y)), magnitude(p.z));
  }
};

/// The state with which a fast traversal begins.
struct PreparedRay {
  RaySlabs slabs;
  float limit;      // the ray's t_max
  float box_limit;  // `limit` in the units of boxes
  bool enters;      // the tree's box, up to the limit; false for rays that hit nothing, and in empty trees
  bool gives_up;    // its numbers are outside the common range: it needs robust traversal
};

/// One over a component of the direction. The component may be zero.
COPSE_HD inline float common_range_scale(float direction) {
  constexpr float max_scale = 274877906944.0f;  // 2^38
  return min_number(max_scale, max_number(-max_scale, about_one_over(direction)));
}

/// One axis of the slabs. `padding`: that of all axes. The time of a plane is rounded four times, each time by up to
/// 2^-24 of the time in which the ray passes all of `reach` along the axis: in the origin's share, with its padding,
/// at a grid's origin, and in a grid's steps.
COPSE_HD inline SlabAxis make_common_range_axis(float origin, float scale, float start, float reach,
                                                float padding) {
  constexpr float grain = 1.001f / (1u << 22);
  padding = multiply_add(magnitude(scale), mul_rn(reach, grain), padding);
  const float middle = fuses_slabs ? multiply_add(-origin, scale, -start) : -start;
  return {scale, sub_rn(middle, padding), add_rn(middle, padding)};
}

/// Prepares a ray in the common range. Returns false for other rays and trees; then `slabs` means nothing.
COPSE_HD inline bool make_common_range_slabs(const Ray& ray, const TreeReach& tree, RaySlabs& slabs) {
  constexpr float part = 1.00001f / (1u << 19), max_start = two_to_60;
  constexpr u32 min_bits = (127u - 40) << 23, max_reach_bits = (127u + 58) << 23;
  constexpr u32 max_direction_bits = (127u + 40) << 23;

  const vec3 &o = ray.origin, &d = ray.direction;
  const float largest = TreeReach::largest_magnitude(d);
  const float units = direction_units(largest);
  const vec3 direction = mul_rn(d, units);
  // From the origin to the farthest plane, and through the tree.
  const float reach = multiply_add(tree.farthest, 2.0f, TreeReach::largest_magnitude(o));

  slabs.time_scale = float_from_bits(one_twice - bits_of(units));
  slabs.start = mul_rn(ray.t_min, slabs.time_scale);
  slabs.scale =
      vec3(common_range_scale(direction.x), common_range_scale(direction.y), common_range_scale(direction.z));
  const float padding = mul_rn(add_rn(magnitude(slabs.start), reach), part);
  const SlabAxis x = make_common_range_axis(o.x, slabs.scale.x, slabs.start, reach, padding);
  const SlabAxis y = make_common_range_axis(o.y, slabs.scale.y, slabs.start, reach, padding);
  const SlabAxis z = make_common_range_axis(o.z, slabs.scale.z, slabs.start, reach, padding);
  slabs.near_offset = vec3(x.near_offset, y.near_offset, z.near_offset);
  slabs.far_offset = vec3(x.far_offset, y.far_offset, z.far_offset);
  slabs.origin = o;
  slabs.is_bounded = true;

  // The maxima ignore NaN, the sum does not.
  const float all = add_rn(add_rn(add_rn(o.x, o.y), o.z), add_rn(add_rn(d.x, d.y), d.z));
  return all == all && bits_of(reach) - min_bits <= max_reach_bits - min_bits &&
         bits_of(largest) - min_bits <= max_direction_bits - min_bits && magnitude(slabs.start) <= max_start;
}

/// box_limit for slabs in the common range. The terms that it omits are smaller than the padding of the slabs.
COPSE_HD inline float common_range_box_limit(const RaySlabs& ray, float limit) {
  const float time = mul_rn(limit, ray.time_scale);
  return multiply_add(add_rn(magnitude(time), magnitude(ray.start)), 1.0f / (1u << 19), sub_rn(time, ray.start));
}

/// True only if the ray surely misses the tree's box: it passes on one side, or goes away from it. The test takes a
/// third of the instructions of prepare_ray, and no division. It may get rays with any numbers.
///
/// It looks for a separating axis between the ray's line and the box, among the three that are normal to the line and
/// to a coordinate axis. Lengths are doubled. The box grows by 2^-16 of the reach, which is more than rounding and
/// the padding of slabs can move. A hit behind the origin counts if its t rounds to zero; with directions of up to
/// 2^40 that moves the end of the box by less than `least_along`. For longer directions, and for a reach of more than
/// 2^60, the result is false, as products may leave the range of float. Comparisons with NaN are false.
COPSE_HD inline bool passes_by(const Ray& ray, const TreeReach& tree) {
  constexpr float part = 1.0f / (1u << 15), least = 1e-30f, least_along = 1e-19f;
  constexpr float max_direction = 1099511627776.0f, max_reach = two_to_60;
  const vec3 &o = ray.origin, &d = ray.direction;
  const float reach = multiply_add(tree.farthest, 2.0f, TreeReach::largest_magnitude(o));
  const float pad = mul_rn(reach, part);
  const vec3 &lo = tree.bounds.lo, &hi = tree.bounds.hi;
  const vec3 c(multiply_add(o.x, -2.0f, add_rn(lo.x, hi.x)), multiply_add(o.y, -2.0f, add_rn(lo.y, hi.y)),
               multiply_add(o.z, -2.0f, add_rn(lo.z, hi.z)));
  const vec3 h(add_rn(sub_rn(hi.x, lo.x), pad), add_rn(sub_rn(hi.y, lo.y), pad), add_rn(sub_rn(hi.z, lo.z), pad));
  const vec3 a(magnitude(d.x), magnitude(d.y), magnitude(d.z));
  const float by_x = magnitude(multiply_add(d.y, c.z, -mul_rn(d.z, c.y)));
  const float by_y = magnitude(multiply_add(d.z, c.x, -mul_rn(d.x, c.z)));
  const float by_z = magnitude(multiply_add(d.x, c.y, -mul_rn(d.y, c.x)));
  const float along = multiply_add(d.x, c.x, multiply_add(d.y, c.y, mul_rn(d.z, c.z)));
  const bool is_apart = (by_x > multiply_add(a.y, h.z, multiply_add(a.z, h.y, least))) |
                        (by_y > multiply_add(a.z, h.x, multiply_add(a.x, h.z, least))) |
                        (by_z > multiply_add(a.x, h.y, multiply_add(a.y, h.x, least)));
  const bool goes_away =
      (ray.t_min >= 0) &
      (-along > multiply_add(a.x, h.x, multiply_add(a.y, h.y, multiply_add(a.z, h.z, least_along))));
  return (is_apart | goes_away) & (TreeReach::largest_magnitude(d) <= max_direction) & (reach <= max_reach);
}

COPSE_HD inline PreparedRay prepare_ray(const Ray& ray, const TreeReach& tree) {
  PreparedRay prepared;
  prepared.limit = ray.t_max;
  prepared.gives_up = false;
  prepared.enters = ray.t_min <= ray.t_max;
  if (!make_common_range_slabs(ray, tree, prepared.slabs)) {
    prepared.gives_up = is_traceable(ray) && ray.t_min < infinity && !is_empty(tree.bounds);
    prepared.enters = false;
  }
  prepared.box_limit = common_range_box_limit(prepared.slabs, ray.t_max);
  prepared.enters = prepared.enters &&
                    is_within(intersect_box(prepared.slabs, tree.bounds.lo, tree.bounds.hi), prepared.box_limit);
  return prepared;
}

}  // namespace copse::detail
