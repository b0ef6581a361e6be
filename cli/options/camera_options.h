#pragma once

#include <optional>

#include "cli/options/options.h"
#include "trace/camera.h"

namespace copse::cli {

/// The pose of a camera. Without an eye it sees the whole scene.
struct CameraOptions {
  std::optional<vec3> eye, target, up;
  float field_of_view = 40;
};

/// Adds --eye, --target, --up and --fov.
void add_camera_options(CLI::App& app, CameraOptions& camera);

/// The names of those options.
inline constexpr const char* camera_option_names[] = {"--eye", "--target", "--up", "--fov"};

/// Returns the camera for a scene with these bounds.
/// Throws: Error invalid_argument if the eye is at the target, or if `up` is given and is 0 or lies along the view.
Camera place_camera(const CameraOptions& options, const Aabb& box, float aspect);

}  // namespace copse::cli
