#pragma once

// The C interface: triangles that move while a picture is taken. Each ray has a time.

#include "accel.h"
#include "base.h"
#include "rays.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The acceleration structure of triangles that move from key to key, on straight lines between them. At the time of a
/// key, rays hit the triangles of this key, bit for bit as a copse_accel of them would say.
typedef struct copse_motion copse_motion;

/// Builds the acceleration structure of triangles that move. It does not wait for the device. Everything else is as
/// for copse_accel_build().
///   geometries: key_count * geometry_count of them: those of key 0, then those of key 1, and so on. Each key has the
///               geometries of key 0, in the same order, with as many triangles and positions. Indices, ids and masks
///               are those of key 0
///   key_count:  2 to 65535
///   motion:     is set to the new structure, or to NULL after an error
COPSE_C_API copse_status copse_motion_build(copse_context* context, const copse_geometry* geometries,
                                            uint64_t key_count, uint64_t geometry_count,
                                            const copse_build_options* options, copse_motion** motion);

/// Builds a new tree in the memory of `motion`, with its options and as many keys. After an error, rebuild it before you
/// use it. Everything else is as for copse_motion_build().
COPSE_C_API copse_status copse_motion_rebuild(copse_context* context, copse_motion* motion,
                                              const copse_geometry* geometries, uint64_t key_count,
                                              uint64_t geometry_count);

/// Fits the boxes of all keys to new positions of as many triangles. The topology of the tree stays. Everything else is
/// as for copse_motion_build().
COPSE_C_API copse_status copse_motion_refit(copse_context* context, copse_motion* motion,
                                            const copse_geometry* geometries, uint64_t key_count,
                                            uint64_t geometry_count);

COPSE_C_API void copse_motion_destroy(copse_motion* motion);

/// Returns the number of triangles of the last build.
COPSE_C_API uint64_t copse_motion_triangle_count(const copse_motion* motion);

/// Returns the number of keys.
COPSE_C_API uint32_t copse_motion_key_count(const copse_motion* motion);

/// Returns the bytes of memory that the structure holds.
COPSE_C_API uint64_t copse_motion_size_bytes(const copse_motion* motion);

/// Writes the closest hit of every ray at its time. The hits are equal on all backends and for all qualities, bit for
/// bit. It waits if the hits go to the host.
///   times:   one per ray, 0 at the first key and 1 at the last; NULL: all rays have `time`
///   options: may be NULL
/// Everything else is as for copse_closest_hits().
COPSE_C_API copse_status copse_motion_closest_hits(copse_context* context, const copse_motion* motion,
                                                   const copse_rays* rays, const float* times,
                                                   copse_memory times_memory, float time, copse_hit* hits,
                                                   copse_memory hits_memory, const copse_trace_options* options);

/// Sets occluded[i] to 1 if ray i hits anything at its time, else to 0. Everything else is as for
/// copse_motion_closest_hits().
COPSE_C_API copse_status copse_motion_any_hits(copse_context* context, const copse_motion* motion,
                                               const copse_rays* rays, const float* times,
                                               copse_memory times_memory, float time, uint8_t* occluded,
                                               copse_memory occluded_memory, const copse_trace_options* options);

#ifdef __cplusplus
}
#endif
