#pragma once

#include <vector>

#include "accel/accel.h"
#include "scene/scene_file.h"

namespace copse {

namespace detail {

/// The meshes of a scene file in the form that kernels read.
struct SceneMeshesView {
  const vec3* positions;       // of all meshes
  const uvec3* triangles;      // of all meshes, with corners in `positions`
  const u32* mesh_first_part;  // per mesh: its first part among those of all meshes
  const u32* part_first;       // per part of all meshes: its first triangle
  const float* part_colours;   // per part: 4 numbers, SceneMaterial::base_colour
  const Instance* instances;

  /// The number of a part among those of all meshes.
  COPSE_HD u32 part_of(u32 instance, u32 geometry) const {
    return mesh_first_part[instances[instance].accel] + geometry;
  }
};

}  // namespace detail

/// The meshes and instances of a scene file in the memory of a context, for builds and pictures.
class COPSE_API SceneMeshes {
 public:
  /// Throws: Error out_of_memory; Error capacity past 2^32 - 1 vertices or triangles of all meshes.
  SceneMeshes(Context& context, const SceneFile& file);

  /// The number of meshes.
  u64 size() const { return views_.size(); }

  /// The triangles of a mesh: a view per part. They stay valid as long as the meshes.
  const std::vector<TriangleView>& triangles(u64 mesh) const { return views_[mesh]; }

  /// The instances of the file. To move them, upload as many new ones before the next picture.
  Buffer<Instance>& instances() { return instances_; }
  const Buffer<Instance>& instances() const { return instances_; }

  u64 size_bytes() const {
    return positions_.size_bytes() + triangles_.size_bytes() + mesh_first_part_.size_bytes() +
           part_first_.size_bytes() + part_colours_.size_bytes() + instances_.size_bytes();
  }

  detail::SceneMeshesView view() const {
    return {positions_.data(),  triangles_.data(),    mesh_first_part_.data(),
            part_first_.data(), part_colours_.data(), instances_.data()};
  }

 private:
  Buffer<vec3> positions_;
  Buffer<uvec3> triangles_;
  Buffer<u32> mesh_first_part_, part_first_;
  Buffer<float> part_colours_;
  Buffer<Instance> instances_;
  std::vector<std::vector<TriangleView>> views_;
};

/// Returns an Accel for each mesh, in order. The number of a part is the geometry id of its hits.
/// Throws: as build.
COPSE_API std::vector<Accel> build_accels(Context& context, const SceneMeshes& meshes,
                                          const AccelOptions& options = {});

}  // namespace copse
