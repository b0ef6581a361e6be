#pragma once

#include "builders/geometry/box_sources.h"
#include "builders/geometry/packed_triangle.h"
#include "builders/geometry/triangle_table.h"

namespace copse::detail {

/// The triangles of any table.
struct TableTriangles {
  TriangleTable table;
  COPSE_HD Triangle operator()(u32 primitive) const { return table.triangle(primitive); }
};

/// Packs triangles for rays, one at a time. It is a small value that kernels take as it is.
struct TrianglePacker {
  /// A triangle before it is packed. Where several are loaded before the first is stored, their loads overlap.
  struct Loaded {
    Triangle triangle;
    u32 primitive;
  };

  TriangleTable triangles;
  PackedTriangle* packed;  // [place]
  u32* masks;              // [place], or null

  /// Whether GatheredTriangles reads them.
  COPSE_HD bool is_gathered() const {
    return triangles.entries == nullptr && GatheredTriangles<>::takes(triangles.view);
  }

  COPSE_HD Loaded load(u32 primitive) const {
    if (is_gathered()) {
      return {GatheredTriangles<>::of(triangles.view)(primitive), primitive};
    }
    return {triangles.triangle(primitive), primitive};
  }

  COPSE_HD PackedTriangle pack(const Loaded& loaded) const {
    const Triangle& t = loaded.triangle;
    const u32 id = loaded.primitive;
    if (triangles.entries == nullptr) return {t.a, id, t.b, triangles.view.geometry, t.c, id};
    const TriangleTable::Entry& entry = triangles.entry(id);
    return {t.a, id, t.b, entry.view.geometry, t.c, id - entry.first};
  }

  COPSE_HD void store(const Loaded& loaded, u32 place) const {
    packed[place] = pack(loaded);
    if (masks != nullptr) store_mask(loaded, place);
  }
  COPSE_HD void store_mask(const Loaded& loaded, u32 place) const {
    masks[place] = triangles.mask(loaded.primitive);
  }

  COPSE_HD void operator()(u32 primitive, u32 place) const { store(load(primitive), place); }
};

}  // namespace copse::detail
