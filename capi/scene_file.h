#pragma once

// The C interface: scenes of glTF files.

#include "base.h"
#include "geometry.h"
#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The meshes of a glTF file, and where they are placed.
typedef struct copse_scene_file copse_scene_file;

/// Reads a glTF 2.0 file, .glb or .gltf. The tree of nodes becomes a list of instances. docs/guide/scene-files.md says
/// what is read, and what is refused.
///   file: is set to the new content, or to NULL after an error
/// Errors: COPSE_BAD_FILE, with file, place, value and limit; COPSE_CAPACITY; COPSE_OUT_OF_MEMORY. Their message is
/// copse_last_error(NULL).
COPSE_C_API copse_status copse_scene_file_load(const char* path, copse_scene_file** file);

COPSE_C_API void copse_scene_file_destroy(copse_scene_file* file);

/// Returns the number of meshes. Each has a triangle.
COPSE_C_API uint64_t copse_scene_file_mesh_count(const copse_scene_file* file);

/// Returns the number of geometries of a mesh; 0 if there is no such mesh.
COPSE_C_API uint64_t copse_scene_file_geometry_count(const copse_scene_file* file, uint64_t mesh);

/// Sets `geometry` to a geometry of a mesh, as copse_accel_build() takes it. Its arrays are on the host and live as
/// long as the file. Its id is its number in the mesh.
///   geometry: its struct_size must be set, as COPSE_GEOMETRY_INIT does
///   colour:   red, green, blue and alpha of its material, 0 to 1; may be NULL
/// Errors: COPSE_INVALID_ARGUMENT. Their message is copse_last_error(NULL).
COPSE_C_API copse_status copse_scene_file_geometry(const copse_scene_file* file, uint64_t mesh, uint64_t number,
                                                   copse_geometry* geometry, float* colour);

/// Returns the name of a mesh, which may be empty; NULL if there is no such mesh. The text lives as long as the file.
COPSE_C_API const char* copse_scene_file_mesh_name(const copse_scene_file* file, uint64_t mesh);

/// Returns the number of instances.
COPSE_C_API uint64_t copse_scene_file_instance_count(const copse_scene_file* file);

/// Returns the instances, as copse_scene_build() takes them. copse_instance.accel is the number of a mesh. They live as
/// long as the file.
COPSE_C_API const copse_instance* copse_scene_file_instances(const copse_scene_file* file);

/// Returns the name of the node of an instance; NULL if there is no such instance.
COPSE_C_API const char* copse_scene_file_instance_name(const copse_scene_file* file, uint64_t instance);

/// Returns what was left out of the file, in words. Empty if nothing was. The text lives as long as the file.
COPSE_C_API const char* copse_scene_file_message(const copse_scene_file* file);

#ifdef __cplusplus
}
#endif
