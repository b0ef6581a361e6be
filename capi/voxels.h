#pragma once

// The C interface: voxels and distances from a surface, on grids of cubes.

#include "base.h"
#include "geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where a grid lies. The library fills it; set struct_size before. Voxel (x, y, z) is the cube from
/// lower + (x, y, z) * voxel_size to lower + (x + 1, y + 1, z + 1) * voxel_size.
typedef struct copse_grid_shape {
  size_t struct_size;
  double lower[3];
  double voxel_size;
  uint32_t resolution[3];  // voxels along x, y and z
  uint32_t bricks[3];      // bricks of 8 x 8 x 8 voxels along x, y and z; 0 for a dense grid
  uint64_t brick_count;    // bricks that are stored; 0 for a dense grid
  uint64_t voxel_count;    // voxels that are set
  float band;              // of distances: how far they reach; else 0
} copse_grid_shape;

#define COPSE_GRID_SHAPE_INIT \
  { sizeof(copse_grid_shape), {0, 0, 0}, 0, {0, 0, 0}, {0, 0, 0}, 0, 0, 0 }

// ---- Dense voxels ---------------------------------------------------------------------------------------

/// Which voxels belong to a mesh. docs/guide/grids.md has pictures.
typedef int32_t copse_voxel_rule;
enum {
  COPSE_VOXELS_TOUCHED = 0,  // those that a triangle touches
  COPSE_VOXELS_CROSSED = 1,  // the thinnest surface that no path over faces passes
  COPSE_VOXELS_INSIDE = 2    // those with a centre inside the closed surface
};

/// A dense grid of bits, one per voxel. Voxel (x, y, z) has bit x % 32, counted from the lowest, of word
/// (z * resolution[1] + y) * row_words + x / 32, where row_words is resolution[0] / 32, rounded up.
typedef struct copse_voxels copse_voxels;

/// Finds the voxels of a mesh, over the box of its triangles. Waits for the box.
///   geometries: as copse_accel_build() takes them
///   resolution: voxels along the longest edge of the box, 1 to 2048
///   voxels:     is set to the new grid, or to NULL after an error
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_CAPACITY, COPSE_OUT_OF_MEMORY, COPSE_CANCELLED.
COPSE_C_API copse_status copse_voxels_build(copse_context* context, const copse_geometry* geometries,
                                            uint64_t geometry_count, uint32_t resolution, copse_voxel_rule rule,
                                            copse_voxels** voxels);

COPSE_C_API void copse_voxels_destroy(copse_voxels* voxels);

/// Stores where the grid lies and how many voxels are set. Waits.
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY.
COPSE_C_API copse_status copse_voxels_shape(copse_context* context, const copse_voxels* voxels,
                                            copse_grid_shape* shape);

/// Returns the words, in the memory of the context. They live as long as the grid.
COPSE_C_API const uint32_t* copse_voxels_words(const copse_voxels* voxels);

/// Returns the number of words.
COPSE_C_API uint64_t copse_voxels_word_count(const copse_voxels* voxels);

// ---- Sparse bricks --------------------------------------------------------------------------------------

/// Sparse bits of voxels, and distances if they were asked for, in bricks of 8 x 8 x 8. Brick b is at the place
/// (x, y, z) for which keys[b] is (z * bricks[1] + y) * bricks[0] + x. Keys ascend. Voxel (x, y, z) of a brick, each
/// below 8, has bit (x + 8 y) % 32 of word 16 b + 2 z + y / 4, and value 512 b + 64 z + 8 y + x.
typedef struct copse_bricks copse_bricks;

/// Finds the voxels that triangles touch, in sparse bricks. Waits.
///   resolution: voxels along the longest edge of the box, 1 to 65,536
///   bricks:     is set to the new bricks, or to NULL after an error. They have no values
/// Everything else is as for copse_voxels_build().
COPSE_C_API copse_status copse_bricks_build(copse_context* context, const copse_geometry* geometries,
                                            uint64_t geometry_count, uint32_t resolution, copse_bricks** bricks);

/// Finds the distances of voxels near a closed surface, negative inside. A voxel is set if its centre is nearer than
/// the band; others of its brick have the value band, or -band inside. Waits.
///   resolution: voxels along the longest edge of the box, 1 to 4096
///   band:       how far from the surface voxels have distances, in voxels: 2 to 16; 3 is usual
///   bricks:     is set to the new bricks, or to NULL after an error. They have values
/// Everything else is as for copse_voxels_build().
COPSE_C_API copse_status copse_distances_build(copse_context* context, const copse_geometry* geometries,
                                               uint64_t geometry_count, uint32_t resolution, float band,
                                               copse_bricks** bricks);

COPSE_C_API void copse_bricks_destroy(copse_bricks* bricks);

/// Stores where the grid lies and how many bricks and voxels there are. Waits.
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY.
COPSE_C_API copse_status copse_bricks_shape(copse_context* context, const copse_bricks* bricks,
                                            copse_grid_shape* shape);

/// Returns the keys: brick_count of them, in the memory of the context. They live as long as the bricks.
COPSE_C_API const uint64_t* copse_bricks_keys(const copse_bricks* bricks);

/// Returns the words: 16 per brick, in the memory of the context.
COPSE_C_API const uint32_t* copse_bricks_words(const copse_bricks* bricks);

/// Returns the distances: 512 per brick, in the memory of the context. NULL if there are none.
COPSE_C_API const float* copse_bricks_values(const copse_bricks* bricks);

#ifdef __cplusplus
}
#endif
