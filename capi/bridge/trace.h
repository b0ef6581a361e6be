#pragma once

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

}  // namespace copse::capi
