#pragma once

// The C interface: batches of rays.

#include "accel.h"
#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The primitive, geometry and instance of a ray that misses.
#define COPSE_NO_ID 0xffffffffu

/// The points origin + t * direction for t from t_min to t_max, both included: 32 bytes. The direction has any
/// length but zero; t counts in its length. t_max may be infinite. A ray hits nothing if it has a NaN, an infinite
/// origin or direction, or a direction of length zero.
typedef struct copse_ray {
  float origin[3];
  float t_min;
  float direction[3];
  float t_max;
} copse_ray;

/// The closest hit of a ray: the smallest (t, triangle), so that ties are the same on every backend. On a miss
/// primitive and geometry are COPSE_NO_ID, and t is the ray's t_max. 20 bytes.
typedef struct copse_hit {
  float t;
  uint32_t primitive;  // number of the triangle in its geometry
  uint32_t geometry;   // copse_geometry.id
  float u, v;          // the point is (1 - u - v) a + u b + v c, for the corners a, b, c of the triangle
} copse_hit;

/// Rays as the caller has them: their parts in arrays of their own, or in records. Every part is `stride` bytes
/// after the last one, a multiple of 4; a stride of 0 gives all rays the same part.
typedef struct copse_rays {
  size_t struct_size;
  uint64_t count;       // may be 0
  copse_memory memory;  // of all arrays. Default: COPSE_MEMORY_HOST

  const float* origins;  // three floats each
  uint64_t origin_stride;
  const float* directions;  // three floats each
  uint64_t direction_stride;
  const float* t_min;  // NULL, the default: 0
  uint64_t t_min_stride;
  const float* t_max;  // NULL, the default: infinity
  uint64_t t_max_stride;
} copse_rays;

#define COPSE_RAYS_INIT \
  { sizeof(copse_rays), 0, COPSE_MEMORY_HOST, NULL, 12, NULL, 12, NULL, 4, NULL, 4 }

/// Returns the rays of an array of records. They are traced without a copy where they are in the memory of the
/// context.
static inline copse_rays copse_rays_of(const copse_ray* records, uint64_t count, copse_memory memory) {
  copse_rays rays = COPSE_RAYS_INIT;
  rays.count = count;
  rays.memory = memory;
  rays.origin_stride = rays.direction_stride = rays.t_min_stride = rays.t_max_stride = sizeof(copse_ray);
  if (records != NULL) {
    rays.origins = records->origin;
    rays.directions = records->direction;
    rays.t_min = &records->t_min;
    rays.t_max = &records->t_max;
  }
  return rays;
}

/// Which side of triangles rays pass over. The front is the side from which the corners a, b, c turn
/// counterclockwise.
typedef int32_t copse_cull;
enum { COPSE_CULL_NONE = 0, COPSE_CULL_BACK = 1, COPSE_CULL_FRONT = 2 };

typedef struct copse_trace_options {
  size_t struct_size;

  /// A mask per ray, in `masks_memory`. NULL, the default: all bits. A ray passes over the triangles of a geometry
  /// if its mask shares no bit with copse_geometry.mask.
  const uint32_t* masks;
  copse_memory masks_memory;

  /// One mask for all rays; where `masks` is given too, a ray has the bits that both have. Default: all bits.
  uint32_t mask;

  /// The side of triangles that all rays pass over. Default: COPSE_CULL_NONE.
  copse_cull cull;
} copse_trace_options;

#define COPSE_TRACE_OPTIONS_INIT \
  { sizeof(copse_trace_options), NULL, COPSE_MEMORY_HOST, 0xffffffffu, COPSE_CULL_NONE }

/// Writes the closest hit of every ray. The hits are equal on all backends and for all qualities, bit for bit. It
/// waits if the hits go to the host.
///   rays:    of any layout. Rays that are no records of copse_ray are gathered first
///   hits:    one per ray; must not overlap the rays
///   options: may be NULL
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY, COPSE_CANCELLED.
COPSE_C_API copse_status copse_closest_hits(copse_context* context, const copse_accel* accel,
                                            const copse_rays* rays, copse_hit* hits, copse_memory hits_memory,
                                            const copse_trace_options* options);

/// Sets occluded[i] to 1 if ray i hits anything, else to 0. Everything else is as for copse_closest_hits().
COPSE_C_API copse_status copse_any_hits(copse_context* context, const copse_accel* accel, const copse_rays* rays,
                                        uint8_t* occluded, copse_memory occluded_memory,
                                        const copse_trace_options* options);

/// Writes the first k hits of every ray, in order of (t, triangle). Coincident triangles are listed too, each once.
///   k:      1 to 16
///   hits:   k per ray, those of ray i from k * i on. If a ray has fewer, the rest are misses without counts, and have
///           no defined values with them
///   counts: one per ray: how many hits were found, at most k. May be NULL
/// Everything else is as for copse_closest_hits().
COPSE_C_API copse_status copse_first_hits(copse_context* context, const copse_accel* accel, const copse_rays* rays,
                                          uint32_t k, copse_hit* hits, copse_memory hits_memory, uint32_t* counts,
                                          copse_memory counts_memory, const copse_trace_options* options);

/// Writes all hits of every ray, in order of (t, triangle): those of ray i are hits[offsets[i]] up to
/// hits[offsets[i + 1]].
///
/// Call it twice if you do not know the sizes: first with a room of 0, which stores the offsets alone. The last
/// offset is the room that all hits need.
///   offsets: one more than rays
///   hits:    `room` of them; nothing is written past its end. May be NULL if `room` is 0
/// Everything else is as for copse_closest_hits().
COPSE_C_API copse_status copse_find_hits(copse_context* context, const copse_accel* accel, const copse_rays* rays,
                                         uint64_t* offsets, copse_memory offsets_memory, copse_hit* hits,
                                         uint64_t room, copse_memory hits_memory,
                                         const copse_trace_options* options);

#ifdef __cplusplus
}
#endif
