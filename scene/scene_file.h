#pragma once

#include <optional>
#include <string>
#include <vector>

#include "builders/geometry/mesh.h"
#include "builders/io/packed_tree_file.h"
#include "primitives/core/cancel_token.h"
#include "scene/instance.h"

namespace copse {

struct LoadSceneOptions {
  /// A token such as std::stop_token. Once a stop is requested, load_scene throws Error cancelled soon.
  CancelToken cancel = {};

  /// The scene to read, in a file with several. Default: the default scene of the file, or else its first.
  std::optional<u32> scene = {};

  /// Limit of three sums of bytes: that of the buffers of the file, that of its meshes in memory, and that of its
  /// instances. A small file can refer to the same bytes any number of times. Default: 16 GiB. Above it, load_scene
  /// throws Error bad_file.
  u64 max_bytes = u64{1} << 34;
};

/// A mesh of a scene file. Its primitives are consecutive parts; MeshPart::geometry is the number of the part.
struct SceneMesh {
  std::string name;
  Mesh mesh;
  std::vector<MeshPart> parts;
  std::vector<u32> materials;  // one per part: its number in SceneFile::materials
};

struct SceneMaterial {
  std::string name;
  float base_colour[4] = {1, 1, 1, 1};  // red, green, blue, alpha; linear, 0 to 1
};

/// The parts of a scene file that load_scene left out.
struct COPSE_API SceneReport {
  u64 drawings = 0;    // primitives of points or lines
  u64 animations = 0;  // the scene is loaded at rest

  bool is_complete() const { return drawings + animations == 0; }

  /// Returns a sentence about what was left out: "2 primitives of points or lines were left out". Empty if nothing
  /// was.
  std::string message() const;
};

/// The content of a scene file: meshes, and instances of them.
struct COPSE_API SceneFile {
  /// The meshes that instances place, in the order of the file. Each has at least one triangle.
  std::vector<SceneMesh> meshes;

  /// The materials of the file. If a primitive has none, a white one without a name comes last.
  std::vector<SceneMaterial> materials;

  /// One instance per mesh at a node, or as many as EXT_mesh_gpu_instancing places there. Instance::accel is the
  /// number of the mesh in `meshes`, Instance::id that of the node in the file. All bits of the mask are set.
  std::vector<Instance> instances;

  /// The names of the nodes, one per instance.
  std::vector<std::string> instance_names;

  SceneReport left_out;

  /// Returns the number of triangles of all meshes.
  u64 triangle_count() const;

  /// Returns the number of triangles that rays see: the sum of the triangles of each instance's mesh.
  u64 instanced_triangle_count() const;
};

/// Returns the meshes and instances of a glTF 2.0 file, .glb or .gltf. The tree of nodes becomes a list of instances,
/// with transforms that are multiplied in double precision.
///
///   const copse::SceneFile file = copse::load_scene("forest.glb");
///   const copse::SceneMeshes meshes(context, file);                                  // scene/scene_meshes.h
///   const std::vector<copse::Accel> accels = copse::build_accels(context, meshes);
///   const copse::Scene scene = copse::build(context, accels, file.instances);
///
/// It reads triangles, strips and fans; positions of floats; indices of 8, 16 and 32 bits, or none; sparse accessors;
/// buffers in the file, as data URIs, and in files beside it or below its folder; instances in accessors, by
/// EXT_mesh_gpu_instancing. It ignores pictures, textures, cameras and lights.
/// Throws: Error bad_file, with file, place, value and limit, for a file that cannot be read or breaks a rule of glTF,
/// such as an index past the end, a cycle of nodes, or a buffer outside the folder. Also for what it does not read:
/// morph targets, skins, Draco and meshopt compression, quantized positions, and any other extension that the file
/// requires; for a scene without triangles; and past max_bytes. Error capacity past 2^31 triangles or vertices of a mesh, Error
/// cancelled, Error out_of_memory.
/// Memory: the file twice and the meshes, until it returns.
COPSE_API SceneFile load_scene(const FilePath& path, const LoadSceneOptions& options = {});

}  // namespace copse
