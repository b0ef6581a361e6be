#pragma once

// The C interface: batches of questions about points and regions to a scene. The answers are those of one mesh of all
// triangles of all instances, as they stand in the scene. Everything else is as for the functions of queries.h.

#include "queries.h"
#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A point of a surface in a scene: 36 bytes. If none was found, primitive, geometry and instance are COPSE_NO_ID,
/// distance is infinite and all else is 0.
typedef struct copse_scene_nearest {
  float point[3];
  float distance;
  uint32_t primitive;  // number of the triangle in its geometry
  uint32_t geometry;   // copse_geometry.id
  float u, v;          // the point is (1 - u - v) a + u b + v c of the triangle in the scene
  uint32_t instance;   // number of the instance in the scene
} copse_scene_nearest;

/// Stores the point of the surface of any instance that is nearest to each point. Of points at equal distances, that of
/// the smallest (instance, triangle) is stored.
///   points:       three floats each, `point_count` of them; NaN and infinite ones find nothing
///   max_distance: nothing that is farther is found; INFINITY for no limit
///   mask:         an instance is there for the points if this shares a bit with its mask
///   nearest:      one per point; must not overlap the points
COPSE_C_API copse_status copse_scene_nearest_points(copse_context* context, const copse_scene* scene,
                                                    const float* points, uint64_t point_count,
                                                    copse_memory points_memory, float max_distance, uint32_t mask,
                                                    copse_scene_nearest* nearest, copse_memory nearest_memory);

/// One of the nearest triangles of a scene: 16 bytes. If there is none, primitive, geometry and instance are COPSE_NO_ID,
/// and distance is infinite.
typedef struct copse_scene_neighbour {
  float distance;
  uint32_t primitive;  // number of the triangle in its geometry
  uint32_t geometry;   // copse_geometry.id
  uint32_t instance;   // number of the instance in the scene
} copse_scene_neighbour;

/// Stores the k triangles nearest to each point, nearest first.
///   k:          1 to 2^31; it is fast up to some hundred
///   neighbours: k per point, those of point i from k * i on; must not overlap the points
/// Everything else is as for copse_scene_nearest_points().
COPSE_C_API copse_status copse_scene_k_nearest(copse_context* context, const copse_scene* scene,
                                               const float* points, uint64_t point_count,
                                               copse_memory points_memory, uint32_t k, float max_distance,
                                               uint32_t mask, copse_scene_neighbour* neighbours,
                                               copse_memory neighbours_memory);

/// Stores in inside[i] 1 if point i is inside any instance, else 0. The meshes must be closed.
///   inside: one per point; must not overlap the points
COPSE_C_API copse_status copse_scene_points_inside(copse_context* context, const copse_scene* scene,
                                                   const float* points, uint64_t point_count,
                                                   copse_memory points_memory, uint32_t mask, uint8_t* inside,
                                                   copse_memory inside_memory);

/// A triangle of an instance: 8 bytes.
typedef struct copse_scene_overlap {
  uint32_t instance;
  uint32_t primitive;  // counts through all geometries of the instance's accel
} copse_scene_overlap;

/// Stores in counts[i] how many triangles of all instances touch region i.
///   regions: `region_count` of them, packed floats as copse_region says
///   counts:  one per region; must not overlap the regions
COPSE_C_API copse_status copse_scene_count_overlaps(copse_context* context, const copse_scene* scene,
                                                    copse_region shape, const float* regions,
                                                    uint64_t region_count, copse_memory regions_memory,
                                                    uint32_t mask, uint32_t* counts, copse_memory counts_memory);

/// Stores the triangles that touch each region: those of region i are overlaps[offsets[i]] up to
/// overlaps[offsets[i + 1]], in the order of the trees. Call it with a room of 0 first, as copse_find_overlaps().
///   offsets:  region_count + 1
///   overlaps: `room` of them; nothing is written past its end. May be NULL if `room` is 0
COPSE_C_API copse_status copse_scene_find_overlaps(copse_context* context, const copse_scene* scene,
                                                   copse_region shape, const float* regions, uint64_t region_count,
                                                   copse_memory regions_memory, uint32_t mask, uint64_t* offsets,
                                                   copse_memory offsets_memory, copse_scene_overlap* overlaps,
                                                   uint64_t room, copse_memory overlaps_memory);

#ifdef __cplusplus
}
#endif
