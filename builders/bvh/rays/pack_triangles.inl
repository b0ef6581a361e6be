// Triangles in leaf order, for rays.

#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/packed_triangle.h"

namespace copse::detail {

namespace {

struct PackTriangle {
  TriangleTable triangles;
  const u32* primitive_ids;
  const u32* primitive_count;
  PackedTriangle* packed;
  u32* masks;

  COPSE_HD void operator()(u64 place) const {
    if (place >= *primitive_count) return;
    const u32 id = primitive_ids[place];
    const Triangle t = triangles.triangle(id);
    packed[place] = {t.a, id, t.b, triangles.geometry(id), t.c, triangles.local_id(id)};
    if (masks != nullptr) masks[place] = triangles.mask(id);
  }
};

}  // namespace

template <class Executor>
void pack_triangles(const Executor& ex, BufferSpan<const u32> primitive_ids, const u32* primitive_count,
                    std::span<const TriangleView> views, PackedTriangle* packed, u32* masks) {
  ScratchArena::Frame frame(ex.scratch);
  for_each(
      ex, "pack triangles", primitive_ids.size(),
      PackTriangle{make_triangle_table(ex, frame, views), primitive_ids.data(), primitive_count, packed, masks});
}

template void pack_triangles(const BodyExecutor&, BufferSpan<const u32>, const u32*, std::span<const TriangleView>,
                             PackedTriangle*, u32*);

}  // namespace copse::detail
