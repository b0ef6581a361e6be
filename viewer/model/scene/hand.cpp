#include "viewer/model/scene/hand.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <numbers>

#include "builders/geometry/mesh.h"

namespace copse::viewer {

namespace {

using glm::dmat3;
using glm::dvec2;
using glm::dvec3;

constexpr double degree = std::numbers::pi / 180;

dmat3 linear_part(const Instance& instance) {
  dmat3 m;  // of columns
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) m[column][row] = instance.rows[row][column];
  }
  return m;
}

dvec3 position_of(const Instance& instance) {
  return {instance.rows[0][3], instance.rows[1][3], instance.rows[2][3]};
}

Instance with_transform(Instance instance, const dmat3& m, const dvec3& position) {
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) instance.rows[row][column] = float(m[column][row]);
    instance.rows[row][3] = float(position[row]);
  }
  return instance;
}

/// Returns the rotation about an axis of length 1, by Rodrigues' formula.
dmat3 rotation(const dvec3& axis, double angle) {
  dmat3 m;
  for (int column = 0; column < 3; ++column) {
    dvec3 unit(0);
    unit[column] = 1;
    m[column] = unit * std::cos(angle) + glm::cross(axis, unit) * std::sin(angle) +
                axis * (axis[column] * (1 - std::cos(angle)));
  }
  return m;
}

/// Returns the direction of v in length 1, or `other` if v is shorter than `least`.
dvec3 direction(const dvec3& v, double least, const dvec3& other) {
  const double length = glm::length(v);
  return length > least ? v / length : other;
}

/// Returns a direction at right angles to one of length 1.
dvec3 across(const dvec3& v) {
  const dvec3 size = glm::abs(v);
  const int axis = size.x <= size.y && size.x <= size.z ? 0 : size.y <= size.z ? 1 : 2;
  dvec3 unit(0);
  unit[axis] = 1;
  return glm::normalize(unit - v * v[axis]);
}

/// Returns the rotation of m = rotation * (upper triangle), by Gram and Schmidt.
dmat3 turn_of(const dmat3& m) {
  const double least = 1e-12 * std::max({glm::length(m[0]), glm::length(m[1]), glm::length(m[2])});
  const dvec3 x = direction(m[0], least, dvec3(1, 0, 0));
  const dvec3 y = direction(m[1] - x * glm::dot(x, m[1]), least, across(x));
  return {x, y, glm::cross(x, y)};
}

/// Returns the angles of a rotation about x, then y, then z. Where y is 90 degrees, x and z turn about the same axis, and
/// z is 0.
dvec3 angles_of(const dmat3& r) {
  const double cosine = std::hypot(r[0][0], r[0][1]), y = std::atan2(-r[0][2], cosine);
  if (cosine < 1e-6) return {std::atan2(-r[2][1], r[1][1]), y, 0};
  return {std::atan2(r[1][2], r[2][2]), y, std::atan2(r[0][1], r[0][0])};
}

dmat3 rotation_by(const dvec3& angles) {
  return rotation({0, 0, 1}, angles.z) * rotation({0, 1, 0}, angles.y) * rotation({1, 0, 0}, angles.x);
}

/// A camera's picture, measured at the middle of an instance.
struct View2D {
  dvec3 right, up;       // from the middle of the picture to its edges, in the plane through the instance
  dvec2 half;            // half the width and the height of the picture, in one unit
  dvec2 middle;          // of the instance, in the same unit, from the middle of the picture
  dvec3 towards_viewer;  // of length 1

  View2D(const Camera& camera, const dvec3& at) {
    const dvec3 forward(camera.forward), offset = at - dvec3(camera.eye);
    const double ahead = glm::dot(offset, forward) / glm::dot(forward, forward);
    const double depth = ahead > 0 ? ahead : 1;  // behind the eye there is no plane to move in
    right = dvec3(camera.right) * depth, up = dvec3(camera.up) * depth;
    half = {glm::length(dvec3(camera.right)), glm::length(dvec3(camera.up))};
    const dvec3 in_plane = offset - forward * ahead;
    middle = dvec2(glm::dot(in_plane, right) / glm::dot(right, right), glm::dot(in_plane, up) / glm::dot(up, up)) *
             half;
    towards_viewer = -glm::normalize(forward);
  }

  /// Returns a place in the picture, from its middle.
  dvec2 place(float x, float y) const { return dvec2(2.0 * x - 1, 1 - 2.0 * y) * half; }

