#pragma once

// The C interface: the acceleration structure of triangles.

#include "base.h"
#include "geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How much time a build may take, and how fast rays become. docs/guide/choosing.md has the figures.
typedef int32_t copse_quality;
enum {
  COPSE_QUALITY_FAST = 0,      // for scenes that are built anew in every frame
  COPSE_QUALITY_BALANCED = 1,  // takes as long as 2 to 3.5 fast builds
  COPSE_QUALITY_BEST = 2       // for scenes that do not change
};

/// Options of copse_accel_build(), copse_scene_build() and copse_motion_build().
typedef struct copse_build_options {
  size_t struct_size;

  /// Default: COPSE_QUALITY_BALANCED.
  copse_quality quality;

  /// Room for so many triangles or instances, so that a rebuild may have more of them than the first build. Default:
  /// 0. Where it is below their number, there is room for these.
  uint64_t capacity;

  /// For copse_accel_build() alone, 1 for all others: room for references per triangle, 1 to 4. Above 1, a triangle that fills its box
  /// badly stands in several leaves, each with a box around a part of it. Answers stay the same. Rays get
  /// faster by long triangles, and slower at large walls: measure. A refit gives up what this gains, until the next rebuild. Default: 1, no splits.
  double splits;
} copse_build_options;

#define COPSE_BUILD_OPTIONS_INIT \
  { sizeof(copse_build_options), COPSE_QUALITY_BALANCED, 0, 1 }

/// The acceleration structure of triangles: all that rays and queries need. Only build, refit, rebuild and save read
/// the arrays of the caller. It is equal on all backends bit for bit, and so are all answers.
///
/// It is used with the context that made it, or with another one of the same device. In that case the caller waits
/// for the first context before.
typedef struct copse_accel copse_accel;

/// Builds the acceleration structure of geometries. Any input builds a valid tree: triangles with a coordinate that
/// is infinite or NaN are left out. Without triangles all rays miss. It does not wait for the device.
///   geometries: `geometry_count` of them, all with the same struct_size. Triangle ids count in each of them
///   options:    may be NULL
///   accel:      is set to the new structure, or to NULL after an error
/// Errors: COPSE_INVALID_ARGUMENT, also for an index past the end of positions in host memory; COPSE_CAPACITY past
/// 2^31 triangles; COPSE_OUT_OF_MEMORY; COPSE_CANCELLED.
COPSE_C_API copse_status copse_accel_build(copse_context* context, const copse_geometry* geometries,
                                           uint64_t geometry_count, const copse_build_options* options,
                                           copse_accel** accel);

/// Builds a new tree in the memory of `accel`, with its options. It does not wait for the device. After an error,
/// rebuild it before you use it.
///   geometries: any number of triangles up to copse_accel_capacity()
/// Errors: as copse_accel_build(); COPSE_INVALID_ARGUMENT if `accel` was compacted or loaded, or has too little room.
COPSE_C_API copse_status copse_accel_rebuild(copse_context* context, copse_accel* accel,
                                             const copse_geometry* geometries, uint64_t geometry_count);

/// Fits the tree to triangles that have moved. Its topology stays, so rays become slower as the triangles move
/// apart. A triangle that has become NaN or infinite is missed until it comes back. It does not wait for the device.
///   geometries: as many triangles as `accel` was built over, in the same order
/// Errors: as copse_accel_build(); COPSE_INVALID_ARGUMENT for another number of triangles.
COPSE_C_API copse_status copse_accel_refit(copse_context* context, copse_accel* accel,
                                           const copse_geometry* geometries, uint64_t geometry_count);

/// Frees the memory that the tree does not use, about 56 of 120 bytes per triangle. It can be traced and refitted as
/// before, but not rebuilt. Waits for the device.
/// Errors: COPSE_INVALID_ARGUMENT while a scene refers to `accel`; COPSE_OUT_OF_MEMORY.
COPSE_C_API copse_status copse_accel_compact(copse_context* context, copse_accel* accel);

/// Destroys an acceleration structure. The memory of one that a scene refers to is freed with that scene.
COPSE_C_API void copse_accel_destroy(copse_accel* accel);

/// Returns the number of triangles of the last build, in the tree or left out.
COPSE_C_API uint64_t copse_accel_triangle_count(const copse_accel* accel);

/// Returns the maximum number of triangles of a rebuild.
COPSE_C_API uint64_t copse_accel_capacity(const copse_accel* accel);

/// Returns the bytes of memory that the structure holds.
COPSE_C_API uint64_t copse_accel_size_bytes(const copse_accel* accel);

// ---- Sizes and measures ---------------------------------------------------------------------------------

