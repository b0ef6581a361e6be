#pragma once

#include <vector>

#include "bench/embree_scene.h"
#include "primitives/core/types.h"

namespace copse::bench {

/// Embree's point queries, rtcPointQuery, over a mesh that outlives this; on all threads that TBB has.
class EmbreeQueries {
 public:
  explicit EmbreeQueries(const Mesh& mesh) : mesh_(&mesh), scene_(mesh) {}

  /// The distance of the surface's nearest point from each point.
  void nearest_distances(const std::vector<vec3>& points, std::vector<float>& distances) const;

  /// How many triangles come within `radius` of each point.
  void count_within(const std::vector<vec3>& points, float radius, std::vector<u32>& counts) const;

 private:
  const Mesh* mesh_;
  EmbreeScene scene_;
};

}  // namespace copse::bench
