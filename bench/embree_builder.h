#pragma once

#include <memory>
#include <vector>

#include "builders/geometry/aabb.h"

namespace copse::bench {

/// Embree's own builder, rtcBuildBVH, over ready boxes. The tree is binary and has one primitive per leaf.
class EmbreeBuilder {
 public:
  EmbreeBuilder(const std::vector<Aabb>& boxes, unsigned threads);
  ~EmbreeBuilder();

  /// LOW uses Morton order, MEDIUM uses binned SAH.
  enum class Quality { low, medium };

  struct Result {
    double milliseconds;  // of rtcBuildBVH alone
    double sah_cost;      // as stats() of Copse computes it
  };
  Result build(Quality quality);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace copse::bench
