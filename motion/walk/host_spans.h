#pragma once

// A ray against the four children of a node at two keys, on the host, with vectors of four floats.

#include "builders/geometry/quad.h"
#include "primitives/core/four_floats.h"
#include "trace/walk/wide_tree.h"

namespace copse::detail {

/// The bytes of a word as floats, without moving them in the word: byte k is scaled by 256^k. The last byte is scaled
/// like the third, since in its own place its highest bit would be the sign:
///
///   byte 3    byte 2    byte 1    byte 0
///   00b30000  00b20000  0000b100  000000b0
inline FourFloats bytes_in_place(u32 word) {
  const FourWords words{i32(word), i32(word), i32(word), i32(word >> 8)};
  return floats_of(words & FourWords{0xff, 0xff00, 0xff0000, 0xff0000});
}

/// One axis of a node at two keys. Its steps are divided by the scales of bytes_in_place.
struct HostMovingAxis {
  FourFloats near_base, far_base, step, second_step;

  HostMovingAxis(float origin, float second_origin, u32 exponent, float part, float ray_origin, float scale,
                 float near_offset, float far_offset) {
    constexpr FourFloats in_place{1.0f, 1.0f / 256, 1.0f / 65536, 1.0f / 65536};
    const float at = origin + part * (second_origin - origin);
    const float whole = power_of_two(u8(exponent)) * scale;
    near_base = four_times((at - ray_origin) * scale + near_offset);
    far_base = four_times((at - ray_origin) * scale + far_offset);
    step = in_place * (whole * (1 - part));
    second_step = in_place * (whole * part);
  }

  FourFloats near_times(u32 planes, u32 second_planes) const {
    return near_base + step * bytes_in_place(planes) + second_step * bytes_in_place(second_planes);
  }
  FourFloats far_times(u32 planes, u32 second_planes) const {
    return far_base + step * bytes_in_place(planes) + second_step * bytes_in_place(second_planes);
  }
};

}  // namespace copse::detail
