#pragma once

// A batch of rays that look for several hits, through accels and scenes alike.

#include "accel/accel_hit_view.h"
#include "accel/accel_hits.h"

namespace copse::detail {

/// The rays of a batch, and what they see. View: AccelView or SceneView.
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
