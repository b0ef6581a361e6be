#include "accel/accel_hits.h"

#include "accel/build/accel_check.h"
#include "accel/rays/hit_list_calls.h"

namespace copse {

namespace {

detail::HitListCalls<AccelView, HitListOptions> calls(const char* function, Context& context, const Accel& accel,
                                                      const RaySpan& rays, const HitListOptions& options) {
  detail::check_accel(function, context, accel);
  return {function, context, accel.view(), rays, options};
}

}  // namespace

void first_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<Hit> hits,
                BufferSpan<u32> counts, const HitListOptions& options) {
  calls("first_hits", context, accel, rays, options).first(hits, counts);
}

void first_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<Hit> hits,
                BufferSpan<u32> counts, const HitListOptions& options) {
  first_hits(context, accel, RaySpan::in_records(rays), hits, counts, options);
}

void count_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<u32> counts,
                const HitListOptions& options) {
  calls("count_hits", context, accel, rays, options).count(counts);
}

void count_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<u32> counts,
                const HitListOptions& options) {
  count_hits(context, accel, RaySpan::in_records(rays), counts, options);
}

void find_hits(Context& context, const Accel& accel, const RaySpan& rays, BufferSpan<u64> offsets,
               BufferSpan<Hit> hits, const HitListOptions& options) {
  calls("find_hits", context, accel, rays, options).find(offsets, hits);
}

void find_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays, BufferSpan<u64> offsets,
               BufferSpan<Hit> hits, const HitListOptions& options) {
  find_hits(context, accel, RaySpan::in_records(rays), offsets, hits, options);
}

HitLists all_hits(Context& context, const Accel& accel, const RaySpan& rays, const HitListOptions& options) {
  return calls("all_hits", context, accel, rays, options).all<HitLists>();
}

HitLists all_hits(Context& context, const Accel& accel, BufferSpan<const Ray> rays,
                  const HitListOptions& options) {
  return all_hits(context, accel, RaySpan::in_records(rays), options);
}

}  // namespace copse
