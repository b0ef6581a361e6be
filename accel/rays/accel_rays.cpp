#include "accel/accel_rays.h"

#include "primitives/core/check.h"
#include "trace/trace_rays.h"

namespace copse {

namespace {

TraceTriangles triangles_of(const Accel& accel) {
  return {accel.packed_triangles().view(), accel.packed_triangles().masks.span()};
}

void check_built(const char* function, const Accel& accel) {
  if (accel.tree().nodes.empty()) detail::refuse(function, "the structure was never built");
}

}  // namespace

void closest_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                  const TraceOptions& options) {
  check_built("closest_hits", accel);
  closest_hits(context, accel.tree().view(), triangles_of(accel), rays, hits, options);
}

void any_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<u8> occluded,
              const TraceOptions& options) {
  check_built("any_hits", accel);
  any_hits(context, accel.tree().view(), triangles_of(accel), rays, occluded, options);
}

}  // namespace copse
