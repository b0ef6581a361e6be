#pragma once

#include <memory>
#include <vector>

#include "builders/geometry/aabb.h"

namespace copse::bench {

/// Embree's own builder, rtcBuildBVH, over ready boxes: binary, one primitive a leaf.
class EmbreeBuilder {
 public:
  EmbreeBuilder(const std::vector<Aabb>& boxes, unsigned threads);
  ~EmbreeBuilder();

  /// Builds with quality LOW (Morton order) and returns the milliseconds of rtcBuildBVH alone.
  double build_low();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace copse::bench
