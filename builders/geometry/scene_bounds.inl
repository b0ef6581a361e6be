// The body of scene_bounds.cpp: bound_primitives of triangles.

#include "builders/geometry/make_triangle_table.h"
#include "builders/geometry/primitive_bounds.h"
#include "primitives/reduce.h"

namespace copse::detail {

template <class Executor>
void bound_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n, Aabb* out) {
  ScratchArena::Frame frame(ex.scratch);
  bound_primitives(ex, TriangleBoxes{make_triangle_table(ex, frame, views)}, n, out);
}

template void bound_triangles(const BodyExecutor&, std::span<const TriangleView>, u64, Aabb*);

}  // namespace copse::detail
