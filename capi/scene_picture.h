#pragma once

// The C interface: pictures of scenes.

#include "picture.h"
#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The triangles of an accel of a scene, and their colours.
typedef struct copse_scene_mesh {
  /// Those of the last build, rebuild or refit of the accel. Geometry i must have the id i.
  const copse_geometry* geometries;
  uint64_t geometry_count;  // of them

  /// Red, green, blue and alpha of each geometry: linear numbers from 0 to 1, on the host. NULL: all are white.
  const float* colours;
} copse_scene_mesh;

/// Stores a picture of a scene, as copse_accel_render() does of an accel. COPSE_SHADING_NORMAL is tinted by the colours of
/// geometries, and COPSE_SHADING_PRIMITIVE has a colour for each instance. Copies all triangles first. Waits.
///   meshes:    one for each accel of the scene, in order
///   instances: those that the scene was last built over or refitted to, in order
///   options:   may be NULL
///   pixels:    as for copse_accel_render()
/// Errors: COPSE_INVALID_ARGUMENT, also for another number of meshes or instances than the scene has, and for ids of
/// geometries that do not count from 0; COPSE_CAPACITY past 2^32 - 1 triangles of all meshes; COPSE_OUT_OF_MEMORY,
/// COPSE_CANCELLED.
COPSE_C_API copse_status copse_scene_render(copse_context* context, const copse_scene* scene,
                                            const copse_scene_mesh* meshes, uint64_t mesh_count,
                                            const copse_instance* instances, uint64_t instance_count,
                                            copse_memory instances_memory, const copse_camera* camera,
                                            const copse_render_options* options, uint8_t* pixels);

#ifdef __cplusplus
}
#endif
