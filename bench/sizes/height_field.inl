#include "bench/sizes/height_field_body.h"
#include "primitives/core/bits.h"

namespace copse::bench {

namespace {

/// Returns the height at x of a wave of `count` hills. The hills are parabolas from 0 to 1.
COPSE_HD float hills(float x, float count) {
  const float phase = x * count;
  const float rest = phase - float(u32(phase));
  return 4 * rest * (1 - rest);
}

struct FillPosition {
  u64 side;
  vec3* positions;
  COPSE_HD void operator()(u64 i) const {
    const float x = float(i % (side + 1)) / float(side), z = float(i / (side + 1)) / float(side);
    const float y =
        0.1f * hills(x, 3) * hills(z, 5) + 0.02f * hills(x, 29) * hills(z, 31) + 0.005f * hills(x + z, 97);
    positions[i] = vec3(x, y, z);
  }
};

struct FillTriangle {
  u64 side;
  uvec3* triangles;
  COPSE_HD void operator()(u64 i) const {
    const u64 cell = i / 2;
    const u32 corner = u32(cell / side * (side + 1) + cell % side), above = corner + u32(side) + 1;
    triangles[i] = i % 2 == 0 ? uvec3(corner, above, corner + 1) : uvec3(corner + 1, above, above + 1);
  }
};

}  // namespace

template <class Executor>
void fill_height_field(const Executor& ex, u64 side, u64 triangle_count, vec3* positions, uvec3* triangles) {
  for_each(ex, "bench: positions", (side + 1) * (side + 1), FillPosition{side, positions});
  for_each(ex, "bench: triangles", triangle_count, FillTriangle{side, triangles});
}

template void fill_height_field(const copse::detail::BodyExecutor&, u64, u64, vec3*, uvec3*);

}  // namespace copse::bench
