#pragma once

// Packs the triangles of leaves on the CPU. Contract: builders/bvh/rays/pack_triangles.inl.

#include "builders/geometry/triangle_packer.h"
#include "primitives/cpu/for_each.h"

namespace copse::cpu {

namespace detail {

struct PackLeafTriangle {
  copse::detail::TrianglePacker pack;
  const u32* primitive_ids;
  const u32* primitive_count;

  void operator()(u64 place) const {
    if (place < *primitive_count) pack(primitive_ids[place], u32(place));
  }
};

}  // namespace detail

/// Contract: builders/bvh/rays/pack_triangles.inl.
inline void pack_leaves(const Executor& ex, u64 n, const u32* primitive_ids, const u32* primitive_count,
                        const copse::detail::TrianglePacker& packer) {
  for_each(ex, "pack triangles", n, detail::PackLeafTriangle{packer, primitive_ids, primitive_count});
}

}  // namespace copse::cpu
