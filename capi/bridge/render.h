#pragma once

// What pictures of accels and of scenes share.

#include <cstring>

#include "accel/accel_render.h"
#include "capi/bridge/call.h"
#include "capi/picture.h"

namespace copse::capi {

/// Returns the options of a picture; null means the defaults. Throws: Error invalid_argument.
inline RenderOptions render_options_of(const copse_render_options* given) {
  const copse_render_options defaults = COPSE_RENDER_OPTIONS_INIT;
  const copse_render_options options = read_struct("copse_render_options", given, defaults);
  if (options.shading < COPSE_SHADING_NORMAL || options.shading > COPSE_SHADING_HEAT) {
    refuse("shading is " + std::to_string(options.shading) + "; it can be 0 to 4");
  }
  return {.width = options.width,
          .height = options.height,
          .shading = Shading(options.shading),
          .ambient_rays = options.ambient_rays,
          .ambient_distance = options.ambient_distance,
          .heat_limit = options.heat_limit};
}

/// Stores the picture that `render(camera, options)` returns. Throws: Error invalid_argument for null addresses.
template <class Render>
void store_picture(const copse_camera* camera, const copse_render_options* options, uint8_t* pixels,
                   const Render& render) {
  static_assert(sizeof(copse_camera) == sizeof(Camera));
  require(camera, "the camera");
  require(pixels, "the pixels");
  Camera from;
  std::memcpy(&from, camera, sizeof(from));
  const Image image = render(from, render_options_of(options));
  std::memcpy(pixels, image.pixels.data(), image.pixels.size() * sizeof(Rgba8));
}

}  // namespace copse::capi
