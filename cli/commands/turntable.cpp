#include "cli/commands/turntable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/vec3.hpp>
#include <numbers>

#include "builders/io/image_file.h"
#include "cli/files.h"
#include "cli/output.h"
#include "primitives/core/error.h"

namespace copse::cli {

namespace {

using glm::dvec3;

/// Turns vectors around an axis.
struct Turn {
  dvec3 axis;  // of length 1
  double sine, cosine;

  /// Rodrigues' formula.
  dvec3 operator()(const dvec3& v) const {
    return v * cosine + glm::cross(axis, v) * sine + axis * (glm::dot(axis, v) * (1 - cosine));
  }
};

Camera turned(const Camera& camera, const dvec3& centre, const Turn& turn) {
  return {.eye = vec3(centre + turn(dvec3(camera.eye) - centre)),
          .forward = vec3(turn(dvec3(camera.forward))),
          .right = vec3(turn(dvec3(camera.right))),
          .up = vec3(turn(dvec3(camera.up)))};
}

/// Returns a camera that looks at the centre of a box from an oblique direction, and sees the sphere around it.
Camera frame_sphere(const Aabb& box, float field_of_view, float aspect) {
  if (is_empty(box)) return frame_box(box, field_of_view, aspect);
  const dvec3 lo(box.lo), hi(box.hi), centre = (lo + hi) * 0.5, half = (hi - lo) * 0.5;
  const double up_angle = field_of_view * std::numbers::pi / 360,
               across_angle = std::atan(std::tan(up_angle) * aspect);
  const double distance = 1.05 * std::sqrt(glm::dot(half, half)) / std::sin(std::min(up_angle, across_angle));
  const vec3 eye(centre + glm::normalize(dvec3(0.55, 0.6, 1)) * distance);
  if (eye == vec3(centre)) return frame_box(box, field_of_view, aspect);
  return look_at(eye, vec3(centre), vec3(0, 1, 0), field_of_view, aspect);
}

}  // namespace

std::vector<Camera> place_cameras(const CameraOptions& options, const Aabb& box, float aspect, u32 frames) {
  if (frames == 0) return {place_camera(options, box, aspect)};
  const Camera first =
      options.eye ? place_camera(options, box, aspect) : frame_sphere(box, options.field_of_view, aspect);
  const dvec3 centre = options.target ? dvec3(*options.target) : dvec3(is_empty(box) ? vec3(0) : centroid(box));
  const dvec3 up(options.eye ? options.up.value_or(vec3(0, 1, 0)) : vec3(0, 1, 0));
  const dvec3 axis = up / std::sqrt(glm::dot(up, up));
  std::vector<Camera> cameras{first};
  for (u32 frame = 1; frame < frames; ++frame) {
    const double angle = 2 * std::numbers::pi * frame / frames;
    cameras.push_back(turned(first, centre, {axis, std::sin(angle), std::cos(angle)}));
  }
  return cameras;
}

void add_turntable(CLI::App& command, u32& frames) {
  add_count(
      command, "--turntable", frames, 1, 10000,
      "Pictures that turn once around the scene, into the folder or side by side into the file that -o names");
}

std::string frames_in_words(u32 frames) {
  return frames == 0 ? "" : fmt::format("{} frames of ", frames);
}

PictureFiles::PictureFiles(const std::string& output, const std::vector<std::string>& inputs, u32 width,
                           u32 height, u32 frames)
    : output_(output), frames_(frames), in_folder_(frames > 0 && !has_ending(output, ".png")) {
  if (in_folder_ && !std::filesystem::is_directory(output)) {
    throw Error(ErrorCode::bad_file,
                fmt::format("'{}': with --turntable, -o takes an existing folder, or a .png for a strip", output));
  }
  check_output(in_folder_ ? frame_name(0) : output, ".png", inputs);
  const u64 full_width = u64{width} * (is_strip() ? frames : 1), limit = max_png_pixels(height);
  if (full_width * height > limit) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the picture of {} x {} has {} pixels; a PNG of this height can have up to {}",
                            full_width, height, grouped(full_width * height), grouped(limit)));
  }
  if (is_strip()) strip_ = {u32(full_width), height, std::vector<Rgba8>(full_width * height)};
}

void PictureFiles::add(Image image) {
  const u32 frame = next_++;
  if (!is_strip()) return save_png(in_folder_ ? frame_name(frame) : output_, image);
  for (u32 y = 0; y < image.height; ++y) {
    const auto row = image.pixels.begin() + std::ptrdiff_t(u64{y} * image.width);
    std::copy_n(row, image.width,
                strip_.pixels.begin() + std::ptrdiff_t(u64{y} * strip_.width + u64{frame} * image.width));
  }
}

void PictureFiles::finish() {
  if (is_strip()) save_png(output_, strip_);
}

std::string PictureFiles::frame_name(u32 frame) const {
  return (std::filesystem::path(output_) / fmt::format("frame-{:04}.png", frame)).string();
}

}  // namespace copse::cli
