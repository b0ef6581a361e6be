#pragma once

// The C interface: trees over more triangles than a GPU has memory for, and meshes that stay in their files.

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

  /// 0, the default: the tree is an LBVH, which is built fastest. 1 to 8: it is an H-PLOC tree, whose clusters search so
  /// many places for their nearest neighbour; 4 is a good choice. Rays through it are faster.
  uint32_t hploc_radius;
} copse_sliced_build_options;

#define COPSE_SLICED_BUILD_OPTIONS_INIT \
  { sizeof(copse_sliced_build_options), 0, 0 }

/// Builds the acceleration structure of geometries in host memory, for triangles that do not fit the memory of a GPU. The
/// device makes a binary tree in slices, one after another, within memory_bytes. The structure is in host memory, for rays
/// and queries on the CPU. Its tree is an LBVH or an H-PLOC tree, so rays are slower than through copse_accel_build(); hits
/// are the same, bit for bit. A rebuild makes the tree of COPSE_QUALITY_BALANCED. Waits.
///   host:       a context of the CPU, which the structure belongs to
///   device:     where slices are built: a context of a GPU or of the CPU; may be `host`
///   geometries: in host memory. All else as for copse_accel_build()
///   options:    may be NULL
///   accel:      is set to the new structure, or to NULL after an error
/// Errors: as copse_accel_build(); COPSE_INVALID_ARGUMENT if `host` is not of the CPU, for hploc_radius out of range, and for a
/// limit below what slices of 64 triangles take.
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

// ---- Meshes that stay in their files --------------------------------------------------------------------

/// The mesh of a binary PLY file, in the pages of the file, so that it may be larger than the memory of the machine. Any
/// number of threads may use it.
typedef struct copse_mapped_mesh copse_mapped_mesh;

/// Maps a file, and reads it once from front to back to check each index and each vertex. It takes little-endian files with
/// x, y and z as float, one behind the other, and with faces of three corners whose indices are int or uint. Other properties
/// and elements may be there, unless a list makes their length unknown. While the mesh is there, the file must not change. If
/// another program cuts it short, reading it ends this program with SIGBUS.
///   mesh: is set to the new mesh, or to NULL after an error
/// Errors: COPSE_BAD_FILE, with file, element, value and limit, for a file that cannot be mapped or that copse_mesh_load()
/// refuses too; COPSE_OUT_OF_MEMORY. Their message is copse_last_error(NULL).
COPSE_C_API copse_status copse_mapped_mesh_open(const char* path, copse_mapped_mesh** mesh);

COPSE_C_API void copse_mapped_mesh_destroy(copse_mapped_mesh* mesh);

/// Where the vertices and triangles of a mesh are. The library fills it; set struct_size before.
typedef struct copse_triangle_records {
  size_t struct_size;

  /// The three floats of vertex 0, at any address: use memcpy() to read them.
  const void* positions;
  uint64_t vertex_count;     // how many vertices there are
  uint64_t position_stride;  // bytes from one vertex to the next, any number

  /// The three vertex numbers of triangle 0, of 32 bits each, at any address.
  const void* triangles;
  uint64_t triangle_count;
  uint64_t triangle_stride;  // bytes from one triangle to the next, any number
} copse_triangle_records;

#define COPSE_TRIANGLE_RECORDS_INIT \
  { sizeof(copse_triangle_records), NULL, 0, 0, NULL, 0, 0 }

/// Stores where the vertices and triangles are: in the pages of the file, as long as the mesh is there.
/// Errors: COPSE_INVALID_ARGUMENT. Their message is copse_last_error(NULL).
COPSE_C_API copse_status copse_mapped_mesh_records(const copse_mapped_mesh* mesh, copse_triangle_records* records);

/// As copse_accel_build_in_slices(), over a mesh in its file, as geometry 0. The structure has copies of the triangles in its
/// tree, so it does not need the mesh afterwards.
COPSE_C_API copse_status copse_mapped_mesh_build_in_slices(copse_context* host, copse_context* device,
                                                           const copse_mapped_mesh* mesh,
                                                           const copse_sliced_build_options* options,
                                                           copse_accel** accel);

/// As copse_accel_save(), for a structure over a mesh in its file.
///   accel: built over `mesh`, and since then not refitted to other positions
COPSE_C_API copse_status copse_mapped_mesh_save(copse_context* context, const copse_mapped_mesh* mesh,
                                                const copse_accel* accel, const char* path);

#ifdef __cplusplus
}
#endif
