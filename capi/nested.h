#pragma once

// The C interface: scenes of scenes. An instance places an accel, a scene, or a scene of scenes. Everything else is as for
// the functions of scene.h and scene_queries.h.

#include "scene.h"
#include "scene_queries.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The levels of instances that a scene of scenes may have.
#define COPSE_MAX_LEVELS 7

/// Instances of accels, of scenes and of scenes of scenes, and a tree over them. It keeps the memory of its parts.
typedef struct copse_nested copse_nested;

/// What an instance may place: one of the three is set, the others are NULL.
typedef struct copse_part {
  const copse_accel* accel;
  const copse_scene* scene;
  const copse_nested* nested;
} copse_part;

/// The closest hit of a ray in a scene of scenes: the smallest (t, path, triangle). Paths are compared number by number,
/// from the outermost instance on. On a miss primitive, geometry and the whole path are COPSE_NO_ID, and t is the ray's
/// t_max. 48 bytes.
typedef struct copse_nested_hit {
  float t;
  uint32_t primitive;  // number of the triangle in its geometry
  uint32_t geometry;   // copse_geometry.id
  float u, v;          // the point is (1 - u - v) a + u b + v c of the triangle in the scene

  /// The path to the accel: the number of an instance in the scene, then the number of an instance in the scene which that
  /// one places, and so on. All numbers behind it are COPSE_NO_ID.
  uint32_t path[COPSE_MAX_LEVELS];
} copse_nested_hit;

/// Builds a scene of instances of parts, as copse_scene_build(). copse_instance.accel is the number of the part.
///
/// Parts may be refitted and rebuilt in place; then refit or rebuild the scenes that hold them, from the innermost one
/// outwards.
///   parts: `part_count` of them, in any mixture; the same one may stand there several times
/// Errors: as copse_scene_build(); COPSE_INVALID_ARGUMENT if not exactly one member of a part is set; COPSE_CAPACITY if a
/// part has 7 levels of instances.
COPSE_C_API copse_status copse_nested_build(copse_context* context, const copse_part* parts, uint64_t part_count,
                                            const copse_instance* instances, uint64_t instance_count,
                                            copse_memory instances_memory, const copse_build_options* options,
                                            copse_nested** nested);

/// Builds a new tree over instances in the memory of `nested`, as copse_scene_rebuild().
COPSE_C_API copse_status copse_nested_rebuild(copse_context* context, copse_nested* nested,
                                              const copse_instance* instances, uint64_t instance_count,
                                              copse_memory instances_memory);

/// Fits the tree to instances that have moved, and to parts that were refitted, as copse_scene_refit().
COPSE_C_API copse_status copse_nested_refit(copse_context* context, copse_nested* nested,
                                            const copse_instance* instances, uint64_t instance_count,
                                            copse_memory instances_memory);

/// Destroys a scene of scenes, and the parts that were destroyed while it referred to them.
COPSE_C_API void copse_nested_destroy(copse_nested* nested);

/// Returns the levels of instances: one more than the part with the most levels has.
COPSE_C_API uint32_t copse_nested_level_count(const copse_nested* nested);

/// Returns the number of instances of the last build, in the tree or left out, without those in its parts.
COPSE_C_API uint64_t copse_nested_instance_count(const copse_nested* nested);

/// Returns the bytes of memory that the scene holds, without its parts.
COPSE_C_API uint64_t copse_nested_size_bytes(const copse_nested* nested);

/// Writes the closest hit of every ray, as copse_scene_closest_hits().
COPSE_C_API copse_status copse_nested_closest_hits(copse_context* context, const copse_nested* nested,
                                                   const copse_rays* rays, copse_nested_hit* hits,
                                                   copse_memory hits_memory, const copse_trace_options* options);

/// Sets occluded[i] to 1 if ray i hits anything, else to 0.
COPSE_C_API copse_status copse_nested_any_hits(copse_context* context, const copse_nested* nested,
                                               const copse_rays* rays, uint8_t* occluded,
                                               copse_memory occluded_memory, const copse_trace_options* options);

