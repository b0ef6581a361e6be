#include "builders/geometry/triangle_table.h"
#include "trace/point_inside.h"
#include "trace/point_queries_body.h"

namespace copse::detail {

namespace {

/// Points that a warp takes at a time, so that no worker is left with the far ones.
constexpr u64 points_at_once = 32;

struct FindNearest {
  BvhView bvh;
  TriangleTable triangles;
  const vec3* points;
  float max_distance;
  NearestPoint* nearest;
  COPSE_HD void operator()(u64 i) const { nearest[i] = nearest_point(bvh, triangles, points[i], max_distance); }
};

struct FindNeighbours {
  BvhView bvh;
  TriangleTable triangles;
  const vec3* points;
  float max_distance;
  u32 k;
  Neighbour* neighbours;
  COPSE_HD void operator()(u64 i) const {
    Neighbour* const own = neighbours + i * k;
    const u32 count = k_nearest(bvh, triangles, points[i], max_distance, k, own);
    for (u32 j = count; j < k; ++j) own[j] = Neighbour::none();
  }
};

struct FindInside {
  BvhView bvh;
  TriangleTable triangles;
  const vec3* points;
  u8* inside;
  COPSE_HD void operator()(u64 i) const { inside[i] = is_inside(bvh, triangles, points[i]) ? 1 : 0; }
};

}  // namespace

template <class Executor>
void nearest_points(const Executor& ex, const BvhView& bvh, std::span<const TriangleView> views,
                    BufferSpan<const vec3> points, float max_distance, NearestPoint* nearest) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  persistent_for_each(ex, "queries: nearest points", points.size(), points_at_once,
                      FindNearest{bvh, triangles, points.data(), max_distance, nearest});
}

template <class Executor>
void nearest_primitives(const Executor& ex, const BvhView& bvh, std::span<const TriangleView> views,
                        BufferSpan<const vec3> points, float max_distance, u32 k, Neighbour* neighbours) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  persistent_for_each(ex, "queries: nearest primitives", points.size(), points_at_once,
                      FindNeighbours{bvh, triangles, points.data(), max_distance, k, neighbours});
}

template <class Executor>
void points_inside(const Executor& ex, const BvhView& bvh, std::span<const TriangleView> views,
                   BufferSpan<const vec3> points, u8* inside) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  persistent_for_each(ex, "queries: points inside", points.size(), points_at_once,
                      FindInside{bvh, triangles, points.data(), inside});
}

template void nearest_points(const BodyExecutor&, const BvhView&, std::span<const TriangleView>,
                             BufferSpan<const vec3>, float, NearestPoint*);
template void nearest_primitives(const BodyExecutor&, const BvhView&, std::span<const TriangleView>,
                                 BufferSpan<const vec3>, float, u32, Neighbour*);
template void points_inside(const BodyExecutor&, const BvhView&, std::span<const TriangleView>,
                            BufferSpan<const vec3>, u8*);

}  // namespace copse::detail
