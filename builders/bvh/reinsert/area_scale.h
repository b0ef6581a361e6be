#pragma once

#include "builders/geometry/aabb.h"

namespace copse::detail {

/// Half areas, scaled so that the root's is neither too large nor too small for a float.
struct AreaScale {
  float scale;

  COPSE_HD static AreaScale of(const Aabb& root) {
    const vec3 size = half_size(root);
    const u32 exponent = bits_of(max_number(size.x, max_number(size.y, size.z))) >> 23;
    return {float_from_bits(larger(254u - smaller(exponent, 253u), 1u) << 23)};
  }
  COPSE_HD float area(const Aabb& box) const {
    const vec3 size = half_size(box);
    const float x = size.x * scale, y = size.y * scale, z = size.z * scale;
    return x * y + y * z + z * x;
  }
  /// Returns four times area(), in two thirds of the instructions; infinite or NaN if an extent is more than the
  /// largest float. It is never less for a box around another one, since rounding keeps the order.
  COPSE_HD float quick_area(const Aabb& box) const {
    const float x = (box.hi.x - box.lo.x) * scale, y = (box.hi.y - box.lo.y) * scale,
                z = (box.hi.z - box.lo.z) * scale;
    return x * y + (x + y) * z;
  }

 private:
  /// Halves before it subtracts, so that no finite box overflows.
  COPSE_HD static vec3 half_size(const Aabb& box) {
    return vec3(box.hi.x * 0.5f - box.lo.x * 0.5f, box.hi.y * 0.5f - box.lo.y * 0.5f,
                box.hi.z * 0.5f - box.lo.z * 0.5f);
  }
};

}  // namespace copse::detail
