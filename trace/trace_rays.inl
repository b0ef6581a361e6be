#include "builders/geometry/triangle_table.h"
#include "trace/trace_rays_body.h"
#include "trace/traverse.h"

namespace copse::detail {

namespace {

struct TraceClosest {
  BvhView bvh;
  TriangleTable triangles;
  const Ray* rays;
  Hit* hits;
  COPSE_HD void operator()(u64 i) const { hits[i] = closest_hit(bvh, triangles, rays[i]); }
};

struct TraceAny {
  BvhView bvh;
  TriangleTable triangles;
  const Ray* rays;
  u8* occluded;
  COPSE_HD void operator()(u64 i) const { occluded[i] = any_hit(bvh, triangles, rays[i]) ? 1 : 0; }
};

}  // namespace

template <class Executor>
void closest_hits(const Executor& ex, const BvhView& bvh, std::span<const TriangleView> views,
                  BufferSpan<const Ray> rays, Hit* hits) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  for_each(ex, "trace: closest hits", rays.size(), TraceClosest{bvh, triangles, rays.data(), hits});
}

template <class Executor>
void any_hits(const Executor& ex, const BvhView& bvh, std::span<const TriangleView> views,
              BufferSpan<const Ray> rays, u8* occluded) {
  ScratchArena::Frame frame(ex.scratch);
  const TriangleTable triangles = make_triangle_table(ex, frame, views);
  for_each(ex, "trace: any hits", rays.size(), TraceAny{bvh, triangles, rays.data(), occluded});
}

template void closest_hits(const BodyExecutor&, const BvhView&, std::span<const TriangleView>,
                           BufferSpan<const Ray>, Hit*);
template void any_hits(const BodyExecutor&, const BvhView&, std::span<const TriangleView>, BufferSpan<const Ray>,
                       u8*);

}  // namespace copse::detail
