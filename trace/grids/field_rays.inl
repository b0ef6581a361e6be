// Rays through distance fields, a thread per ray.

#include "primitives/for_each.h"
#include "trace/field_march.h"

namespace copse::detail {

struct FindFirstSurface {
  DistanceFieldView field;
  const Ray* rays;
  FieldHit* hits;
  COPSE_HD void operator()(u64 i) const { hits[i] = first_surface(field, rays[i]); }
};

template <class Executor>
void find_first_surfaces(const Executor& ex, const DistanceFieldView& field, BufferSpan<const Ray> rays,
                         FieldHit* hits) {
  for_each(ex, "field: rays", rays.size(), FindFirstSurface{field, rays.data(), hits});
}

template void find_first_surfaces(const BodyExecutor&, const DistanceFieldView&, BufferSpan<const Ray>, FieldHit*);

}  // namespace copse::detail
