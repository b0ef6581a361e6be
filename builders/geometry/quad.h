#pragma once

#include "builders/geometry/aabb.h"

namespace copse::detail {

/// 16 bytes of a node or a triangle, loaded at once: compilers load the members of a larger structure one by one.
struct [[gnu::may_alias]] alignas(16) Quad {
  u32 words[4];

  COPSE_HD vec3 point() const {
    return vec3(float_from_bits(words[0]), float_from_bits(words[1]), float_from_bits(words[2]));
  }
};

/// Half a node, loaded and stored at once: a corner of its box and the word beside it. Lanes that read the same
/// half of neighbouring nodes in shared memory read different banks.
struct alignas(16) HalfNode {
  vec3 corner;
  u32 word;
};

}  // namespace copse::detail
