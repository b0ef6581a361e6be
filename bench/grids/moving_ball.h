#pragma once

#include "copse.h"
#include "copse/grids.h"
#include "primitives/core/buffer.h"

namespace copse::bench {

/// A ball that deforms from frame to frame, on the context's device.
class MovingBall {
 public:
  /// `ball` has radius 1.
  /// Throws: Error out_of_memory.
  MovingBall(Context& context, const Mesh& ball);

  /// Goes on to the next of 32 phases. A graph may capture the call.
  void move();
  /// Goes back to the phase before the first.
  void reset();

  TriangleView view() const { return {.positions = positions_.span(), .triangles = triangles_.span()}; }
  u64 triangle_count() const { return triangles_.size(); }
  u64 size_bytes() const { return positions_.size_bytes() + triangles_.size_bytes(); }

 private:
  Context& context_;
  Buffer<vec3> rest_, positions_;
  Buffer<uvec3> triangles_;
  Buffer<u32> phase_;
};

}  // namespace copse::bench
