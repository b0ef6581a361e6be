#pragma once

// Where secondary rays in a scene begin, so that they never hit the triangle that they leave.
//
//   const copse::SpawnOffset spawn = copse::spawn_offset(scene.view(), triangle_of(hit), hit);
//   const copse::Ray shadow{spawn.origin(to_light), 0, to_light, 1};
//
// The proof continues that of trace/spawn_offset.h. The triangle is tested in the space of its mesh, where a ray has
// the origin W (q - t) and the direction W d. W is the inverse that the instance has in floats; here it is exact by
// definition, and the surface stands where its inverse M, in double, puts it. In the space of the mesh
//   - the origin is rounded by up to 5 u of the sum of |W| |q - t| over each row;
//   - the direction is off by 3 u |W| |d|, which is at most 3 u k of its length, with k = |W| |M| by Frobenius norms.
//     Over the way through the triangle, of sqrt(3) E, a ray comes nearer to the plane by up to 6 u k E.
// A distance x along the normal in the scene is s x in the mesh, with s = |transposed W n|.

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

}  // namespace detail

/// Returns where rays that leave a hit in a scene begin. The normal is on the side that is the
/// front in the mesh, also where the instance mirrors it.
///   triangle: the one that was hit, as it is in its mesh
COPSE_HD inline SpawnOffset spawn_offset(const SceneView& scene, const Triangle& triangle, const SceneHit& hit) {
  const detail::PlacedInstance& instance = scene.parts.instances[hit.instance];
  const detail::SpawnMatrix inverse = detail::SpawnMatrix::inverse_of(instance), matrix = inverse.inverted();
  const dvec3 translation(instance.rows[0].translation, instance.rows[1].translation,
                          instance.rows[2].translation);
  const detail::SpawnSurface surface(triangle, hit.u, hit.v);
  const dvec3 from_translation = matrix.times(surface.point);
  const dvec3 point = add_rn(from_translation, translation);
  const dvec3 normal = inverse.transposed_times(surface.normal);
  const dvec3 unit = detail::at_unit_length(normal);
  const double scale = dot_rn(unit, normal), distortion = mul_rn(inverse.norm(), matrix.norm());

  double roundings_in_mesh = mul_rn(surface.extent, add_rn(64.0, mul_rn(6.0, distortion)));
  for (int i = 0; i < 3; ++i) {
    const double sum = sum_of_magnitudes(mul_rn(inverse.rows[i], from_translation));
    roundings_in_mesh = add_rn(roundings_in_mesh, mul_rn(mul_rn(5.0, magnitude(surface.normal[i])), sum));
  }
  // The matrix itself, inverted in double, is off by a few times 2^-52 of its distortion.
  roundings_in_mesh =
      add_rn(roundings_in_mesh, mul_rn(mul_rn(distortion, largest_component(surface.point)), 0x1p-24));
  if (!(scale > 0)) return {point, unit, 0};
  const double roundings = add_rn(roundings_in_mesh / scale, sum_of_magnitudes(mul_rn(unit, point)));
  return {point, unit, mul_rn(roundings, detail::spawn_rounding)};
}

}  // namespace copse
