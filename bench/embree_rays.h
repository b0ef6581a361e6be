#pragma once

#include <vector>

#include "bench/embree_scene.h"
#include "trace/ray.h"

namespace copse::bench {

/// Embree's rays, over a mesh that is built at medium quality. They run on all threads that TBB has.
class EmbreeRays {
 public:
  explicit EmbreeRays(const Mesh& mesh) : scene_(mesh) {}

  /// Calls rtcIntersect1 for each ray.
  void closest_hits(const std::vector<Ray>& rays, std::vector<Hit>& hits) const;

  /// Calls rtcOccluded1 for each ray. Stores 1 for a ray that hits anything, else 0.
  void any_hits(const std::vector<Ray>& rays, std::vector<u8>& occluded) const;

  /// Calls rtcIntersect16 for each group of 16 neighbours. It tells Embree that they are coherent.
  void closest_hits_of_packets(const std::vector<Ray>& rays, std::vector<Hit>& hits) const;

 private:
  EmbreeScene scene_;
};

}  // namespace copse::bench
