#include "trace/frustum_march.h"
#include "trace/grid_march.h"
#include "trace/kd_walk.h"
#include "trace/traverse.h"
#include "viewer/model/picture/surface.h"

namespace copse::viewer {

namespace {

template <class View>
struct CountVisits {
  View view;
  TriangleTable triangles;
  const Ray* rays;
  u32* visits;
  COPSE_HD void operator()(u64 i) const {
    VisitCounter counter;
    closest_hit(view, triangles, rays[i], counter);
    visits[i] = counter.nodes + counter.primitives;
  }
};

}  // namespace

template <class Executor, class View>
void count_visits(const Executor& ex, const View& view, const TriangleView& triangles, BufferSpan<const Ray> rays,
                  BufferSpan<u32> visits) {
  for_each(ex, "picture: visits", rays.size(),
           CountVisits<View>{view, TriangleTable::of(triangles), rays.data(), visits.data()});
}

#define COPSE_COUNT_VISITS_OF(View)                                                                \
  template void count_visits(const copse::detail::BodyExecutor&, const View&, const TriangleView&, \
                             BufferSpan<const Ray>, BufferSpan<u32>)

COPSE_COUNT_VISITS_OF(BvhView);
COPSE_COUNT_VISITS_OF(Bvh4View);
COPSE_COUNT_VISITS_OF(CompressedBvh4View);
COPSE_COUNT_VISITS_OF(CompressedBvh8View);
COPSE_COUNT_VISITS_OF(GridView);
COPSE_COUNT_VISITS_OF(FrustumGridView);
COPSE_COUNT_VISITS_OF(SahKdView);

}  // namespace copse::viewer
