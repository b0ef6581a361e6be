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

  /// LOW is Morton order, MEDIUM binned SAH.
  enum class Quality { low, medium };

  struct Result {
    double milliseconds;  // of rtcBuildBVH alone
    double sah_cost;      // as stats() of Copse
  };
  Result build(Quality quality);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace copse::bench
