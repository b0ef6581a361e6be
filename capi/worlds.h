#pragma once

// The C interface: many small meshes at once, and many scenes that do not see each other.

#include "accel.h"
#include "base.h"
#include "geometry.h"
#include "rays.h"
#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Batches of meshes ----------------------------------------------------------------------------------

/// The acceleration structures of many meshes, built together. Scenes and worlds take their meshes as accels. Each is
/// equal, byte for byte, to the one that copse_accel_build() makes of the mesh with COPSE_QUALITY_FAST.
typedef struct copse_batch copse_batch;

/// Builds the acceleration structures of meshes. It does not wait for the device.
///
/// The batch reads the arrays where they are, at each refit and rebuild: keep them there, and write new positions to
/// the same memory.
///   meshes: one geometry for each mesh, all with the same struct_size; any sizes, 0 and 1 triangle among them
///   batch:  is set to the new batch, or to NULL after an error
/// Errors: as copse_accel_build().
COPSE_C_API copse_status copse_batch_build(copse_context* context, const copse_geometry* meshes,
                                           uint64_t mesh_count, copse_batch** batch);

/// Builds all structures anew over the triangles that are in the arrays of the build now. It does not wait for the
/// device.
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY, COPSE_CANCELLED.
COPSE_C_API copse_status copse_batch_rebuild(copse_context* context, copse_batch* batch);

/// Fits the trees to positions that have changed in the arrays of the build. It does not wait for the device.
///   moved: one word for each mesh; meshes with a 0 stay as they are. NULL: all have moved
/// Errors: as copse_batch_rebuild().
COPSE_C_API copse_status copse_batch_refit(copse_context* context, copse_batch* batch, const uint32_t* moved,
                                           copse_memory moved_memory);

/// Destroys a batch. The memory of one that a scene or worlds refer to is freed with them.
COPSE_C_API void copse_batch_destroy(copse_batch* batch);

COPSE_C_API uint64_t copse_batch_mesh_count(const copse_batch* batch);
COPSE_C_API uint64_t copse_batch_triangle_count(const copse_batch* batch);

/// Returns the bytes of memory that the batch holds, without copies of arrays on the host.
COPSE_C_API uint64_t copse_batch_size_bytes(const copse_batch* batch);

/// Builds a scene of instances of the meshes of a batch. copse_instance.accel is the number of a mesh. Everything else
/// is as for copse_scene_build().
COPSE_C_API copse_status copse_scene_build_of_batch(copse_context* context, const copse_batch* batch,
                                                    const copse_instance* instances, uint64_t instance_count,
                                                    copse_memory instances_memory,
                                                    const copse_build_options* options, copse_scene** scene);

// ---- Worlds ---------------------------------------------------------------------------------------------

/// Many scenes that do not see each other, such as thousands of copies of a robot with its objects. All trees are
/// built together. A static part can be a scene that all worlds share.
typedef struct copse_worlds copse_worlds;

/// Builds worlds of instances. It does not wait for the device. Which instances are left out is as for
/// copse_scene_build().
///   accels:       `accel_count` of them; or NULL and 0, if `batch` is given
///   batch:        its meshes are the accels; or NULL
///   instances:    of all worlds, one world after the other
///   world_begins: on the host, world_count + 1 of them: world w has the instances world_begins[w] to
///                 world_begins[w + 1] - 1, at most 2^18. Ascending from 0 to instance_count
///   shared:       what all worlds see besides their own instances, or NULL. It may be refitted and rebuilt
///   worlds:       is set to the new worlds, or to NULL after an error
/// Errors: as copse_scene_build(); COPSE_INVALID_ARGUMENT also for world_begins that do not fit.
COPSE_C_API copse_status copse_worlds_build(copse_context* context, const copse_accel* const* accels,
                                            uint64_t accel_count, const copse_batch* batch,
                                            const copse_instance* instances, uint64_t instance_count,
                                            copse_memory instances_memory, const uint32_t* world_begins,
                                            uint64_t world_count, const copse_scene* shared,
                                            copse_worlds** worlds);

/// Builds new trees over as many instances in the same order. It does not wait for the device.
/// Errors: as copse_worlds_build().
COPSE_C_API copse_status copse_worlds_rebuild(copse_context* context, copse_worlds* worlds,
                                              const copse_instance* instances, uint64_t instance_count,
                                              copse_memory instances_memory);

/// Fits the trees to as many instances, which have moved. It does not wait for the device.
///   moved: one word for each world; worlds with a 0 stay as they are. NULL: all have moved
/// Errors: as copse_worlds_build().
COPSE_C_API copse_status copse_worlds_refit(copse_context* context, copse_worlds* worlds,
                                            const copse_instance* instances, uint64_t instance_count,
                                            copse_memory instances_memory, const uint32_t* moved,
                                            copse_memory moved_memory);

COPSE_C_API void copse_worlds_destroy(copse_worlds* worlds);
COPSE_C_API uint64_t copse_worlds_count(const copse_worlds* worlds);
COPSE_C_API uint64_t copse_worlds_instance_count(const copse_worlds* worlds);

/// Returns the bytes of memory that the worlds hold, without their accels and the shared scene.
COPSE_C_API uint64_t copse_worlds_size_bytes(const copse_worlds* worlds);

/// Writes the closest hit of every ray in its world. The instances of a world are numbered from 0, and those of the
/// shared scene after them. It waits if the hits go to the host.
///   rays:         records of copse_ray: copse_rays_of()
///   world_of_ray: one word per ray. A ray of a world that does not exist sees the shared scene alone
///   hits:         one per ray; must not overlap the rays
///   options:      may be NULL
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY, COPSE_CANCELLED.
COPSE_C_API copse_status copse_worlds_closest_hits(copse_context* context, const copse_worlds* worlds,
                                                   const copse_rays* rays, const uint32_t* world_of_ray,
                                                   copse_memory world_of_ray_memory, copse_scene_hit* hits,
                                                   copse_memory hits_memory, const copse_trace_options* options);

/// Sets occluded[i] to 1 if ray i hits anything in its world or in the shared scene, else to 0. Everything else is as
/// for copse_worlds_closest_hits().
COPSE_C_API copse_status copse_worlds_any_hits(copse_context* context, const copse_worlds* worlds,
                                               const copse_rays* rays, const uint32_t* world_of_ray,
                                               copse_memory world_of_ray_memory, uint8_t* occluded,
                                               copse_memory occluded_memory, const copse_trace_options* options);

#ifdef __cplusplus
}
#endif
