#pragma once

#include "builders/geometry/vector_rn.h"
#include "motion/walk/key_time.h"

namespace copse {

/// The transform of an instance at a key, in parts that can be interpolated. A point p of the mesh is placed in the
/// scene at
///
///   rotation (stretch p + pivot) + translation
///
/// Between two keys each part is interpolated linearly, and the rotation is normalised again. From one rotation to
/// the next it takes the shorter way, so keys must be less than half a turn apart. The pivot is a second translation,
/// before the rotation: for a wheel that turns about its hub, it is minus the position of the hub in the mesh. 64
/// bytes, with the layout of OptixSRTData.
struct COPSE_API MotionTransform {
  /// The stretch in rows, and the coordinates of the pivot:
  ///
  ///   x  xy  xz  pivot x
  ///      y   yz  pivot y
  ///          z   pivot z
  float stretch_x = 1, stretch_xy = 0, stretch_xz = 0, pivot_x = 0;
  float stretch_y = 1, stretch_yz = 0, pivot_y = 0;
  float stretch_z = 1, pivot_z = 0;

  /// A quaternion x, y, z, w of any length above 0.
  float rotation[4] = {0, 0, 0, 1};

  float translation[3] = {0, 0, 0};

  /// Returns the parts of a matrix, such as glm::mat4x3(matrix) of a glm::mat4, without a pivot. The rotation is that of
  /// the matrix's columns, made orthogonal one after another. A mirrored matrix has a negative stretch_z.
  /// Source: Gram-Schmidt, as in "Graphics Gems II", 1991, VII.1 (Thomas, "Decomposing a Matrix into Simple
  /// Transformations").
  static MotionTransform of(const glm::mat4x3& matrix);
};

static_assert(sizeof(MotionTransform) == 64);

/// Three rows of four numbers, as in Instance::rows.
struct TransformRows {
  float rows[3][4];
};

namespace detail {

/// Returns the transform with a quaternion of length 1, up to two roundings of 2^-24. If its length is zero, the
/// result is NaN.
COPSE_HD inline MotionTransform with_unit_rotation(const MotionTransform& transform) {
  MotionTransform unit = transform;
  const float(&q)[4] = transform.rotation;
  const float largest = larger(larger(magnitude(q[0]), magnitude(q[1])), larger(magnitude(q[2]), magnitude(q[3])));
  float parts[4], square = 0;
  for (int k = 0; k < 4; ++k) {
    parts[k] = div_rn(q[k], largest);
    square = add_rn(square, mul_rn(parts[k], parts[k]));
  }
  const float length = sqrt_rn(square);
  for (int k = 0; k < 4; ++k) unit.rotation[k] = div_rn(parts[k], length);
  return unit;
}

/// A rotation, computed from products of pairs, so that a quaternion and its negative give the same bits.
struct RotationRows {
  dvec3 rows[3];

  /// The quaternion may have any length.
  COPSE_HD RotationRows(double x, double y, double z, double w) {
    const double square = add_rn(add_rn(mul_rn(x, x), mul_rn(y, y)), add_rn(mul_rn(z, z), mul_rn(w, w)));
    const double s = div_rn(2.0, square);
    const double xx = mul_rn(x, x), yy = mul_rn(y, y), zz = mul_rn(z, z), xy = mul_rn(x, y), xz = mul_rn(x, z),
                 yz = mul_rn(y, z), xw = mul_rn(x, w), yw = mul_rn(y, w), zw = mul_rn(z, w);
    rows[0] = dvec3(sub_rn(1.0, mul_rn(s, add_rn(yy, zz))), mul_rn(s, sub_rn(xy, zw)), mul_rn(s, add_rn(xz, yw)));
    rows[1] = dvec3(mul_rn(s, add_rn(xy, zw)), sub_rn(1.0, mul_rn(s, add_rn(xx, zz))), mul_rn(s, sub_rn(yz, xw)));
    rows[2] = dvec3(mul_rn(s, sub_rn(xz, yw)), mul_rn(s, add_rn(yz, xw)), sub_rn(1.0, mul_rn(s, add_rn(xx, yy))));
  }
};

COPSE_HD inline double between(float p, float q, double part) {
  return add_rn(double(p), mul_rn(part, sub_rn(double(q), double(p))));
}

/// The cosine of half the angle between two rotations. Its sign depends on the signs of the quaternions.
COPSE_HD inline double rotations_dot(const MotionTransform& p, const MotionTransform& q) {
  double dot = 0;
  for (int k = 0; k < 4; ++k) dot = add_rn(dot, mul_rn(double(p.rotation[k]), double(q.rotation[k])));
  return dot;
}

/// The rows of a transform between two keys with unit rotations. It computes in double precision, and rounds each
/// number once. At part 0 the result is that of the first key, if the second key has no NaN or infinity.
COPSE_HD inline TransformRows rows_between(const MotionTransform& p, const MotionTransform& q, float at) {
  const double part = at;
  const float side = rotations_dot(p, q) < 0 ? -1.0f : 1.0f;
  const RotationRows rotation(
      between(p.rotation[0], side * q.rotation[0], part), between(p.rotation[1], side * q.rotation[1], part),
      between(p.rotation[2], side * q.rotation[2], part), between(p.rotation[3], side * q.rotation[3], part));
  const double x = between(p.stretch_x, q.stretch_x, part), xy = between(p.stretch_xy, q.stretch_xy, part),
               xz = between(p.stretch_xz, q.stretch_xz, part), y = between(p.stretch_y, q.stretch_y, part),
               yz = between(p.stretch_yz, q.stretch_yz, part), z = between(p.stretch_z, q.stretch_z, part);
  const dvec3 pivot(between(p.pivot_x, q.pivot_x, part), between(p.pivot_y, q.pivot_y, part),
                    between(p.pivot_z, q.pivot_z, part));
  TransformRows result;
  for (int i = 0; i < 3; ++i) {
    const dvec3& row = rotation.rows[i];
    const double shift = between(p.translation[i], q.translation[i], part);
    result.rows[i][0] = float(mul_rn(row.x, x));
    result.rows[i][1] = float(add_rn(mul_rn(row.x, xy), mul_rn(row.y, y)));
    result.rows[i][2] = float(add_rn(add_rn(mul_rn(row.x, xz), mul_rn(row.y, yz)), mul_rn(row.z, z)));
    result.rows[i][3] = float(add_rn(dot_rn(row, pivot), shift));
  }
  return result;
}

}  // namespace detail

/// Returns the transform of an instance at a time, with the bits that rays use.
///   keys: `key_count` of them, at least 2; the first at time 0, the last at time 1, all equally spaced
///   time: below 0 it counts as 0, above 1 as 1
COPSE_HD inline TransformRows transform_at(const MotionTransform* keys, u32 key_count, float time) {
  const auto at = detail::KeyTime::of(time, key_count);
  return detail::rows_between(detail::with_unit_rotation(keys[at.before]),
                              detail::with_unit_rotation(keys[at.after]), at.part);
}

}  // namespace copse
