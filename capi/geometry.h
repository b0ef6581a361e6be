#pragma once

// The C interface: triangles of the caller, and meshes from files.

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The triangles of one geometry. All arrays are in the same memory.
typedef struct copse_geometry {
  size_t struct_size;

  /// Three floats per vertex.
  const float* positions;
  uint64_t position_count;

  /// Bytes from one position to the next: at least 12, a multiple of 4. Default: 12.
  uint64_t position_stride;

  /// Three vertex numbers per triangle, of index_bytes each: 4, the default, or 2. With index_bytes 0 there are no
  /// indices: triangle i has the vertices 3i, 3i + 1 and 3i + 2.
  const void* indices;
  uint64_t triangle_count;  // if index_bytes is 0, it is position_count / 3 and this member is not read
  uint32_t index_bytes;

  /// Where positions and indices are. Indices in host memory are always checked; see
  /// copse_context_options.validate for others. Default: COPSE_MEMORY_HOST.
  copse_memory memory;

  /// The id that hits report. Default: 0.
  uint32_t id;

  /// A ray passes over the triangles if its mask shares no bit with this. Default: all bits.
  uint32_t mask;
} copse_geometry;

#define COPSE_GEOMETRY_INIT \
  { sizeof(copse_geometry), NULL, 0, 12, NULL, 0, 4, COPSE_MEMORY_HOST, 0, 0xffffffffu }

/// A mesh on the host, of one geometry or several.
typedef struct copse_mesh copse_mesh;

/// Reads the triangles of an OBJ, PLY, STL or OFF file, perhaps packed by gzip. The ending of the name tells the format:
/// .obj, .ply, .stl or .off, each with or without .gz behind it. Polygons are cut into triangles. Vertices that are not
/// finite are left out, with their faces; copse_mesh_message() tells of it.
///   mesh: is set to the new mesh, or to NULL after an error
/// Errors: COPSE_BAD_FILE, with file, line or element, value and limit; COPSE_OUT_OF_MEMORY. Their message is
/// copse_last_error(NULL).
COPSE_C_API copse_status copse_mesh_load(const char* path, copse_mesh** mesh);

/// Reads the triangles of an OBJ, PLY, STL or OFF file that is in memory, perhaps packed by gzip. Its first bytes tell the
/// format. Everything else is as for copse_mesh_load().
///   bytes: `size` of them, which the mesh does not need after the call
///   name:  stands in front of the messages of errors; NULL: "mesh"
COPSE_C_API copse_status copse_mesh_parse(const void* bytes, uint64_t size, const char* name, copse_mesh** mesh);

COPSE_C_API void copse_mesh_destroy(copse_mesh* mesh);

/// Returns the number of geometries of a mesh: 1 for a file of a mesh, any number for one of an accel.
COPSE_C_API uint64_t copse_mesh_geometry_count(const copse_mesh* mesh);

/// Sets `geometry` to geometry `number` of a mesh, as copse_accel_build() takes it. Its arrays are on the host and
/// live as long as the mesh.
///   geometry: its struct_size must be set, as COPSE_GEOMETRY_INIT does
/// Errors: COPSE_INVALID_ARGUMENT. Their message is copse_last_error(NULL).
COPSE_C_API copse_status copse_mesh_geometry(const copse_mesh* mesh, uint64_t number, copse_geometry* geometry);

/// Returns what was left out of the file, in words: "1 vertex that is not finite (line 7) was left out". Empty if
/// nothing was. The text lives as long as the mesh.
COPSE_C_API const char* copse_mesh_message(const copse_mesh* mesh);

#ifdef __cplusplus
}
#endif
