#include "trace/field_rays.h"

#include "primitives/core/check.h"
#include "primitives/core/dispatch.h"
#include "primitives/core/validation.h"

namespace copse {

namespace detail {

// The body: field_rays.inl, for either executor.
template <class Executor>
void find_first_surfaces(const Executor& ex, const DistanceFieldView& field, BufferSpan<const Ray> rays,
                         FieldHit* hits);

}  // namespace detail

void first_surfaces(Context& context, const DistanceFieldView& field, BufferSpan<const Ray> rays,
                    BufferSpan<FieldHit> hits) {
  detail::check_results(context, "first_surfaces", "rays", rays, hits, &ValidationCounts::nan_rays);
  dispatch(context, [&](const auto& ex) { detail::find_first_surfaces(ex, field, rays, hits.data()); });
}

}  // namespace copse
