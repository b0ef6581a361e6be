// Batches of rays through an accel.

#include "capi/rays.h"

#include "capi/bridge/trace.h"

using namespace copse;
using namespace copse::capi;

copse_status copse_closest_hits(copse_context* context, const copse_accel* accel, const copse_rays* rays,
                                copse_hit* hits, copse_memory hits_memory, const copse_trace_options* options) {
  static_assert(sizeof(copse_ray) == sizeof(Ray) && sizeof(copse_hit) == sizeof(Hit));
  return run("copse_closest_hits", context, [&](Context& c) {
    const Accel& object = object_of(context, accel, "accel");
    trace_batch<Hit, TraceOptions>(c, rays, hits, hits_memory, options, "hits",
                                   [&](const auto& all, auto results, const TraceOptions& of_batch) {
                                     closest_hits(c, object, all, results, of_batch);
                                   });
  });
}

copse_status copse_any_hits(copse_context* context, const copse_accel* accel, const copse_rays* rays,
                            uint8_t* occluded, copse_memory occluded_memory, const copse_trace_options* options) {
  return run("copse_any_hits", context, [&](Context& c) {
    const Accel& object = object_of(context, accel, "accel");
    trace_batch<u8, TraceOptions>(c, rays, occluded, occluded_memory, options, "results",
                                  [&](const auto& all, auto results, const TraceOptions& of_batch) {
                                    any_hits(c, object, all, results, of_batch);
                                  });
  });
}

copse_status copse_first_hits(copse_context* context, const copse_accel* accel, const copse_rays* rays, uint32_t k,
                              copse_hit* hits, copse_memory hits_memory, uint32_t* counts,
                              copse_memory counts_memory, const copse_trace_options* options) {
  return run("copse_first_hits", context, [&](Context& c) {
    const Accel& object = object_of(context, accel, "accel");
    store_first_hits<Hit, HitListOptions>(c, object, rays, k, hits, hits_memory, counts, counts_memory, options);
  });
}

copse_status copse_find_hits(copse_context* context, const copse_accel* accel, const copse_rays* rays,
                             uint64_t* offsets, copse_memory offsets_memory, copse_hit* hits, uint64_t room,
                             copse_memory hits_memory, const copse_trace_options* options) {
  return run("copse_find_hits", context, [&](Context& c) {
    const Accel& object = object_of(context, accel, "accel");
    store_all_hits<Hit, HitListOptions>(c, object, rays, offsets, offsets_memory, hits, room, hits_memory,
                                        options);
  });
}
