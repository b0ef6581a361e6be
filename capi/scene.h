#pragma once

// The C interface: scenes of instances.

#include "accel.h"
#include "base.h"
#include "rays.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bits of copse_instance.flags. The front of a triangle is defined in the space of its mesh.
enum {
  COPSE_INSTANCE_FLIPS_FACING = 1,  // front and back of its triangles are exchanged
  COPSE_INSTANCE_NEVER_CULLS = 2    // rays that cull see both sides of its triangles
};

/// One placement of an accel in a scene: 64 bytes.
typedef struct copse_instance {
  /// Three rows of four numbers. The point (x, y, z) of the mesh stands in the scene at
  /// rows[i][0] x + rows[i][1] y + rows[i][2] z + rows[i][3].
  float rows[3][4];
  uint32_t accel;  // its number among the accels of the scene
  uint32_t mask;   // a ray passes over the instance if their masks share no bit
  uint32_t id;     // the caller's own
  uint32_t flags;
} copse_instance;

#define COPSE_INSTANCE_INIT \
  { {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}, 0, 0xffffffffu, 0, 0 }

/// The closest hit of a ray in a scene: the smallest (t, instance, triangle). On a miss primitive, geometry and
/// instance are COPSE_NO_ID, and t is the ray's t_max. 24 bytes.
typedef struct copse_scene_hit {
  float t;
  uint32_t primitive;  // number of the triangle in its geometry
  uint32_t geometry;   // copse_geometry.id
  float u, v;          // the point is (1 - u - v) a + u b + v c of the triangle in the scene
  uint32_t instance;   // number of the instance in the scene
} copse_scene_hit;

/// Instances of accels, and a tree over them. It keeps the memory of its accels.
typedef struct copse_scene copse_scene;

/// Builds a scene of instances. An instance is left out, and missed by all rays, if its transform cannot be inverted
/// or is not finite, or if its accel has no triangles. All other transforms are valid: mirrored, sheared, of any
/// scale. It does not wait for the device.
///
/// An accel may be refitted and rebuilt in place; then refit or rebuild the scene, since its boxes follow from those
/// of the accels.
///   accels:    `accel_count` of them; the same one may stand there several times
///   instances: `instance_count` of them, in `instances_memory`
///   options:   may be NULL
///   scene:     is set to the new scene, or to NULL after an error
/// Errors: COPSE_INVALID_ARGUMENT, also if an instance on the host names an accel that does not exist;
/// COPSE_CAPACITY past 2^31 instances; COPSE_OUT_OF_MEMORY; COPSE_CANCELLED.
COPSE_C_API copse_status copse_scene_build(copse_context* context, const copse_accel* const* accels,
                                           uint64_t accel_count, const copse_instance* instances,
                                           uint64_t instance_count, copse_memory instances_memory,
                                           const copse_build_options* options, copse_scene** scene);

/// Builds a new tree over instances in the memory of `scene`, with its accels and options. It does not wait for the
/// device. After an error, rebuild it before you use it.
///   instances: any number up to the capacity
/// Errors: as copse_scene_build(); COPSE_INVALID_ARGUMENT if there is too little room.
COPSE_C_API copse_status copse_scene_rebuild(copse_context* context, copse_scene* scene,
                                             const copse_instance* instances, uint64_t instance_count,
                                             copse_memory instances_memory);

/// Fits the tree to instances that have moved. It also takes over their masks, ids, flags and accels. It does not
/// wait for the device.
///   instances: as many as `scene` was built over, in the same order
/// Errors: as copse_scene_build(); COPSE_INVALID_ARGUMENT for another number of instances.
COPSE_C_API copse_status copse_scene_refit(copse_context* context, copse_scene* scene,
                                           const copse_instance* instances, uint64_t instance_count,
                                           copse_memory instances_memory);

/// Destroys a scene, and the accels that were destroyed while it referred to them.
COPSE_C_API void copse_scene_destroy(copse_scene* scene);

/// Returns the number of instances of the last build, in the tree or left out.
COPSE_C_API uint64_t copse_scene_instance_count(const copse_scene* scene);

/// Returns the bytes of memory that the scene holds, without its accels.
COPSE_C_API uint64_t copse_scene_size_bytes(const copse_scene* scene);

/// Measures the tree over the instances. Waits for the device.
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY.
COPSE_C_API copse_status copse_scene_stats(copse_context* context, const copse_scene* scene, copse_stats* stats);

/// Writes the closest hit of every ray. The hits are equal on all backends and for all qualities, bit for bit. It
/// waits if the hits go to the host.
///   rays:    of any layout. Rays that are no records of copse_ray are gathered first
///   hits:    one per ray; must not overlap the rays
///   options: may be NULL
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY, COPSE_CANCELLED.
COPSE_C_API copse_status copse_scene_closest_hits(copse_context* context, const copse_scene* scene,
                                                  const copse_rays* rays, copse_scene_hit* hits,
                                                  copse_memory hits_memory, const copse_trace_options* options);

/// Sets occluded[i] to 1 if ray i hits anything, else to 0. Everything else is as for copse_scene_closest_hits().
COPSE_C_API copse_status copse_scene_any_hits(copse_context* context, const copse_scene* scene,
                                              const copse_rays* rays, uint8_t* occluded,
                                              copse_memory occluded_memory, const copse_trace_options* options);

/// Writes the first k hits of every ray, in order of (t, instance, triangle). Everything else is as for
/// copse_first_hits().
COPSE_C_API copse_status copse_scene_first_hits(copse_context* context, const copse_scene* scene,
                                                const copse_rays* rays, uint32_t k, copse_scene_hit* hits,
                                                copse_memory hits_memory, uint32_t* counts,
                                                copse_memory counts_memory, const copse_trace_options* options);

/// Writes all hits of every ray, in order of (t, instance, triangle). Everything else is as for copse_find_hits().
COPSE_C_API copse_status copse_scene_find_hits(copse_context* context, const copse_scene* scene,
                                               const copse_rays* rays, uint64_t* offsets,
                                               copse_memory offsets_memory, copse_scene_hit* hits, uint64_t room,
                                               copse_memory hits_memory, const copse_trace_options* options);

#ifdef __cplusplus
}
#endif
