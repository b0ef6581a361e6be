#pragma once

// The C interface: cameras, and pictures of an accel.

#include "accel.h"
#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Cameras --------------------------------------------------------------------------------------------

/// A pinhole camera: rays from `eye` through the centres of pixels. The ray through pixel (x, y), counted from the upper
/// left, has the direction forward + s right + t up, scaled to length 1, where s is (2 x + 1) / width - 1 and t is
/// 1 - (2 y + 1) / height.
typedef struct copse_camera {
  float eye[3];      // where it stands
  float forward[3];  // to the middle of the picture
  float right[3];    // from the middle to the right edge
  float up[3];       // from the middle to the upper edge
} copse_camera;

/// Stores a camera at `eye` that looks at `target`.
///   up:            which way is up in the picture; if it lies along the view, another direction replaces it
///   field_of_view: vertical, in degrees, more than 0 and less than 180
///   aspect:        width over height, more than 0
/// Errors: COPSE_INVALID_ARGUMENT for values out of range, for points that are not finite, and if eye equals target. Its
/// message is copse_last_error(NULL).
COPSE_C_API copse_status copse_camera_look_at(const float eye[3], const float target[3], const float up[3],
                                              float field_of_view, float aspect, copse_camera* camera);

/// Stores a camera that sees all of a box from an oblique direction, with y up. copse_accel_stats() tells the box of a
/// tree.
///   field_of_view, aspect: as for copse_camera_look_at()
/// Errors: as copse_camera_look_at().
COPSE_C_API copse_status copse_camera_frame(const float lower[3], const float upper[3], float field_of_view,
                                            float aspect, copse_camera* camera);

// ---- Pictures -------------------------------------------------------------------------------------------

/// The colours of a picture.
typedef int32_t copse_shading;
enum {
  COPSE_SHADING_NORMAL = 0,             // a lamp at the eye, tinted by the normals of triangles
  COPSE_SHADING_PRIMITIVE = 1,          // a colour for each triangle
  COPSE_SHADING_DISTANCE = 2,           // near bright, far dark
  COPSE_SHADING_AMBIENT_OCCLUSION = 3,  // the share of short rays from the surface that hit nothing
  COPSE_SHADING_HEAT = 4                // the number of nodes and triangles that the ray visits
};

/// Options of copse_accel_render() and copse_scene_render().
typedef struct copse_render_options {
  size_t struct_size;

  /// Pixels, 1 to 16,384 each. Default: 1024.
  uint32_t width;
  uint32_t height;

  /// Default: COPSE_SHADING_NORMAL.
  copse_shading shading;

  /// For ambient occlusion: rays per pixel, 1 to 4096. Default: 32.
  uint32_t ambient_rays;

  /// For ambient occlusion: how far these rays reach. 0, the default: a quarter of the diagonal of the box.
  float ambient_distance;

  /// For heat: the visits that count as hottest. 0, the default: the most of the picture.
  uint32_t heat_limit;
} copse_render_options;

#define COPSE_RENDER_OPTIONS_INIT \
  { sizeof(copse_render_options), 1024, 1024, COPSE_SHADING_NORMAL, 32, 0, 0 }

/// Stores a picture of the triangles. It is equal on all backends, bit for bit; heat alone differs by a few visits. Masks of
/// geometries have no effect. Waits.
///   options: may be NULL
///   pixels:  width * height of them on the host: red, green, blue and alpha, a byte each, row by row from the upper left
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY, COPSE_CANCELLED.
COPSE_C_API copse_status copse_accel_render(copse_context* context, const copse_accel* accel,
                                            const copse_camera* camera, const copse_render_options* options,
                                            uint8_t* pixels);

/// Writes a picture as a PNG file, which appears under its name when it is complete.
///   pixels: as copse_accel_render() stores them
/// Errors: COPSE_BAD_FILE; COPSE_INVALID_ARGUMENT for no pixels, or more than about 134 million; COPSE_OUT_OF_MEMORY. Their
/// message is copse_last_error(NULL).
COPSE_C_API copse_status copse_save_png(const char* path, const uint8_t* pixels, uint32_t width, uint32_t height);

#ifdef __cplusplus
}
#endif
