#pragma once

// The C interface: sets of points, and the points near others. docs/guide/points.md tells which structure suits.

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a set of points is stored. Answers are the same, but for the order in lists within a radius.
typedef int32_t copse_point_structure;
enum {
  COPSE_POINTS_KD_TREE = 0,   // needs no radius; the least memory
  COPSE_POINTS_BVH = 1,       // needs no radius; fast for clusters
  COPSE_POINTS_HASH_GRID = 2  // the fastest to build; for neighbours within a radius that is known
};

typedef struct copse_points_options {
  size_t struct_size;

  /// Default: COPSE_POINTS_KD_TREE.
  copse_point_structure structure;

  /// The edge of a cell of a hash grid: about the radius of the queries. 0, the default: two points per cell if they
  /// are spread evenly. Other structures do not read it.
  float cell_size;
} copse_points_options;

#define COPSE_POINTS_OPTIONS_INIT \
  { sizeof(copse_points_options), COPSE_POINTS_KD_TREE, 0 }

/// A set of points. It has copies of them, so the arrays may be freed. Points with a coordinate that is infinite or
/// NaN are left out. It is equal on all backends bit for bit.
typedef struct copse_points copse_points;

/// Builds a set of points. It does not wait for the device.
///   positions: three floats each, `stride` bytes apart: at least 12, a multiple of 4
///   options:   may be NULL
///   points:    is set to the new set, or to NULL after an error
/// Errors: COPSE_INVALID_ARGUMENT; COPSE_CAPACITY past 2^30 points, 2^31 in a hash grid; COPSE_OUT_OF_MEMORY;
/// COPSE_CANCELLED.
COPSE_C_API copse_status copse_points_build(copse_context* context, const float* positions, uint64_t count,
                                            uint64_t stride, copse_memory positions_memory,
                                            const copse_points_options* options, copse_points** points);

/// Builds the set anew in its memory, with its options. It does not wait for the device.
///   count: at most that of the first build
/// Errors: as copse_points_build(); COPSE_INVALID_ARGUMENT for more points.
COPSE_C_API copse_status copse_points_rebuild(copse_context* context, copse_points* points, const float* positions,
                                              uint64_t count, uint64_t stride, copse_memory positions_memory);

COPSE_C_API void copse_points_destroy(copse_points* points);

/// Returns the number of points of the last build, in the set or left out.
COPSE_C_API uint64_t copse_points_count(const copse_points* points);

/// Returns the bytes of memory that the set holds.
COPSE_C_API uint64_t copse_points_size_bytes(const copse_points* points);

/// One of the nearest points: 8 bytes. If there is none, point is COPSE_NO_POINT, and distance is infinite.
typedef struct copse_point_neighbour {
  float distance;
  uint32_t point;  // its number among the points of the build
} copse_point_neighbour;

#define COPSE_NO_POINT 0xffffffffu

/// Stores the k points nearest to each query, nearest first. Points at equal distances come in order of their
/// numbers. Waits if results go to the host.
///   queries:      three floats each, `query_count` of them; NaN and infinite ones find nothing
///   k:            1 to 2^31; up to 16 is fastest
///   max_distance: nothing that is farther is found; INFINITY for no limit
///   neighbours:   k per query, those of query i from k * i on; must not overlap the queries
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY, COPSE_CANCELLED.
COPSE_C_API copse_status copse_points_k_nearest(copse_context* context, const copse_points* points,
                                                const float* queries, uint64_t query_count,
                                                copse_memory queries_memory, uint32_t k, float max_distance,
                                                copse_point_neighbour* neighbours, copse_memory neighbours_memory);

/// Stores in counts[i] how many points are within `radius` of query i. Everything else is as for
/// copse_points_k_nearest().
COPSE_C_API copse_status copse_points_count_within(copse_context* context, const copse_points* points,
                                                   const float* queries, uint64_t query_count,
                                                   copse_memory queries_memory, float radius, uint32_t* counts,
                                                   copse_memory counts_memory);

/// Stores the points within `radius` of each query: those of query i are found[offsets[i]] up to
/// found[offsets[i + 1]].
///
/// Call it twice if you do not know the sizes: first with a room of 0, which stores the offsets alone. The last
/// offset is the room that all results need.
///   offsets: query_count + 1
///   found:   `room` numbers of points; nothing is written past its end. May be NULL if `room` is 0
/// Everything else is as for copse_points_k_nearest().
COPSE_C_API copse_status copse_points_find_within(copse_context* context, const copse_points* points,
                                                  const float* queries, uint64_t query_count,
                                                  copse_memory queries_memory, float radius, uint64_t* offsets,
                                                  copse_memory offsets_memory, uint32_t* found, uint64_t room,
                                                  copse_memory found_memory);

#ifdef __cplusplus
}
#endif
