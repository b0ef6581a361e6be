#include "cli/options/camera_options.h"

#include <CLI/CLI.hpp>

namespace copse::cli {

Camera place_camera(const CameraOptions& options, const Aabb& box, float aspect) {
  if (!options.eye) return frame_box(box, options.field_of_view, aspect);
  const vec3 target = options.target.value_or(centroid(box));
  return look_at(*options.eye, target, options.up.value_or(vec3(0, 1, 0)), options.field_of_view, aspect);
}

void add_camera_options(CLI::App& app, CameraOptions& camera) {
  CLI::Option* eye =
      add_point(app, "--eye", camera.eye, "Position of the camera; default: one that sees the whole scene");
  add_point(app, "--target", camera.target, "Point that it looks at, default the centre of the scene; needs --eye")
      ->needs(eye);
  add_point(app, "--up", camera.up, "Up direction, default 0,1,0; needs --eye")->needs(eye);
  add_real(app, "--fov", camera.field_of_view, 0.1f, 179,
           "Vertical angle of view, 0.1 to 179 degrees, default 40");
}

}  // namespace copse::cli
