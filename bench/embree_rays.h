#pragma once

#include <vector>

#include "bench/embree_scene.h"
#include "trace/ray.h"

namespace copse::bench {

/// Embree's closest hits, over a mesh built at medium quality; on all threads that TBB has.
class EmbreeRays {
 public:
  explicit EmbreeRays(const Mesh& mesh) : scene_(mesh) {}

  /// rtcIntersect1 for each ray.
  void closest_hits(const std::vector<Ray>& rays, std::vector<Hit>& hits) const;

  /// rtcIntersect16 for each 16 neighbours, told that they are coherent.
  void closest_hits_of_packets(const std::vector<Ray>& rays, std::vector<Hit>& hits) const;

 private:
  EmbreeScene scene_;
};

}  // namespace copse::bench
