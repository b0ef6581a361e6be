#pragma once

#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/triangle_table.h"

namespace copse::detail {

/// Packs triangles for rays, one at a time. It is a small value that kernels take as it is.
struct TrianglePacker {
  TriangleTable triangles;
  PackedTriangle* packed;  // [place]
  u32* masks;              // [place], or null

  /// Packs a primitive to a place. Returns its vertices.
  COPSE_HD Triangle operator()(u32 primitive, u32 place) const {
    if (triangles.entries == nullptr) return pack(triangles.view, primitive, primitive, place);
    const TriangleTable::Entry& entry = triangles.entry(primitive);
    return pack(entry.view, primitive, primitive - entry.first, place);
  }

 private:
  COPSE_HD Triangle pack(const TriangleView& view, u32 primitive, u32 local_id, u32 place) const {
    const Triangle t = load_triangle(view, local_id);
    packed[place] = {t.a, primitive, t.b, view.geometry, t.c, local_id};
    if (masks != nullptr) masks[place] = view.mask;
    return t;
  }
};

}  // namespace copse::detail
