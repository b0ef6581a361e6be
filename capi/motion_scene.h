#pragma once

// The C interface: instances that move while a picture is taken. Each ray has a time.

#include "motion.h"
#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The transform of an instance at a key, in parts that can be interpolated. A point p of the mesh stands in the scene at
///
///   turned by rotation (stretch p + pivot) + translation
///
/// Between two keys each part goes on a straight line, and the rotation is brought back to length 1. Of the two ways
/// from one rotation to the next it takes the shorter one, so keys are less than half a turn apart. The pivot is a
/// second translation, before the rotation: for a wheel that turns about its hub, it is minus the place of the hub in
/// the mesh. 64 bytes, laid out as OptixSRTData.
typedef struct copse_motion_transform {
  float stretch_x, stretch_xy, stretch_xz, pivot_x;  // the first row of the stretch, and a coordinate of the pivot
  float stretch_y, stretch_yz, pivot_y;              // the second row, which begins with 0
  float stretch_z, pivot_z;                          // the third row, which begins with two zeros
  float rotation[4];                                 // a quaternion x, y, z, w of any length above 0
  float translation[3];
} copse_motion_transform;

#define COPSE_MOTION_TRANSFORM_INIT            \
  {                                            \
    1, 0, 0, 0, 1, 0, 0, 1, 0, {0, 0, 0, 1}, { \
      0, 0, 0                                  \
    }                                          \
  }

/// Takes transforms apart, without a pivot. The rotation is that of the columns, made orthogonal one after another. A
/// mirrored transform has a negative stretch_z.
///   rows:       12 floats each, on the host: three rows of four, as copse_instance.rows
///   transforms: `count` of them, on the host; is set
/// Errors: COPSE_INVALID_ARGUMENT. Their message is copse_last_error(NULL).
COPSE_C_API copse_status copse_motion_transforms_of(const float* rows, uint64_t count,
                                                    copse_motion_transform* transforms);

/// Instances that move. All arrays are in the same memory.
typedef struct copse_motion_instances {
  size_t struct_size;

  /// Those of instance 0 at each key, then those of instance 1, and so on: count * key_count of them.
  const copse_motion_transform* transforms;
  uint64_t count;

  /// The first key has time 0, the last has time 1, and all are equally far apart: 2 to 65535. Default: 2.
  uint32_t key_count;

  /// Where the arrays are. Numbers of accels in host memory are always checked. Default: COPSE_MEMORY_HOST.
  copse_memory memory;

  // One for each instance, the same at all keys.
  const uint32_t* accels;  // those that stand still inside are numbered first. NULL, the default: 0
  const uint32_t*
      masks;            // a ray passes over the instance if their masks share no bit. NULL, the default: all bits
  const uint32_t* ids;  // the caller's own. NULL, the default: the number of the instance
  const uint32_t* flags;  // as copse_instance.flags. NULL, the default: 0
} copse_motion_instances;

#define COPSE_MOTION_INSTANCES_INIT \
  { sizeof(copse_motion_instances), NULL, 0, 2, COPSE_MEMORY_HOST, NULL, NULL, NULL, NULL }

/// Options of copse_motion_scene_build().
typedef struct copse_motion_scene_options {
  size_t struct_size;

  /// Default: COPSE_QUALITY_BALANCED.
  copse_quality quality;

  /// The trees over the instances, each for an equal part of the time: 0 to 256. More trees make smaller boxes, so rays
  /// become faster where instances move by more than their size. Each takes its time to build, and 150 bytes per
  /// instance. Default: 0, which is one between any two keys.
  uint32_t tree_count;

  /// Room for so many instances, so that a rebuild may have more of them than the first build. Default: 0.
  uint64_t capacity;
} copse_motion_scene_options;

#define COPSE_MOTION_SCENE_OPTIONS_INIT \
  { sizeof(copse_motion_scene_options), COPSE_QUALITY_BALANCED, 0, 0 }

