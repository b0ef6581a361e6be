#pragma once

// Random directions, computed from integers alone, so that all backends get the same ones.

#include "builders/geometry/vector_rn.h"

namespace copse::detail {

/// Source: Jarzynski, Olano, "Hash Functions for GPU Rendering", JCGT 2020 (pcg).
COPSE_HD inline u32 pcg_hash(u32 x) {
  const u32 state = x * 747796405u + 2891336453u;
  const u32 word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
  return (word >> 22) ^ word;
}

/// Points spread evenly over the unit sphere. A Kronecker sequence in the cube starts at a point that depends on
/// `seed`; its steps are powers of the inverse of the root of x^4 = x + 1. Its points inside the ball are
/// projected outwards. That needs no sine or cosine, which differ between backends.
class SpherePoints {
 public:
  COPSE_HD explicit SpherePoints(u32 seed)
      : x_(pcg_hash(seed)), y_(pcg_hash(seed ^ 0x9e3779b9u)), z_(pcg_hash(seed + 0x85ebca6bu)) {}

  COPSE_HD vec3 next() {
    // Half of the cube is ball; the sequence reaches it within a few steps.
    for (;;) {
      x_ += 3518319155u, y_ += 2882110345u, z_ += 2360945575u;
      const vec3 p(signed_unit(x_), signed_unit(y_), signed_unit(z_));
      const float square = dot_rn(p, p);
      if (square > 0.01f && square <= 1.0f) return div_rn(p, sqrt_rn(square));
    }
  }

 private:
  COPSE_HD static float signed_unit(u32 bits) { return mul_rn(float(i32(bits)), 1.0f / 2147483648.0f); }

  u32 x_, y_, z_;
};

}  // namespace copse::detail
