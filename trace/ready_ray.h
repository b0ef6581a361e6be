#pragma once

// A ray made ready for a quick walk through one tree, in some 60 instructions: what make_slabs (trace/slabs.h)
// does for every ray that there is, done for those whose numbers are of no unusual size. The others go there.
//
// Where all extents are at least 2^-40 and at most 2^58, no component of the direction is more than 2^38 times
// as small as the largest, and that is 2^-40 to 2^40, no product leaves the range of float, and what make_slabs
// adds for denormals is below the rounding of the rest. The time to the farthest corner is at most the largest
// extent, as the largest component is 1 or more in the units of boxes. NaN and infinities are unusual by the
// same comparisons.

#include "trace/intersect.h"
#include "trace/slabs.h"
#include "trace/vector_rn.h"

namespace copse::detail {

/// How a tree's planes are stored: as floats, or in steps of a grid, which are rounded once more on the way.
enum class Planes : u8 { floats, steps };

/// A ray as quick walks begin with it.
struct ReadyRay {
  RaySlabs slabs;
  float limit;      // the ray's t_max
  float box_limit;  // that of `limit`
  bool enters;      // the tree's box by then; false for rays that hit nothing, and in trees without primitives
  bool gives_up;    // times of planes in steps might be no floats: the ray needs a whole walk
};

/// One axis of the slabs. `padding`: that of all axes.
template <Planes planes>
COPSE_HD inline SlabAxis make_usual_axis(float origin, float scale, float lo, float hi, float start,
                                         float padding) {
  constexpr float grain = 1.0f / (1u << 22);
  const float at_origin = mul_rn(origin, scale);
  float reach = magnitude(at_origin);
  // The width of the tree, for bases in steps: see trace/quick_spans.h.
  if constexpr (planes == Planes::steps) reach = multiply_add(magnitude(scale), sub_rn(hi, lo), reach);
  padding = multiply_add(reach, grain, padding);
  const float middle = fuses_slabs ? -add_rn(start, at_origin) : -start;
  return {scale, sub_rn(middle, padding), add_rn(middle, padding)};
}

/// False, and `slabs` means nothing, for a ray or bounds with unusual numbers.
template <Planes planes>
COPSE_HD inline bool make_usual_slabs(const Ray& ray, const Aabb& bounds, RaySlabs& slabs) {
  constexpr float part = 1.00001f / (1u << 19), most_start = two_to_60;
  constexpr u32 least_bits = (127u - 40) << 23, most_extent_bits = (127u + 58) << 23;
  constexpr u32 most_direction_bits = (127u + 40) << 23, one_squared = 0x7f000000u;
  constexpr float most_scale = 274877906944.0f;  // 2^38

  const vec3 &o = ray.origin, &d = ray.direction;
  const float extent_x = add_rn(max_number(magnitude(bounds.lo.x), magnitude(bounds.hi.x)), magnitude(o.x));
  const float extent_y = add_rn(max_number(magnitude(bounds.lo.y), magnitude(bounds.hi.y)), magnitude(o.y));
  const float extent_z = add_rn(max_number(magnitude(bounds.lo.z), magnitude(bounds.hi.z)), magnitude(o.z));
  const float extent = max_number(max_number(extent_x, extent_y), extent_z);
  const float largest = max_number(max_number(magnitude(d.x), magnitude(d.y)), magnitude(d.z));

  const u32 exponent = bits_of(largest) & 0x7f800000u;
  const float units = float_from_bits(one_squared - exponent);
  slabs.time_scale = float_from_bits(exponent);
  slabs.start = mul_rn(ray.t_min, slabs.time_scale);
  slabs.scale = vec3(about_one_over(mul_rn(d.x, units)), about_one_over(mul_rn(d.y, units)),
                     about_one_over(mul_rn(d.z, units)));
  const float padding = multiply_add(magnitude(slabs.start), part, mul_rn(extent, part));
  const SlabAxis x = make_usual_axis<planes>(o.x, slabs.scale.x, bounds.lo.x, bounds.hi.x, slabs.start, padding);
  const SlabAxis y = make_usual_axis<planes>(o.y, slabs.scale.y, bounds.lo.y, bounds.hi.y, slabs.start, padding);
  const SlabAxis z = make_usual_axis<planes>(o.z, slabs.scale.z, bounds.lo.z, bounds.hi.z, slabs.start, padding);
  slabs.near_offset = vec3(x.near_offset, y.near_offset, z.near_offset);
  slabs.far_offset = vec3(x.far_offset, y.far_offset, z.far_offset);
  slabs.origin = o;
  slabs.is_bounded = true;

  // The maxima pass over NaN, the sum does not. On the host it lacks the origin, which the extents hold.
  const float scale =
      max_number(max_number(magnitude(slabs.scale.x), magnitude(slabs.scale.y)), magnitude(slabs.scale.z));
  const float all =
      add_rn(add_rn(x.far_offset, y.far_offset), add_rn(z.far_offset, add_rn(d.x, add_rn(d.y, d.z))));
  return all == all && bits_of(extent) - least_bits <= most_extent_bits - least_bits &&
         bits_of(largest) - least_bits <= most_direction_bits - least_bits && scale <= most_scale &&
         magnitude(slabs.start) <= most_start;
}

/// Moves the planes of a ray apart by what those in steps are rounded by. False where their times might be no
/// floats: the ray needs a whole walk.
COPSE_HD inline bool pad_for_grids(RaySlabs& ray, const Aabb& bounds) {
  constexpr float part = 1.0f / (1u << 22), most_reach = two_to_60 * 1099511627776.0f;
  const float x = mul_rn(magnitude(ray.scale.x), sub_rn(bounds.hi.x, bounds.lo.x));
  const float y = mul_rn(magnitude(ray.scale.y), sub_rn(bounds.hi.y, bounds.lo.y));
  const float z = mul_rn(magnitude(ray.scale.z), sub_rn(bounds.hi.z, bounds.lo.z));
  const vec3 padding(mul_rn(x, part), mul_rn(y, part), mul_rn(z, part));
  ray.near_offset = sub_rn(ray.near_offset, padding);
  ray.far_offset = add_rn(ray.far_offset, padding);
  return x <= most_reach && y <= most_reach && z <= most_reach;
}

/// For all other rays and bounds: sets `slabs` and `gives_up`, and `enters` where the ray may enter the tree.
template <Planes planes>
COPSE_HD inline void make_unusual(const Ray& ray, const Aabb& bounds, ReadyRay& ready) {
  ready.enters = is_traceable(ray) && !is_empty(bounds);
  if (!ready.enters) return;
  ready.slabs = make_slabs(ray, bounds);
  ready.enters = ready.slabs.is_bounded;
  if constexpr (planes == Planes::steps) {
    ready.gives_up = !pad_for_grids(ready.slabs, bounds);
    ready.enters = ready.enters && !ready.gives_up;
  }
}

/// `bounds`: the tree's.
template <Planes planes>
COPSE_HD inline ReadyRay make_ready(const Ray& ray, const Aabb& bounds) {
  ReadyRay ready;
  ready.limit = ray.t_max;
  ready.gives_up = false;
  ready.enters = ray.t_min <= ray.t_max;
  if (!make_usual_slabs<planes>(ray, bounds, ready.slabs)) make_unusual<planes>(ray, bounds, ready);
  ready.box_limit = box_limit(ready.slabs, ray.t_max);
  ready.enters = ready.enters && is_within(intersect_box(ready.slabs, bounds.lo, bounds.hi), ready.box_limit);
  return ready;
}

}  // namespace copse::detail