/// Bytes that a build takes. The library fills it; set struct_size before.
typedef struct copse_build_sizes {
  size_t struct_size;
  uint64_t result_bytes;   // of the structure
  uint64_t scratch_bytes;  // of the scratch of the context; free again after the build
} copse_build_sizes;

#define COPSE_BUILD_SIZES_INIT \
  { sizeof(copse_build_sizes), 0, 0 }

/// Stores the bytes that copse_accel_build() takes on this context. If a geometry has a mask, 4 bytes per triangle
/// are added to the result. Arrays on the host take their own size in addition, on CUDA.
///   options: may be NULL
/// Errors: as copse_accel_build().
COPSE_C_API copse_status copse_accel_build_sizes(copse_context* context, uint64_t triangle_count,
                                                 uint64_t geometry_count, const copse_build_options* options,
                                                 copse_build_sizes* sizes);

/// Measures of a tree. The library fills it; set struct_size before.
typedef struct copse_stats {
  size_t struct_size;
  uint64_t source_count;    // triangles, or instances, of the last build
  uint64_t left_out_count;  // those that are not in the tree, since no ray can hit them
  uint64_t node_count;
  uint64_t leaf_count;
  uint32_t depth;   // nodes on the longest path from the root to a leaf
  double sah_cost;  // expected cost of a ray: 1.2 per node and 1 per triangle, by areas over the root's area
  float lower[3];   // the box around the tree; lower is above upper if the tree is empty
  float upper[3];
  uint64_t used_bytes;  // of the nodes, parents and ids that are in use
  uint64_t size_bytes;  // of all memory of the structure
} copse_stats;

#define COPSE_STATS_INIT \
  { sizeof(copse_stats), 0, 0, 0, 0, 0, 0, {0, 0, 0}, {0, 0, 0}, 0, 0 }

/// Measures the tree of an acceleration structure. Waits for the device.
/// Errors: COPSE_INVALID_ARGUMENT, COPSE_OUT_OF_MEMORY.
COPSE_C_API copse_status copse_accel_stats(copse_context* context, const copse_accel* accel, copse_stats* stats);

// ---- Files ----------------------------------------------------------------------------------------------

/// Writes an acceleration structure and its triangles to a .copse file, as docs/guide/structure-file.md describes
/// it. The file appears under its name when it is complete, so that an old file survives a full disk. Waits.
///   geometries: the triangles of the last build, rebuild or refit
/// Errors: COPSE_BAD_FILE, COPSE_CANCELLED; COPSE_INVALID_ARGUMENT if `geometries` have other triangles than
/// `accel`, or an infinite coordinate in the tree.
COPSE_C_API copse_status copse_accel_save(copse_context* context, const copse_accel* accel, const char* path,
                                          const copse_geometry* geometries, uint64_t geometry_count);

/// Reads a file that copse_accel_save() or the C++ save_accel() wrote. The structure can be traced and refitted, but
/// not rebuilt. Every index of the file is checked before it is used. Waits.
///   accel: is set to the new structure, or to NULL after an error
///   mesh:  is set to its triangles on the host, or to NULL after an error. May be NULL if they are not needed
/// Errors: COPSE_BAD_FILE with file, value and limit; COPSE_OUT_OF_MEMORY; COPSE_CANCELLED.
COPSE_C_API copse_status copse_accel_load(copse_context* context, const char* path, copse_accel** accel,
                                          copse_mesh** mesh);

/// What is checked of a file before it is used: every index and the checksums; the checksums, which find damage and no
/// forgery; or the header and the size alone, so that no other page is read.
typedef int32_t copse_file_check;
enum { COPSE_FILE_CHECK_EVERYTHING = 0, COPSE_FILE_CHECK_DAMAGE = 1, COPSE_FILE_CHECK_SIZES = 2 };

/// Maps such a file into memory, for a context of the CPU. Nothing is copied: the arrays are the pages of the file, which
/// are read when rays come to them. A refit copies the pages that it changes; the file is never written. It must not
/// be changed or cut while `accel` or `mesh` lives, but copse_accel_save() may put a new file in its place.
///   accel: is set to the structure, or to NULL after an error
///   mesh:  is set to its triangles in the file, or to NULL after an error. May be NULL if they are not needed
/// Errors: COPSE_BAD_FILE, also for a file of a version before 4, which copse_accel_load() reads;
/// COPSE_INVALID_ARGUMENT for a context of a GPU and for another check; COPSE_OUT_OF_MEMORY; COPSE_CANCELLED.
COPSE_C_API copse_status copse_accel_map(copse_context* context, const char* path, copse_file_check check,
                                         copse_accel** accel, copse_mesh** mesh);

#ifdef __cplusplus
}
#endif
