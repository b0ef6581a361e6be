// Triangles in leaf order, for rays.
//
// The cooperative stage, pack_triangles_cpu.h and pack_triangles.cuh:
//
//   pack_leaves(ex, n, primitive_ids, primitive_count, packer)
//     Packs primitive_ids[k] to place k for all k below *primitive_count, which is at most `n`.

#include <span>

#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/triangle_packer.h"

namespace copse::detail {

template <class Executor>
void pack_triangles(const Executor& ex, BufferSpan<const u32> primitive_ids, const u32* primitive_count,
                    std::span<const TriangleView> views, PackedTriangle* packed, u32* masks) {
  ScratchArena::Frame frame(ex.scratch);
  const TrianglePacker packer{make_triangle_table(ex, frame, views), packed, masks};
  pack_leaves(ex, primitive_ids.size(), primitive_ids.data(), primitive_count, packer);
}

template void pack_triangles(const BodyExecutor&, BufferSpan<const u32>, const u32*, std::span<const TriangleView>,
                             PackedTriangle*, u32*);

}  // namespace copse::detail
