// Gathers rays of any layout into records.

#include "accel/ray_span.h"

namespace copse::detail {

namespace {

struct GatherRay {
  RaySpan rays;
  u64 first;
  Ray* out;

  COPSE_HD void operator()(u64 i) const { out[i] = rays.at(first + i); }
};

}  // namespace

template <class Executor>
void gather_rays(const Executor& ex, const RaySpan& rays, u64 first, u64 count, Ray* out) {
  for_each(ex, "trace: gather rays", count, GatherRay{rays, first, out});
}

template void gather_rays(const BodyExecutor&, const RaySpan&, u64, u64, Ray*);

}  // namespace copse::detail
