#pragma once

// A batch of rays that look for several hits, for accels and scenes.

#include "accel/accel_hit_view.h"
#include "accel/accel_hits.h"

namespace copse::detail {

/// The rays of a batch and their masks. View: AccelView or SceneView.
template <class View>
struct HitBatch {
  View view;
  RaySpan rays;
  const u32* masks;  // one per ray; null: `mask` for all
  u32 mask;
  Cull cull;

  COPSE_HD u32 mask_of(u64 i) const { return masks == nullptr ? mask : masks[i] & mask; }
};

}  // namespace copse::detail
