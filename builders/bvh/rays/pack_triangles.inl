// Triangles in leaf order, for rays.

#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/triangle_packer.h"

namespace copse::detail {

namespace {

struct PackTriangle {
  TrianglePacker pack;
  const u32* primitive_ids;
  const u32* primitive_count;

  COPSE_HD void operator()(u64 place) const {
    if (place < *primitive_count) pack(primitive_ids[place], u32(place));
  }
};

}  // namespace

template <class Executor>
void pack_triangles(const Executor& ex, BufferSpan<const u32> primitive_ids, const u32* primitive_count,
                    std::span<const TriangleView> views, PackedTriangle* packed, u32* masks) {
  ScratchArena::Frame frame(ex.scratch);
  const TrianglePacker pack{make_triangle_table(ex, frame, views), packed, masks};
  for_each(ex, "pack triangles", primitive_ids.size(), PackTriangle{pack, primitive_ids.data(), primitive_count});
}

template void pack_triangles(const BodyExecutor&, BufferSpan<const u32>, const u32*, std::span<const TriangleView>,
                             PackedTriangle*, u32*);

}  // namespace copse::detail
