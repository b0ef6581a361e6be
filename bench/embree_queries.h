#pragma once

#include <vector>

#include "bench/embree_scene.h"
#include "primitives/core/types.h"

namespace copse::bench {

/// Embree's point queries, rtcPointQuery, over a mesh. The mesh must outlive this object. They run on all threads
/// that TBB has.
class EmbreeQueries {
 public:
  explicit EmbreeQueries(const Mesh& mesh) : mesh_(&mesh), scene_(mesh) {}

  /// Returns, for each point, its distance from the nearest point of the surface.
  void nearest_distances(const std::vector<vec3>& points, std::vector<float>& distances) const;

  /// Returns, for each point, how many triangles come within `radius` of it.
  void count_within(const std::vector<vec3>& points, float radius, std::vector<u32>& counts) const;

 private:
  const Mesh* mesh_;
  EmbreeScene scene_;
};

}  // namespace copse::bench
