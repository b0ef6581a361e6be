#include "cli/options/camera_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "primitives/core/error.h"

namespace copse::cli {

namespace {

std::string text(const vec3& p) {
  return fmt::format("{},{},{}", p.x, p.y, p.z);
}

/// Throws: Error invalid_argument if there is nothing to look at.
void check_target(const vec3& eye, const vec3& target) {
  if (eye != target) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--eye and the target are both {}; they must differ", text(eye)));
}

/// Throws: Error invalid_argument if `up` does not say what is up.
void check_up(const vec3& up, const vec3& eye, const vec3& target) {
  if (can_be_up(up, eye, target)) return;
  const std::string fault =
      up == vec3(0) ? "" : fmt::format(", along the view from {} to {}", text(eye), text(target));
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--up is {}{}; it takes a direction across the view, such as {}", text(up), fault,
                          can_be_up(vec3(0, 1, 0), eye, target) ? "0,1,0" : "0,0,1"));
}

}  // namespace

Camera place_camera(const CameraOptions& options, const Aabb& box, float aspect) {
  if (!options.eye) return frame_box(box, options.field_of_view, aspect);
  const vec3 target = options.target.value_or(centroid(box));
  check_target(*options.eye, target);
  if (options.up) check_up(*options.up, *options.eye, target);
  return look_at(*options.eye, target, options.up.value_or(vec3(0, 1, 0)), options.field_of_view, aspect);
}

void add_camera_options(CLI::App& app, CameraOptions& camera) {
  CLI::Option* eye =
      add_point(app, "--eye", camera.eye, "Position of the camera; default: one that sees the whole scene");
  add_point(app, "--target", camera.target, "Point that it looks at, default the centre of the scene; needs --eye")
      ->needs(eye);
  add_point(app, "--up", camera.up, "Up direction, across the view, default 0,1,0; needs --eye")->needs(eye);
  add_real(app, "--fov", camera.field_of_view, 0.1f, 179,
           "Vertical angle of view, 0.1 to 179 degrees, default 40");
}

}  // namespace copse::cli
