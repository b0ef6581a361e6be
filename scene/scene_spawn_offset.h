#pragma once

// Where secondary rays in a scene begin, so that they never hit the triangle that they leave.
//
//   const copse::SpawnOffset spawn = copse::spawn_offset(scene.view(), triangle_of(hit), hit);
//   const copse::Ray shadow{spawn.origin(to_light), 0, to_light, 1};
//
// The proof continues that of trace/spawn_offset.h. The triangle is tested in the space of its mesh, where a ray has
// the origin W (q - t) and the direction W d. W is the inverse of the transform as the instance stores it, in floats.
// Here W counts as exact, and its inverse M, in double, places the surface in the scene. In the space of the mesh
//   - the origin is rounded by up to 5 u of the sum of |W| |q - t| over each row;
//   - the direction errs by 3 u |W| |d|, which is at most 3 u k of its length, with k = |W| |M| by Frobenius norms.
//     Over the way through the triangle, of sqrt(3) E, a ray comes nearer to the plane by up to 6 u k E.
// A distance x along the normal in the scene is s x in the mesh, with s = |transposed W n|.
//
// In a scene of scenes (scene/nested_view.h) a ray goes down through several instances, and is rounded at each of
// them.
//   - A rounding e of the origin below an instance moves it by up to |n'| |e| towards the plane. n' is the normal of the
//     mesh, transformed by the transposed W of the instances below.
//   - The roundings of the direction below an instance grow by the k of each instance further down: 3 u of the product of
//     these k and its own.

#include "scene/scene_view.h"
#include "trace/spawn_offset.h"

namespace copse {

namespace detail {

/// Three rows in double.
struct SpawnMatrix {
  dvec3 rows[3];

  COPSE_HD static SpawnMatrix inverse_of(const PlacedInstance& instance) {
    SpawnMatrix matrix;
    for (int i = 0; i < 3; ++i) {
      matrix.rows[i] = dvec3(instance.rows[i].x, instance.rows[i].y, instance.rows[i].z);
    }
    return matrix;
  }

  COPSE_HD SpawnMatrix inverted() const {
    const dvec3 columns[3] = {cross_rn(rows[1], rows[2]), cross_rn(rows[2], rows[0]), cross_rn(rows[0], rows[1])};
    const double over = div_rn(1.0, dot_rn(rows[0], columns[0]));
    SpawnMatrix matrix;
    for (int i = 0; i < 3; ++i) {
      matrix.rows[i] = mul_rn(dvec3(columns[0][i], columns[1][i], columns[2][i]), over);
    }
    return matrix;
  }

  COPSE_HD dvec3 times(const dvec3& v) const {
    return dvec3(dot_rn(rows[0], v), dot_rn(rows[1], v), dot_rn(rows[2], v));
  }
  COPSE_HD dvec3 transposed_times(const dvec3& v) const {
    return add_rn(add_rn(mul_rn(rows[0], v.x), mul_rn(rows[1], v.y)), mul_rn(rows[2], v.z));
  }
  COPSE_HD double norm() const {
    return std::sqrt(dot_rn(rows[0], rows[0]) + dot_rn(rows[1], rows[1]) + dot_rn(rows[2], rows[2]));
  }
};

/// Takes a surface out of its mesh, through one instance after the other.
class SpawnWay {
 public:
  COPSE_HD SpawnWay(const Triangle& triangle, float u, float v) : SpawnWay(SpawnSurface(triangle, u, v)) {}

  /// Goes from the space below an instance to the space above it.
  COPSE_HD void leave(const PlacedInstance& instance) {
    const SpawnMatrix inverse = SpawnMatrix::inverse_of(instance), matrix = inverse.inverted();
    const dvec3 translation(instance.rows[0].translation, instance.rows[1].translation,
                            instance.rows[2].translation);
    const dvec3 from_translation = matrix.times(point_);
    const double distortion = mul_rn(inverse.norm(), matrix.norm());
    distortion_below_ = mul_rn(distortion_below_, distortion);
    distortions_ = add_rn(distortions_, distortion_below_);
    for (int i = 0; i < 3; ++i) {
      const double sum = sum_of_magnitudes(mul_rn(inverse.rows[i], from_translation));
      roundings_ = add_rn(roundings_, mul_rn(mul_rn(5.0, magnitude(normal_[i])), sum));
    }
    // M itself, inverted in double, errs by a few times 2^-52 of its distortion.
    const double of_matrix = mul_rn(mul_rn(distortion, largest_component(point_)), 0x1p-24);
    roundings_ = add_rn(roundings_, mul_rn(of_matrix, sum_of_magnitudes(normal_)));
    point_ = add_rn(from_translation, translation);
    normal_ = inverse.transposed_times(normal_);
  }

  COPSE_HD SpawnOffset offset() const {
    const dvec3 unit = at_unit_length(normal_);
    const double scale = dot_rn(unit, normal_);
    if (!(scale > 0)) return {point_, unit, 0};
    const double in_mesh = add_rn(mul_rn(extent_, add_rn(64.0, mul_rn(6.0, distortions_))), roundings_);
    const double roundings = add_rn(in_mesh / scale, sum_of_magnitudes(mul_rn(unit, point_)));
    return {point_, unit, mul_rn(roundings, spawn_rounding)};
  }

 private:
  COPSE_HD explicit SpawnWay(const SpawnSurface& surface)
      : point_(surface.point), normal_(surface.normal), extent_(surface.extent) {}

  dvec3 point_, normal_;  // the normal has length 1 in the mesh, and is transformed by leave
  double extent_;         // of the triangle in the mesh
  double roundings_ = 0;  // in the mesh, in units of 2^-24
  double distortion_below_ = 1, distortions_ = 0;
};

}  // namespace detail

/// Returns where rays that leave a hit in a scene begin. The normal is on the front side in the mesh, even if the
/// instance mirrors it.
///   triangle: the one that was hit, as it is in its mesh
COPSE_HD inline SpawnOffset spawn_offset(const SceneView& scene, const Triangle& triangle, const SceneHit& hit) {
  detail::SpawnWay way(triangle, hit.u, hit.v);
  way.leave(scene.parts.instances[hit.instance]);
  return way.offset();
}

}  // namespace copse
