#pragma once

// The C interface: trees over more triangles than a GPU has memory for.

#include "accel.h"
#include "base.h"
#include "geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Options of copse_accel_build_in_slices() and copse_accel_sliced_sizes().
typedef struct copse_sliced_build_options {
  size_t struct_size;

  /// The most memory of the device that the build may take, in bytes. 0, the default: no limit, so one slice. A low limit
  /// costs little time.
  uint64_t memory_bytes;
} copse_sliced_build_options;

#define COPSE_SLICED_BUILD_OPTIONS_INIT \
  { sizeof(copse_sliced_build_options), 0 }

/// Builds the acceleration structure of geometries in host memory, for triangles that do not fit the memory of a GPU. The
/// device makes a binary tree in slices, one after another, within memory_bytes. The structure is in host memory, for rays
/// and queries on the CPU. Its tree is that of an LBVH, so rays are slower than through copse_accel_build(); hits are the
/// same, bit for bit. A rebuild makes the tree of COPSE_QUALITY_BALANCED. Waits.
///   host:       a context of the CPU, which the structure belongs to
///   device:     where slices are built: a context of a GPU or of the CPU; may be `host`
///   geometries: in host memory. All else as for copse_accel_build()
///   options:    may be NULL
///   accel:      is set to the new structure, or to NULL after an error
/// Errors: as copse_accel_build(); COPSE_INVALID_ARGUMENT if `host` is not of the CPU, and for a limit below what slices of 64
/// triangles take.
COPSE_C_API copse_status copse_accel_build_in_slices(copse_context* host, copse_context* device,
                                                     const copse_geometry* geometries, uint64_t geometry_count,
                                                     const copse_sliced_build_options* options,
                                                     copse_accel** accel);

/// What a build in slices takes of a device. The library fills it; set struct_size before.
typedef struct copse_sliced_build_sizes {
  size_t struct_size;
  uint64_t slice_triangles;  // of one slice: a power of two, or all of them
  uint64_t slice_count;      // slices
  uint64_t device_bytes;     // of the device
} copse_sliced_build_sizes;

#define COPSE_SLICED_BUILD_SIZES_INIT \
  { sizeof(copse_sliced_build_sizes), 0, 0, 0 }

/// Stores what copse_accel_build_in_slices() takes of a device. It allocates nothing.
///   options: may be NULL
/// Errors: COPSE_CAPACITY; COPSE_INVALID_ARGUMENT for a limit that is too low.
COPSE_C_API copse_status copse_accel_sliced_sizes(copse_context* device, uint64_t triangle_count,
                                                  const copse_sliced_build_options* options,
                                                  copse_sliced_build_sizes* sizes);

#ifdef __cplusplus
}
#endif