/// Writes the first k hits of every ray, in order of (t, path, triangle), as copse_scene_first_hits().
COPSE_C_API copse_status copse_nested_first_hits(copse_context* context, const copse_nested* nested,
                                                 const copse_rays* rays, uint32_t k, copse_nested_hit* hits,
                                                 copse_memory hits_memory, uint32_t* counts,
                                                 copse_memory counts_memory, const copse_trace_options* options);

/// Writes all hits of every ray, in order of (t, path, triangle), as copse_scene_find_hits().
COPSE_C_API copse_status copse_nested_find_hits(copse_context* context, const copse_nested* nested,
                                                const copse_rays* rays, uint64_t* offsets,
                                                copse_memory offsets_memory, copse_nested_hit* hits, uint64_t room,
                                                copse_memory hits_memory, const copse_trace_options* options);

/// A point of a surface in a scene of scenes: 60 bytes. If none was found, primitive, geometry and the whole path are
/// COPSE_NO_ID, distance is infinite and all else is 0.
typedef struct copse_nested_nearest {
  float point[3];
  float distance;
  uint32_t primitive;  // number of the triangle in its geometry
  uint32_t geometry;   // copse_geometry.id
  float u, v;          // the point is (1 - u - v) a + u b + v c of the triangle in the scene
  uint32_t path[COPSE_MAX_LEVELS];
} copse_nested_nearest;

/// One of the nearest triangles of a scene of scenes: 40 bytes. If there is none, primitive, geometry and the whole path
/// are COPSE_NO_ID, and distance is infinite.
typedef struct copse_nested_neighbour {
  float distance;
  uint32_t primitive;  // number of the triangle in its geometry
  uint32_t geometry;   // copse_geometry.id
  uint32_t path[COPSE_MAX_LEVELS];
} copse_nested_neighbour;

/// A triangle of a scene of scenes: 32 bytes.
typedef struct copse_nested_overlap {
  uint32_t primitive;  // counts through all geometries of the accel
  uint32_t path[COPSE_MAX_LEVELS];
} copse_nested_overlap;

/// Stores the nearest point of each point, as copse_scene_nearest_points(). Of points at equal distances, that of the
/// smallest (path, triangle) is stored.
COPSE_C_API copse_status copse_nested_nearest_points(copse_context* context, const copse_nested* nested,
                                                     const float* points, uint64_t point_count,
                                                     copse_memory points_memory, float max_distance, uint32_t mask,
                                                     copse_nested_nearest* nearest, copse_memory nearest_memory);

/// Stores the k triangles nearest to each point, as copse_scene_k_nearest().
COPSE_C_API copse_status copse_nested_k_nearest(copse_context* context, const copse_nested* nested,
                                                const float* points, uint64_t point_count,
                                                copse_memory points_memory, uint32_t k, float max_distance,
                                                uint32_t mask, copse_nested_neighbour* neighbours,
                                                copse_memory neighbours_memory);

/// Stores in inside[i] 1 if point i is inside any instance, else 0.
COPSE_C_API copse_status copse_nested_points_inside(copse_context* context, const copse_nested* nested,
                                                    const float* points, uint64_t point_count,
                                                    copse_memory points_memory, uint32_t mask, uint8_t* inside,
                                                    copse_memory inside_memory);

/// Stores how many triangles touch each region, as copse_scene_count_overlaps().
COPSE_C_API copse_status copse_nested_count_overlaps(copse_context* context, const copse_nested* nested,
                                                     copse_region shape, const float* regions,
                                                     uint64_t region_count, copse_memory regions_memory,
                                                     uint32_t mask, uint32_t* counts, copse_memory counts_memory);

/// Stores the triangles that touch each region, as copse_scene_find_overlaps().
COPSE_C_API copse_status copse_nested_find_overlaps(copse_context* context, const copse_nested* nested,
                                                    copse_region shape, const float* regions,
                                                    uint64_t region_count, copse_memory regions_memory,
                                                    uint32_t mask, uint64_t* offsets, copse_memory offsets_memory,
                                                    copse_nested_overlap* overlaps, uint64_t room,
                                                    copse_memory overlaps_memory);

#ifdef __cplusplus
}
#endif
