// Cameras, pictures of accels, and files of pictures.

#include "capi/picture.h"

#include <algorithm>
#include <cstring>

#include "builders/io/image_file.h"
#include "capi/bridge/render.h"

using namespace copse;
using namespace copse::capi;

namespace {

vec3 vector_of(const float* numbers, const char* what) {
  require(numbers, what);
  return {numbers[0], numbers[1], numbers[2]};
}

copse_camera camera_of(const Camera& camera) {
  copse_camera result;
  std::memcpy(&result, &camera, sizeof(result));
  return result;
}

}  // namespace

copse_status copse_camera_look_at(const float* eye, const float* target, const float* up, float field_of_view,
                                  float aspect, copse_camera* camera) {
  return run("copse_camera_look_at", [&] {
    require(camera, "the camera");
    *camera = camera_of(look_at(vector_of(eye, "the eye"), vector_of(target, "the target"),
                                vector_of(up, "the direction up"), field_of_view, aspect));
  });
}

copse_status copse_camera_frame(const float* lower, const float* upper, float field_of_view, float aspect,
                                copse_camera* camera) {
  return run("copse_camera_frame", [&] {
    require(camera, "the camera");
    const Aabb box{vector_of(lower, "the lower corner"), vector_of(upper, "the upper corner")};
    *camera = camera_of(frame_box(box, field_of_view, aspect));
  });
}

copse_status copse_accel_render(copse_context* context, const copse_accel* accel, const copse_camera* camera,
                                const copse_render_options* options, uint8_t* pixels) {
  return run("copse_accel_render", context, [&](Context& c) {
    const Accel& object = object_of(context, accel, "accel");
    store_picture(camera, options, pixels, [&](const Camera& from, const RenderOptions& of_picture) {
      return render(c, object, from, of_picture);
    });
  });
}

copse_status copse_save_png(const char* path, const uint8_t* pixels, uint32_t width, uint32_t height) {
  return run("copse_save_png", [&] {
    require(path, "the path");
    require(pixels, "the pixels");
    if (u64{width} * height > max_png_pixels(height)) {
      refuse(std::to_string(width) + " x " + std::to_string(height) + " pixels; a file takes " +
             std::to_string(max_png_pixels(height)) + " at most");
    }
    Image image{width, height, std::vector<Rgba8>(u64{width} * height)};
    std::copy_n(pixels, image.pixels.size() * sizeof(Rgba8), reinterpret_cast<uint8_t*>(image.pixels.data()));
    save_png(path, image);
  });
}
