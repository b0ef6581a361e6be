#include "trace/camera.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <limits>
#include <numbers>
#include <string>

#include "primitives/core/error.h"

// The host makes cameras in double precision. So all backends get the same floats.

namespace copse {

namespace {

using glm::dvec3;

std::string text(const vec3& p) {
  return "(" + std::to_string(p.x) + ", " + std::to_string(p.y) + ", " + std::to_string(p.z) + ")";
}

void check_lens(const char* function, float field_of_view, float aspect) {
  if (!(field_of_view > 0 && field_of_view < 180)) {
    throw Error(ErrorCode::invalid_argument, std::string(function) + ": the field of view is " +
                                                 std::to_string(field_of_view) +
                                                 " degrees; it can be above 0 and below 180");
  }
  if (!(aspect > 0 && is_finite(aspect))) {
    throw Error(ErrorCode::invalid_argument, std::string(function) + ": the aspect is " + std::to_string(aspect) +
                                                 "; it can be any finite number above 0");
  }
}

void check_point(const char* name, const vec3& p) {
  if (!is_finite(p)) {
    throw Error(ErrorCode::invalid_argument,
                std::string("look_at: ") + name + " is " + text(p) + "; it must be finite");
  }
}

/// Half the height of the image plane at distance 1.
double half_height(float field_of_view) {
  return std::tan(double(field_of_view) * std::numbers::pi / 360);
}

vec3 to_float(const dvec3& p) {
  const double most = std::numeric_limits<float>::max();
  return vec3(glm::clamp(p, dvec3(-most), dvec3(most)));
}

/// Three directions of length 1, at right angles.
struct Frame {
  dvec3 forward, right, up;
};

///   forward: of length 1
bool is_across(const dvec3& up, const dvec3& forward) {
  const double length = glm::length(up);
  return length > 0 && !(glm::length(glm::cross(forward, up / length)) < 1e-6);
}

Frame frame_along(const dvec3& direction, dvec3 up) {
  const dvec3 forward = glm::normalize(direction);
  if (!is_across(up, forward)) up = std::abs(forward.y) < 0.9 ? dvec3(0, 1, 0) : dvec3(0, 0, 1);
  const dvec3 right = glm::normalize(glm::cross(forward, up));
  return {forward, right, glm::cross(right, forward)};
}

Camera make_camera(const dvec3& eye, const Frame& frame, float field_of_view, float aspect) {
  const double height = half_height(field_of_view);
  return {to_float(eye), to_float(frame.forward), to_float(frame.right * height * double(aspect)),
          to_float(frame.up * height)};
}

/// One axis of the image: finds where the eye must be, and how far back, to see all corners.
///
/// Let s be the slope of the edge of view. Corner (x, z) is in view from (place, -distance) if
/// |x - place| <= s (z + distance). So place is at least max(x - s z) - s distance and at most
/// min(x + s z) + s distance.
class AxisFit {
 public:
  explicit AxisFit(double slope) : slope_(slope) {}
  void add(double x, double z) {
    max_ = std::max(max_, x - slope_ * z);
    min_ = std::min(min_, x + slope_ * z);
  }
  double place() const { return (max_ + min_) / 2; }
  double distance() const { return (max_ - min_) / (2 * slope_); }

 private:
  double slope_;
  double max_ = -std::numeric_limits<double>::infinity();
  double min_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Camera look_at(const vec3& eye, const vec3& target, const vec3& up, float field_of_view, float aspect) {
  check_lens("look_at", field_of_view, aspect);
  check_point("eye", eye);
  check_point("target", target);
  check_point("up", up);
  if (eye == target) throw Error(ErrorCode::invalid_argument, "look_at: eye and target are both " + text(eye));
  return make_camera(dvec3(eye), frame_along(dvec3(target) - dvec3(eye), dvec3(up)), field_of_view, aspect);
}

bool can_be_up(const vec3& up, const vec3& eye, const vec3& target) {
  return eye != target && is_across(dvec3(up), glm::normalize(dvec3(target) - dvec3(eye)));
}

Camera frame_box(const Aabb& box, float field_of_view, float aspect) {
  check_lens("frame_box", field_of_view, aspect);
  const bool empty = is_empty(box);
  if (!empty && !is_valid(box)) {
    throw Error(ErrorCode::invalid_argument, "frame_box: the box is " + text(box.lo) + " to " + text(box.hi));
  }
  const dvec3 lo = empty ? dvec3(0) : dvec3(box.lo), hi = empty ? dvec3(0) : dvec3(box.hi);
  const dvec3 centre = (lo + hi) * 0.5, half = (hi - lo) * 0.5;
  const Frame frame = frame_along(dvec3(-0.55, -0.6, -1.0), dvec3(0, 1, 0));

  const double height = half_height(field_of_view);
  AxisFit across(height * double(aspect)), along(height);
  for (int corner = 0; corner < 8; ++corner) {
    const dvec3 p = half * dvec3(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    across.add(glm::dot(p, frame.right), glm::dot(p, frame.forward));
    along.add(glm::dot(p, frame.up), glm::dot(p, frame.forward));
  }

  // A margin of 5 percent. The eye keeps a distance from a small box that floats can resolve there.
  const double reach = std::max({std::abs(centre.x), std::abs(centre.y), std::abs(centre.z)});
  const double least = half == dvec3(0) ? std::max(1.0, reach * 1e-3) : reach * 1e-5;
  const double distance = std::max(1.05 * std::max(across.distance(), along.distance()), least);
  const dvec3 eye = centre + frame.right * across.place() + frame.up * along.place() - frame.forward * distance;
  return make_camera(eye, frame, field_of_view, aspect);
}

}  // namespace copse