/// Instances that move. Their meshes are accels, which stand still inside, or motions, whose vertices move too. It keeps
/// the memory of its accels and motions.
typedef struct copse_motion_scene copse_motion_scene;

/// Builds a scene of instances that move. The hits of a ray are those in a copse_scene of the transforms at its time. An
/// instance is missed at a time when its transform cannot be inverted. It does not wait for the device.
///
/// Accels and motions may be refitted and rebuilt in place; then refit or rebuild the scene.
///   accels:    `accel_count` of them, which stand still inside; may be NULL if there are none
///   motions:   `motion_count` of them, which are numbered after the accels; may be NULL if there are none
///   options:   may be NULL
///   scene:     is set to the new scene, or to NULL after an error
/// Errors: COPSE_INVALID_ARGUMENT, also if an instance on the host names an accel that does not exist; COPSE_CAPACITY
/// past 2^31 instances or transforms; COPSE_OUT_OF_MEMORY; COPSE_CANCELLED.
COPSE_C_API copse_status copse_motion_scene_build(copse_context* context, const copse_accel* const* accels,
                                                  uint64_t accel_count, const copse_motion* const* motions,
                                                  uint64_t motion_count, const copse_motion_instances* instances,
                                                  const copse_motion_scene_options* options,
                                                  copse_motion_scene** scene);

/// Builds new trees in the memory of `scene`, with its accels and options. It does not wait for the device. After an
/// error, rebuild it before you use it.
///   instances: any number up to the capacity, at as many keys
/// Errors: as copse_motion_scene_build(); COPSE_INVALID_ARGUMENT for another number of keys or too little room.
COPSE_C_API copse_status copse_motion_scene_rebuild(copse_context* context, copse_motion_scene* scene,
                                                    const copse_motion_instances* instances);

/// Fits the trees to instances that move otherwise. It also takes over their masks, ids, flags and accels. It does not
/// wait for the device.
///   instances: as many as `scene` was built over, in the same order, at as many keys
/// Errors: as copse_motion_scene_build(); COPSE_INVALID_ARGUMENT for other numbers.
COPSE_C_API copse_status copse_motion_scene_refit(copse_context* context, copse_motion_scene* scene,
                                                  const copse_motion_instances* instances);

COPSE_C_API void copse_motion_scene_destroy(copse_motion_scene* scene);

/// Returns the number of instances of the last build, in the trees or left out.
COPSE_C_API uint64_t copse_motion_scene_instance_count(const copse_motion_scene* scene);

/// Returns the number of keys.
COPSE_C_API uint32_t copse_motion_scene_key_count(const copse_motion_scene* scene);

/// Returns the bytes of memory that the scene holds, without its accels and motions.
COPSE_C_API uint64_t copse_motion_scene_size_bytes(const copse_motion_scene* scene);

/// Writes the closest hit of every ray at its time. The hits are equal on all backends and for all qualities, bit for
/// bit. It waits if the hits go to the host.
///   times:   one per ray, 0 at the first key and 1 at the last; NULL: all rays have `time`
///   options: may be NULL
/// Everything else is as for copse_scene_closest_hits().
COPSE_C_API copse_status copse_motion_scene_closest_hits(copse_context* context, const copse_motion_scene* scene,
                                                         const copse_rays* rays, const float* times,
                                                         copse_memory times_memory, float time,
                                                         copse_scene_hit* hits, copse_memory hits_memory,
                                                         const copse_trace_options* options);

/// Sets occluded[i] to 1 if ray i hits anything at its time, else to 0. Everything else is as for
/// copse_motion_scene_closest_hits().
COPSE_C_API copse_status copse_motion_scene_any_hits(copse_context* context, const copse_motion_scene* scene,
                                                     const copse_rays* rays, const float* times,
                                                     copse_memory times_memory, float time, uint8_t* occluded,
                                                     copse_memory occluded_memory,
                                                     const copse_trace_options* options);

#ifdef __cplusplus
}
#endif
