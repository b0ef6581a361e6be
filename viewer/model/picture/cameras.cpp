#include "viewer/model/picture/cameras.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/trigonometric.hpp>
#include <string>

#include "primitives/core/error.h"

namespace copse::viewer {

namespace {

using glm::dvec3;

constexpr float min_field = 5, max_field = 150;
constexpr double max_pitch = 89.0;  // degrees above and below the horizon

/// How far a drag over the whole height of the picture turns the camera, in degrees.
constexpr double orbit_degrees = 240, look_degrees = 90;

dvec3 turned(const dvec3& v, double degrees, const dvec3& axis) {
  return glm::angleAxis(glm::radians(degrees), axis) * v;
}

/// Directions of length 1, orthogonal to each other.
struct Axes {
  dvec3 forward, right, up;
};

Axes axes_of(const CameraPose& pose) {
  const dvec3 forward = glm::normalize(dvec3(pose.target) - dvec3(pose.eye));
  dvec3 up(pose.up);
  if (glm::length(glm::cross(forward, up)) < 1e-6)
    up = std::abs(forward.y) < 0.9 ? dvec3(0, 1, 0) : dvec3(0, 0, 1);
  const dvec3 right = glm::normalize(glm::cross(forward, up));
  return {forward, right, glm::cross(right, forward)};
}

/// Turns a direction to the right about `up`, and upwards. Keeps it away from the poles of `up`.
dvec3 turned_direction(const dvec3& direction, const dvec3& up, double right_degrees, double up_degrees) {
  const double length = glm::length(direction);
  const dvec3 pole = glm::normalize(up);
  const double pitch = glm::degrees(std::asin(std::clamp(glm::dot(direction / length, pole), -1.0, 1.0)));
  const double wanted = std::clamp(pitch + up_degrees, -max_pitch, max_pitch);
  dvec3 level = direction / length - pole * glm::dot(direction / length, pole);
  if (glm::length(level) < 1e-9) {
    level = glm::cross(pole, std::abs(pole.x) < 0.9 ? dvec3(1, 0, 0) : dvec3(0, 0, 1));
  }
  level = turned(glm::normalize(level), -right_degrees, pole);
  const double angle = glm::radians(wanted);
  return (level * std::cos(angle) + pole * std::sin(angle)) * length;
}

double half_height(float field_of_view) {
  return std::tan(glm::radians(double(field_of_view)) / 2);
}

}  // namespace

void CameraRig::set_pose(const CameraPose& pose) {
  look_at(pose.eye, pose.target, pose.up, pose.field_of_view, 1);  // throws for a pose that cannot be rendered
  pose_ = pose;
  framed_.reset();
}

Camera CameraRig::camera(float aspect) const {
  return look_at(pose_.eye, pose_.target, pose_.up, pose_.field_of_view, aspect);
}

void CameraRig::set_scene(const Aabb& box) {
  const bool usable = is_valid(box) && box.lo != box.hi;
  diagonal_ = usable ? float(glm::length(dvec3(box.hi) - dvec3(box.lo))) : 2.0f;
}

void CameraRig::frame(const Aabb& box, float aspect) {
  const Aabb shown = is_valid(box) ? box : Aabb{vec3(-1), vec3(1)};
  set_scene(shown);
  const Camera camera = frame_box(shown, pose_.field_of_view, aspect);
  const dvec3 eye(camera.eye), centre(centroid(shown));
  const double distance = std::max(glm::dot(centre - eye, dvec3(camera.forward)), 1e-6 * double(diagonal_));
  pose_.eye = camera.eye;
  pose_.target = vec3(eye + dvec3(camera.forward) * distance);
  pose_.up = vec3(0, 1, 0);
  framed_ = pose_;
  framed_aspect_ = aspect;
}

void CameraRig::keep_framed(const Aabb& box, float aspect) {
  if (is_framed() && aspect != framed_aspect_) frame(box, aspect);
}

void CameraRig::step_back(const Aabb& box, float before, float after) {
  if (!(after < before)) return;
  const Axes axes = axes_of(pose_);
  const dvec3 eye(pose_.eye), target(pose_.target);
  const double height = half_height(pose_.field_of_view), distance = glm::length(target - eye);
  double way = distance * (double(before) / double(after) - 1);
  for (int corner = 0; is_valid(box) && corner < 8; ++corner) {
    const dvec3 p = dvec3(corner & 1 ? box.hi.x : box.lo.x, corner & 2 ? box.hi.y : box.lo.y,
                          corner & 4 ? box.hi.z : box.lo.z) -
                    eye;
    const double depth = glm::dot(p, axes.forward), across = std::abs(glm::dot(p, axes.right));
    const bool is_seen =
        depth > 0 && across <= depth * height * before && std::abs(glm::dot(p, axes.up)) <= depth * height;
    if (is_seen) way = std::max(way, across / (height * double(after)) - depth);
  }
  take(eye - axes.forward * way, target);
}

void CameraRig::look_along(u32 axis, bool negative) {
  dvec3 direction(0);
  direction[int(std::min(axis, 2u))] = negative ? -1 : 1;
  const double distance = glm::length(dvec3(pose_.target) - dvec3(pose_.eye));
  if (!take(dvec3(pose_.target) - direction * distance, dvec3(pose_.target))) return;
  pose_.up = axis == 1 ? vec3(0, 0, negative ? -1 : 1) : vec3(0, 1, 0);
}

bool CameraRig::take(const glm::dvec3& eye, const glm::dvec3& target) {
  const vec3 to_eye(eye), to_target(target);
  if (!is_finite(to_eye) || !is_finite(to_target) || to_eye == to_target) return false;
  pose_.eye = to_eye;
  pose_.target = to_target;
  return true;
}

void CameraRig::orbit(float right, float up) {
  const dvec3 arm = dvec3(pose_.eye) - dvec3(pose_.target);
  const dvec3 target(pose_.target);
  take(target + turned_direction(arm, pose_.up, double(right) * orbit_degrees, double(up) * -orbit_degrees),
       target);
}

void CameraRig::look(float right, float up) {
  const dvec3 view = dvec3(pose_.target) - dvec3(pose_.eye);
  const double degrees = look_degrees * double(pose_.field_of_view) / 60;
  const dvec3 eye(pose_.eye);
  take(eye, eye + turned_direction(view, pose_.up, double(right) * degrees, double(up) * degrees));
}

void CameraRig::pan(float right, float up) {
  const Axes axes = axes_of(pose_);
  const double height = 2 * half_height(pose_.field_of_view) * glm::length(dvec3(pose_.target) - dvec3(pose_.eye));
  const dvec3 motion = (axes.right * double(right) + axes.up * double(up)) * height;
  take(dvec3(pose_.eye) + motion, dvec3(pose_.target) + motion);
}

void CameraRig::dolly(float steps) {
  scale_distance(std::pow(0.9, std::clamp(double(steps), -50.0, 50.0)));
}

void CameraRig::scale_distance(double factor) {
  const dvec3 arm = dvec3(pose_.eye) - dvec3(pose_.target);
  const double length = glm::length(arm);
  const double wanted = length * factor;
  const double kept = std::clamp(wanted, 1e-4 * double(diagonal_), 1e4 * double(diagonal_));
  take(dvec3(pose_.target) + arm * (kept / length), dvec3(pose_.target));
}

void CameraRig::move(float right, float up, float forward, double seconds) {
  const Axes axes = axes_of(pose_);
  dvec3 ahead = axes.forward, above = axes.up;
  if (mode == CameraMode::first_person) {
    above = glm::normalize(dvec3(pose_.up));
    const dvec3 level = ahead - above * glm::dot(ahead, above);
    ahead = glm::length(level) > 1e-6 ? glm::normalize(level) : glm::cross(above, axes.right);
  }
  const double way = double(move_speed) * double(diagonal_) * seconds;
  const dvec3 motion = (axes.right * double(right) + above * double(up) + ahead * double(forward)) * way;
  take(dvec3(pose_.eye) + motion, dvec3(pose_.target) + motion);
}

void CameraRig::drag(float right, float up) {
  if (mode == CameraMode::orbit) {
    orbit(-right, -up);
  } else {
    look(right, up);
  }
}

void CameraRig::set_field_of_view(float degrees) {
  if (is_finite(degrees)) pose_.field_of_view = std::clamp(degrees, min_field, max_field);
}

glm::mat4 view_projection(const Camera& camera, float near, float far) {
  // The vectors right and up of a camera reach the edge of the picture at distance 1.
  const dvec3 right(camera.right), up(camera.up), forward(camera.forward), eye(camera.eye);
  const dvec3 x = right / glm::dot(right, right), y = up / glm::dot(up, up);
  const double n = near, f = far, depth = (f + n) / (f - n), offset = -2 * f * n / (f - n);
  const auto row = [&](const dvec3& v, double w) { return glm::dvec4(v, w - glm::dot(v, eye)); };
  const glm::dvec4 along = row(forward, 0);
  const glm::dvec4 rows[] = {row(x, 0), row(y, 0), along * depth + glm::dvec4(0, 0, 0, offset), along};
  glm::mat4 matrix;
  for (int column = 0; column < 4; ++column) {
    for (int r = 0; r < 4; ++r) matrix[column][r] = float(rows[r][column]);
  }
  return matrix;
}

}  // namespace copse::viewer
