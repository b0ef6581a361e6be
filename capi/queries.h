#pragma once

// The C interface: batches of questions about points, regions and pairs. Answers are equal on all backends. Masks of
// geometries have no effect. A call waits if results go to the host.
//
// All functions here fail with COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY or COPSE_CANCELLED.

#include "accel.h"
#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Points ---------------------------------------------------------------------------------------------

/// A point of a surface: 32 bytes. If none was found, primitive and geometry are COPSE_NO_ID, distance is infinite
/// and all else is 0.
typedef struct copse_nearest {
  float point[3];
  float distance;
  uint32_t primitive;  // number of the triangle in its geometry
  uint32_t geometry;   // copse_geometry.id
  float u, v;          // the point is (1 - u - v) a + u b + v c
} copse_nearest;

/// Stores the point of the surface that is nearest to each point.
///   points:       three floats each, `point_count` of them; NaN and infinite ones find nothing
///   max_distance: nothing that is farther is found; INFINITY for no limit
///   nearest:      one per point; must not overlap the points
COPSE_C_API copse_status copse_nearest_points(copse_context* context, const copse_accel* accel,
                                              const float* points, uint64_t point_count,
                                              copse_memory points_memory, float max_distance,
                                              copse_nearest* nearest, copse_memory nearest_memory);

/// One of the nearest triangles: 12 bytes. If there is none, primitive and geometry are COPSE_NO_ID, and distance is
/// infinite.
typedef struct copse_neighbour {
  float distance;
  uint32_t primitive;  // number of the triangle in its geometry
  uint32_t geometry;   // copse_geometry.id
} copse_neighbour;

/// Stores the k triangles nearest to each point, nearest first.
///   k:          1 to 2^31; it is fast up to some hundred
///   neighbours: k per point, those of point i from k * i on; must not overlap the points
/// Everything else is as for copse_nearest_points().
COPSE_C_API copse_status copse_k_nearest(copse_context* context, const copse_accel* accel, const float* points,
                                         uint64_t point_count, copse_memory points_memory, uint32_t k,
                                         float max_distance, copse_neighbour* neighbours,
                                         copse_memory neighbours_memory);

/// Stores in inside[i] 1 if point i is inside the closed mesh, else 0.
///   inside: one per point; must not overlap the points
COPSE_C_API copse_status copse_points_inside(copse_context* context, const copse_accel* accel, const float* points,
                                             uint64_t point_count, copse_memory points_memory, uint8_t* inside,
                                             copse_memory inside_memory);

// ---- Regions --------------------------------------------------------------------------------------------

/// The shape of a region, and the floats that describe it.
typedef int32_t copse_region;
enum {
  COPSE_REGION_BOX = 0,     // 6: lower corner, upper corner; inverted boxes touch nothing
  COPSE_REGION_SPHERE = 1,  // 4: centre, radius
  COPSE_REGION_FRUSTUM = 2  // 24: normal and offset of six planes, inside where normal . p + offset >= 0
};

/// Stores in counts[i] how many triangles touch region i. Frusta are conservative near their edges.
///   regions: `region_count` of them, packed floats as copse_region says
///   counts:  one per region; must not overlap the regions
COPSE_C_API copse_status copse_count_overlaps(copse_context* context, const copse_accel* accel, copse_region shape,
                                              const float* regions, uint64_t region_count,
                                              copse_memory regions_memory, uint32_t* counts,
                                              copse_memory counts_memory);

/// Stores the triangles that touch each region: those of region i are primitives[offsets[i]] up to
/// primitives[offsets[i + 1]], in the order of the tree. Their ids count through all geometries.
///
/// Call it twice if you do not know the sizes: first with a room of 0, which stores the offsets alone. The last
/// offset is the room that all results need.
///   offsets:    region_count + 1
///   primitives: `room` of them; nothing is written past its end. May be NULL if `room` is 0
COPSE_C_API copse_status copse_find_overlaps(copse_context* context, const copse_accel* accel, copse_region shape,
                                             const float* regions, uint64_t region_count,
                                             copse_memory regions_memory, uint64_t* offsets,
                                             copse_memory offsets_memory, uint32_t* primitives, uint64_t room,
                                             copse_memory primitives_memory);

// ---- Pairs ----------------------------------------------------------------------------------------------

/// Two triangles, the smaller id first. Ids count through all geometries.
typedef struct copse_pair {
  uint32_t first;
  uint32_t second;
} copse_pair;

typedef struct copse_self_overlap_options {
  size_t struct_size;

  /// Not 0, the default: the triangles themselves overlap. 0: their boxes overlap, which is a tenth of the work.
  int32_t exact_triangles;

  /// Not 0: also pairs with a corner at the same place, as neighbours in a mesh have. Default: 0.
  int32_t with_adjacent;
} copse_self_overlap_options;

#define COPSE_SELF_OVERLAP_OPTIONS_INIT \
  { sizeof(copse_self_overlap_options), 1, 0 }

/// Stores the pairs of triangles that overlap each other, each pair once, and their number.
///   options: may be NULL
///   pairs:   `room` of them; nothing is written past its end. May be NULL if `room` is 0
///   total:   one number, the room that all pairs need
COPSE_C_API copse_status copse_self_overlaps(copse_context* context, const copse_accel* accel,
                                             const copse_self_overlap_options* options, copse_pair* pairs,
                                             uint64_t room, copse_memory pairs_memory, uint64_t* total,
                                             copse_memory total_memory);

#ifdef __cplusplus
}
#endif
