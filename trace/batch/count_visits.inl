// What rays visit up to their closest hits.

#include "trace/traverse.h"
#include "trace/tree_view.h"

namespace copse::detail {

namespace {

template <class View>
struct CountRayVisits {
  View tree;
  BufferSpan<const PackedTriangle> triangles;
  const Ray* rays;
  VisitCounter* visits;

  COPSE_HD void operator()(u64 i) const {
    VisitCounter counter;
    closest_hit(tree, triangles, rays[i], counter);
    visits[i] = counter;
  }
};

}  // namespace

template <class Executor, class View>
void count_visits(const Executor& ex, const View& tree, BufferSpan<const PackedTriangle> triangles,
                  BufferSpan<const Ray> rays, VisitCounter* visits) {
  for_each(ex, "trace: visits", rays.size(), CountRayVisits<View>{tree, triangles, rays.data(), visits});
}

#define COPSE_COUNT_VISITS(View)                                                                 \
  template void count_visits(const BodyExecutor&, const View&, BufferSpan<const PackedTriangle>, \
                             BufferSpan<const Ray>, VisitCounter*)

COPSE_COUNT_VISITS(BvhView);
COPSE_COUNT_VISITS(Bvh4View);
COPSE_COUNT_VISITS(CompressedBvh4View);
COPSE_COUNT_VISITS(CompressedBvh8View);

#undef COPSE_COUNT_VISITS

}  // namespace copse::detail
