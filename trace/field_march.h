#pragma once

// Finds where a ray meets the surface of a distance field, on the host and in kernels. There is nothing else to
// link.
//
//   copse::FieldHit hit = copse::first_surface(field.view(), ray);
//
// The walk goes from brick to brick, as in trace/voxel_march.h. Inside a brick it samples the distance along the ray.
// The distance at a sample bounds the step to the next one: sphere tracing, Hart, "Sphere Tracing", The Visual
// Computer 1996. The surface lies between two samples of different sign. Where we differ: the walk skips empty
// bricks, and the ray may begin inside.

#include "builders/geometry/vector_rn.h"
#include "builders/grid/distance_layout.h"
#include "trace/voxel_march.h"

namespace copse {

/// Where a ray meets the surface. On a miss t is the ray's t_max and the normal is 0.
struct FieldHit {
  float t;
  vec3 normal;  // of length 1, to the outside
};

static_assert(sizeof(FieldHit) == 16);

COPSE_HD inline bool is_hit(const FieldHit& hit) {
  return hit.normal.x != 0 || hit.normal.y != 0 || hit.normal.z != 0;
}

namespace detail {

/// The distance at a point, interpolated from the centres of the eight voxels around it. It is known only if all
/// eight are in bricks.
struct FieldSample {
  float value = 0;
  vec3 gradient = vec3(0);  // per voxel
  bool is_known = false;
};

COPSE_HD inline float mix_field(float a, float b, float part) {
  return add_rn(a, mul_rn(sub_rn(b, a), part));
}

/// Interpolates the values of voxels near one brick.
struct FieldSampler {
  const DistanceFieldView& field;
  u64 place;
  const float* values;  // of the brick at the place

  /// Returns the value of a voxel, or infinity if its brick does not exist.
  COPSE_HD float value_of(const uvec3& voxel) const {
    const uvec3& size = field.bricks.places.resolution;
    const uvec3 brick = voxel / brick_edge;
    if (brick.x >= size.x || brick.y >= size.y || brick.z >= size.z) return infinity;
    const u64 key = field.bricks.places.key_of(brick);
    const float* const found = key == place ? values : field.values_at(key);
    return found != nullptr ? found[64 * (voxel.z % 8) + 8 * (voxel.y % 8) + voxel.x % 8] : infinity;
  }

  ///   at: in voxels from the corner of the grid; below 0 nothing is known
  COPSE_HD FieldSample sample(const dvec3& at) const {
    const dvec3 from(at.x - 0.5, at.y - 0.5, at.z - 0.5);
    if (!(from.x >= 0 && from.y >= 0 && from.z >= 0)) return {};
    const uvec3 first(u32(from.x), u32(from.y), u32(from.z));
    float corners[2][2][2];  // z, y, x
    for (u32 k = 0; k < 8; ++k) {
      const float value = value_of(first + uvec3(k & 1, k >> 1 & 1, k >> 2));
      if (value == infinity) return {};
      corners[k >> 2][k >> 1 & 1][k & 1] = value;
    }
    const float x = float(from.x - first.x), y = float(from.y - first.y), z = float(from.z - first.z);
    float along[2][2], slope_x[2];  // z, y
    for (u32 k = 0; k < 2; ++k) {
      for (u32 j = 0; j < 2; ++j) along[k][j] = mix_field(corners[k][j][0], corners[k][j][1], x);
      slope_x[k] =
          mix_field(sub_rn(corners[k][0][1], corners[k][0][0]), sub_rn(corners[k][1][1], corners[k][1][0]), y);
    }
    const float low = mix_field(along[0][0], along[0][1], y), high = mix_field(along[1][0], along[1][1], y);
    const float slope_y = mix_field(sub_rn(along[0][1], along[0][0]), sub_rn(along[1][1], along[1][0]), z);
    return {mix_field(low, high, z), vec3(mix_field(slope_x[0], slope_x[1], z), slope_y, sub_rn(high, low)), true};
  }
};

/// Ends the walk through bricks between two samples of different sign.
struct FindSurface {
  static constexpr float min_step = 0.25f;  // in voxels
  /// Near an edge of the surface an interpolated distance may be too large by this much, in voxels.
  static constexpr float doubt = 0.5f;

  const DistanceFieldView& field;
  const MarchedRay& ray;
  double next, end;       // s of the next sample, and of the last one
  double voxels_per_s;    // along the ray
  float voxels_per_unit;  // of distance
  double entered = 0;     // s where the ray enters the brick
  double before = 0;      // s of the last sample that is known
  float value = 0;        // at `before`
  bool has_before = false;
  FieldSample hit = {};