  /// Returns the direction in the scene of a step in the picture.
  dvec3 step(const dvec2& by) const { return right * (by.x / half.x) + up * (by.y / half.y); }
};

dvec3 unit_axis(u32 axis) {
  dvec3 unit(0);
  unit[int(axis)] = 1;
  return unit;
}

/// Returns how far to move for a step of the mouse: in the plane of the picture, or along an axis as seen in it.
dvec3 offset_of(const View2D& view, const dvec2& by, const std::optional<u32>& axis) {
  const dvec3 step = view.step(by);
  if (!axis) return step;
  const dvec3 unit = unit_axis(*axis);
  const dvec3 seen = unit - view.towards_viewer * glm::dot(unit, view.towards_viewer);
  const double length = glm::dot(seen, seen);
  return length < 1e-4 ? dvec3(0)
                       : unit * (glm::dot(step, seen) / length);  // an axis that points at the eye stays
}

double angle_of(const dvec2& v) {
  return std::atan2(v.y, v.x);
}

}  // namespace

TransformNumbers numbers_of(const Instance& instance) {
  const dmat3 m = linear_part(instance), turn = turn_of(m);
  const dmat3 rest = glm::transpose(turn) * m;  // an upper triangle
  const dvec3 scale(rest[0][0], rest[1][1], rest[2][2]);
  const auto ratio = [](double a, double b) { return b == 0 ? 0.0 : a / b; };
  return {.position = vec3(position_of(instance)),
          .turn = vec3(angles_of(turn) / degree),
          .scale = vec3(scale),
          .shear = vec3(ratio(rest[1][0], scale.x), ratio(rest[2][0], scale.x), ratio(rest[2][1], scale.y))};
}

Instance with_numbers(Instance instance, const TransformNumbers& numbers) {
  const dvec3 scale(numbers.scale), shear(numbers.shear);
  const dmat3 rest(dvec3(scale.x, 0, 0), dvec3(scale.x * shear.x, scale.y, 0),
                   dvec3(scale.x * shear.y, scale.y * shear.z, scale.z));
  return with_transform(instance, rotation_by(dvec3(numbers.turn) * degree) * rest, dvec3(numbers.position));
}

CellCorners corners_of(const PlacedMeshes& placed, u32 number) {
  const Instance& instance = placed.instances[number];
  const Aabb box = bounds((*placed.meshes)[instance.accel].mesh);
  CellCorners corners = corners_of(is_empty(box) ? Aabb{vec3(0), vec3(0)} : box);
  for (vec3& p : corners) p = vec3(linear_part(instance) * dvec3(p) + position_of(instance));
  return corners;
}

vec3 middle_of(const PlacedMeshes& placed, u32 number) {
  const CellCorners corners = corners_of(placed, number);
  return vec3((dvec3(corners[0]) + dvec3(corners[7])) * 0.5);
}

Instance InstanceHand::at(const Camera& camera, float x, float y) const {
  const dvec3 middle(start_.middle);
  const View2D view(camera, middle);
  const dvec2 from = view.place(start_.x, start_.y), to = view.place(x, y);
  const dmat3 before = linear_part(start_.instance);
  const dvec3 position = position_of(start_.instance);
  if (motion_ == HandMotion::move) {
    return with_transform(start_.instance, before, position + offset_of(view, to - from, axis_));
  }
  dmat3 change(1);
  if (motion_ == HandMotion::turn) {
    const dvec3 axis = axis_ ? unit_axis(*axis_) : view.towards_viewer;
    // About an axis that points away from the viewer, a turn looks the other way round.
    const double sense = glm::dot(axis, view.towards_viewer) < 0 ? -1 : 1;
    change = rotation(axis, sense * (angle_of(to - view.middle) - angle_of(from - view.middle)));
  } else {
    // The mouse may begin at the middle itself. From there, it counts as a hundredth of the picture away.
    const double least = 0.01 * view.half.y;
    const double factor =
        std::max(glm::length(to - view.middle), least * 0.1) / std::max(glm::length(from - view.middle), least);
    for (u32 axis = 0; axis < 3; ++axis) change[int(axis)] *= !axis_ || axis_ == axis ? factor : 1.0;
  }
  return with_transform(start_.instance, change * before, middle + change * (position - middle));
}

}  // namespace copse::viewer
