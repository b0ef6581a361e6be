// The parts of a matrix.

#include "motion/motion_transform.h"

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>

namespace copse {

namespace {

using glm::dmat3;

/// A unit vector orthogonal to `a` and `b`, in place of a column whose length is zero.
dvec3 across(const dvec3& a, const dvec3& b) {
  dvec3 best(0);
  for (int axis = 0; axis < 3; ++axis) {
    dvec3 unit(0);
    unit[axis] = 1;
    const dvec3 rest = unit - a * glm::dot(a, unit) - b * glm::dot(b, unit);
    if (glm::dot(rest, rest) > glm::dot(best, best)) best = rest;
  }
  return glm::normalize(best);
}

/// Normalises `rest`. `length` becomes its length, or 0 if `rest` is only a rounding error of `whole`.
dvec3 direction_of(const dvec3& rest, double whole, const dvec3& a, const dvec3& b, double& length) {
  length = glm::length(rest);
  if (length > 1e-12 * whole && length > 0) return rest / length;
  length = 0;
  return across(a, b);
}

/// The quaternion of a rotation, computed from its largest component.
/// Source: Shepperd, "Quaternion from Rotation Matrix", Journal of Guidance and Control 1(3), 1978.
void store_quaternion(const dmat3& m, float (&q)[4]) {
  const double trace = m[0][0] + m[1][1] + m[2][2];
  int largest = 3;
  for (int i = 0; i < 3; ++i) {
    if (m[i][i] > (largest == 3 ? trace : m[largest][largest])) largest = i;
  }
  double parts[4];
  if (largest == 3) {
    parts[0] = m[1][2] - m[2][1], parts[1] = m[2][0] - m[0][2], parts[2] = m[0][1] - m[1][0];
    parts[3] = 1 + trace;
  } else {
    const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
    parts[i] = 1 + m[i][i] - m[j][j] - m[k][k];
    parts[j] = m[i][j] + m[j][i], parts[k] = m[i][k] + m[k][i];
    parts[3] = m[j][k] - m[k][j];
  }
  const double length =
      std::sqrt(parts[0] * parts[0] + parts[1] * parts[1] + parts[2] * parts[2] + parts[3] * parts[3]);
  for (int i = 0; i < 4; ++i) q[i] = float(parts[i] / length);
}

}  // namespace

MotionTransform MotionTransform::of(const glm::mat4x3& matrix) {
  const dvec3 x(matrix[0]), y(matrix[1]), z(matrix[2]);
  MotionTransform result;
  dmat3 turn;
  double length;
  turn[0] = direction_of(x, 0, dvec3(0), dvec3(0), length);
  result.stretch_x = float(length);
  result.stretch_xy = float(glm::dot(turn[0], y));
  turn[1] = direction_of(y - turn[0] * glm::dot(turn[0], y), glm::length(y), turn[0], dvec3(0), length);
  result.stretch_y = float(length);
  turn[2] = glm::cross(turn[0], turn[1]);
  result.stretch_xz = float(glm::dot(turn[0], z));
  result.stretch_yz = float(glm::dot(turn[1], z));
  result.stretch_z = float(glm::dot(turn[2], z));
  store_quaternion(turn, result.rotation);
  for (int axis = 0; axis < 3; ++axis) result.translation[axis] = matrix[3][axis];
  return result;
}

}  // namespace copse
