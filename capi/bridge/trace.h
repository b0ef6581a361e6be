#pragma once

// Batches of rays through an accel or a scene.

#include <algorithm>

#include "accel/accel_hits.h"
#include "accel/accel_rays.h"
#include "capi/bridge/arrays.h"
#include "capi/rays.h"

namespace copse::capi {

/// The rays of a caller in the memory of a context. The copies live as long as this object.
class Rays {
 public:
  Rays(Context& context, const copse_rays* rays);

  u64 size() const { return span_.size(); }
  const RaySpan& span() const { return span_; }

  /// True if the rays are records, one after another. Then records() views them.
  bool are_records() const;
  BufferSpan<const Ray> records() const { return {reinterpret_cast<const Ray*>(span_.origins.data), size()}; }

 private:
  HostRanges copies_;
  RaySpan span_;
};

/// The masks and the culled side of a caller, with masks in the memory of a context.
struct TraceChoices {
  Input<u32> masks;
  u32 mask;
  Cull cull;

  TraceChoices(Context& context, const copse_trace_options& options, u64 ray_count);

  /// Options: TraceOptions or SceneTraceOptions.
  template <class Options>
  Options options() const {
    Options all;
    all.masks = masks.span();
    all.mask = mask;
    all.cull = cull;
    return all;
  }
};

/// Returns the options of a caller, or the defaults.
inline copse_trace_options read_trace_options(const copse_trace_options* options) {
  const copse_trace_options defaults = COPSE_TRACE_OPTIONS_INIT;
  return read_struct("copse_trace_options", options, defaults);
}

/// Returns the number of rays of a caller, for what there is one of per ray.
inline u64 ray_count_of(const copse_rays* rays) {
  require(rays, "copse_rays");
  const copse_rays defaults = COPSE_RAYS_INIT;
  return read_struct("copse_rays", rays, defaults).count;
}

/// Calls trace(rays, results, options), where `rays` are records if they can be.
///   Options: TraceOptions or SceneTraceOptions
template <class Result, class Options, class Trace>
void trace_batch(Context& context, const copse_rays* given_rays, void* results, copse_memory memory,
                 const copse_trace_options* given_options, const char* what, const Trace& trace) {
  const Rays rays(context, given_rays);
  const TraceChoices choices(context, read_trace_options(given_options), rays.size());
  const Output<Result> output(context, what, results, rays.size(), memory);
  if (rays.are_records()) {
    trace(rays.records(), output.span(), choices.options<Options>());
  } else {
    trace(rays.span(), output.span(), choices.options<Options>());
  }
  output.store(context);
}

/// Stores the first k hits of each ray through an Accel or a Scene.
///   Options: HitListOptions or SceneTraceOptions
template <class Found, class Options, class Structure>
void store_first_hits(Context& context, const Structure& structure, const copse_rays* given_rays, u32 k,
                      void* hits, copse_memory hits_memory, u32* counts, copse_memory counts_memory,
                      const copse_trace_options* options) {
  if (k == 0 || k > max_first_hits) refuse("k is " + std::to_string(k) + "; it can be 1 to 16");
  const Rays rays(context, given_rays);
  const TraceChoices choices(context, read_trace_options(options), rays.size());
  const Output<Found> found(context, "hits", hits, rays.size() * k, hits_memory);
  const Output<u32> numbers(context, "counts", counts, counts == nullptr ? 0 : rays.size(), counts_memory);
  if (counts != nullptr) found.clear(context);
  first_hits(context, structure, rays.span(), found.span(), numbers.span(), choices.options<Options>());
  found.store(context);
  numbers.store(context);
}

/// Stores all hits of each ray, as store_first_hits.
template <class Found, class Options, class Structure>
void store_all_hits(Context& context, const Structure& structure, const copse_rays* given_rays, u64* offsets,
                    copse_memory offsets_memory, void* hits, u64 room, copse_memory hits_memory,
                    const copse_trace_options* options) {
  const Rays rays(context, given_rays);
  const TraceChoices choices(context, read_trace_options(options), rays.size());
  const Output<u64> ends(context, "offsets", offsets, rays.size() + 1, offsets_memory);
  const Output<Found> found(context, "hits", hits, room, hits_memory);
  find_hits(context, structure, rays.span(), ends.span(), found.span(), choices.options<Options>());
  ends.store(context);
  if (hits_memory == COPSE_MEMORY_HOST && room > 0) {
    found.store(context, std::min(room, ends.on_host(context, rays.size())));
  }
}

}  // namespace copse::capi
