#include "builders/geometry/primitive_boxes.h"
#include "builders/geometry/scene_bounds_body.h"

namespace copse::detail {

struct BoxOfTriangle {
  TriangleBoxes boxes;
  COPSE_HD Aabb operator()(u64 i) const { return boxes(u32(i)); }
};

struct MergeBoxes {
  COPSE_HD Aabb operator()(const Aabb& a, const Aabb& b) const { return merge(a, b); }
};

template <class Executor>
void bound_triangles(const Executor& ex, std::span<const TriangleView> views, u64 n, Aabb* out) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleBoxes boxes{make_triangle_table(ex, frame, views)};
  reduce(ex, "scene bounds", n, BoxOfTriangle{boxes}, Aabb::empty(), MergeBoxes{}, out);
}

template void bound_triangles(const BodyExecutor&, std::span<const TriangleView>, u64, Aabb*);

}  // namespace copse::detail