  COPSE_HD bool operator()(u64 place, float leave) {
    const float* const values = field.values_at(place);
    const bool found = values != nullptr && search({field, place, values}, leave < end ? double(leave) : end);
    entered = leave;
    return found || leave >= end;
  }

 private:
  COPSE_HD FieldSample at(const FieldSampler& sampler, double s) const {
    constexpr double edge = brick_edge;
    return sampler.sample(dvec3(mul_rn(add_rn(ray.from.x, mul_rn(ray.slope.x, s)), edge),
                                mul_rn(add_rn(ray.from.y, mul_rn(ray.slope.y, s)), edge),
                                mul_rn(add_rn(ray.from.z, mul_rn(ray.slope.z, s)), edge)));
  }

  /// Takes samples of a brick up to `leave`, and one at the end of the ray.
  COPSE_HD bool search(const FieldSampler& sampler, double leave) {
    double s = larger(next, entered);
    for (bool is_end = false; !is_end;) {
      is_end = s >= end;
      if (is_end) s = end;
      if (s > leave) break;
      const FieldSample sample = at(sampler, s);
      float step = min_step;
      if (sample.is_known) {
        if (has_before && (sample.value < 0) != (value < 0)) {
          refine(sampler, s, sample);
          return true;
        }
        has_before = true, before = s, value = sample.value;
        step = larger(sub_rn(mul_rn(magnitude(value), voxels_per_unit), doubt), min_step);
      }
      s = add_rn(s, double(step) / voxels_per_s);
    }
    next = s;
    return false;
  }

  /// Finds the sign change between the last sample and the one at s by four steps of regula falsi.
  COPSE_HD void refine(const FieldSampler& sampler, double s, const FieldSample& sample) {
    double lo = before, hi = s;
    float at_lo = value, at_hi = sample.value;
    hit = sample;
    before = s;
    for (u32 round = 0; round < 4; ++round) {
      const double part = double(at_lo) / sub_rn(double(at_lo), double(at_hi));
      const double middle = add_rn(lo, mul_rn(sub_rn(hi, lo), part));
      const FieldSample found = at(sampler, middle);
      if (!found.is_known) return;
      hit = found;
      before = middle;
      const bool is_low = (found.value < 0) == (at_lo < 0);
      (is_low ? lo : hi) = middle;
      (is_low ? at_lo : at_hi) = found.value;
    }
  }
};

/// Returns `gradient` at length 1, or `otherwise` if the gradient is 0.
COPSE_HD inline vec3 normal_of_field(const vec3& gradient, const vec3& otherwise) {
  const float scale = largest_component(gradient);
  if (!(scale > 0)) return otherwise;
  const vec3 scaled = div_rn(gradient, scale);
  return div_rn(scaled, length_rn(scaled));
}

}  // namespace detail

/// Returns the first place between t_min and t_max where the interpolated distance changes its sign: where the ray
/// enters the surface, or leaves it if it begins inside. On a smooth surface the error is below a tenth of a voxel.
/// Parts thinner than a quarter of a voxel may be missed.
COPSE_HD inline FieldHit first_surface(const DistanceFieldView& field, const Ray& ray) {
  const FieldHit miss{ray.t_max, vec3(0)};
  if (!is_traceable(ray)) return miss;
  const detail::MarchedRay marched =
      detail::enter_grid(field.bricks.places, ray, detail::march_slack / brick_edge);
  if (!(marched.length >= 0)) return miss;
  const double begin = larger(double(marched.place_of(ray.t_min)), 0.0);
  const double end = smaller(double(marched.place_of(ray.t_max)), double(marched.length));
  const dvec3& slope = marched.slope;
  const double length = sqrt_rn(float(dot_rn(slope, slope)));
  detail::FindSurface find{
      field, marched, begin, end, length * brick_edge, float(field.bricks.shape.cells_per_unit.x)};
  detail::march_bricks(field.bricks, marched, find);
  if (!find.hit.is_known) return miss;
  const vec3 against =
      detail::normal_of_field(vec3(-ray.direction.x, -ray.direction.y, -ray.direction.z), vec3(1, 0, 0));
  return {detail::time_at(marched, ray, find.before), detail::normal_of_field(find.hit.gradient, against)};
}

}  // namespace copse
