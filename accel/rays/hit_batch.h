#pragma once

// A batch of rays that look for several hits, for accels and scenes.

#include <cstring>
#include <utility>

#include "accel/accel_hit_view.h"
#include "accel/accel_hits.h"
#include "primitives/core/buffer.h"

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
  /// True if no mask of a ray and no culling hides anything. Triangles and instances may have masks of no bits.
  bool hides_nothing() const { return masks == nullptr && mask == ~u32{0} && cull == Cull::none; }
};

/// Where hits of all rays go: to a buffer of the caller, which may be too small for all, or to one that grows.
template <class HitType>
class HitTarget {
 public:
  explicit HitTarget(BufferSpan<HitType> fixed) : span_(fixed) {}
  explicit HitTarget(Context& context) : context_(&context) {}

  BufferSpan<HitType> span() const { return span_; }
  bool grows() const { return context_ != nullptr; }

  /// Returns the value at an address in the memory of the context, if the buffer grows. Waits.
  u64 read(const u64* address) const { return download(*context_, BufferSpan<const u64>(address, 1))[0]; }

  /// Makes room for `count` hits, if the buffer grows. Keeps the first `stored` ones, on the CPU alone.
  void resize(u64 count, u64 stored = 0) {
    if (!grows() || count == grown_.size()) return;
    Buffer<HitType> resized(*context_, count);
    if (stored > 0) std::memcpy(resized.data(), grown_.data(), stored * sizeof(HitType));
    grown_ = std::move(resized);
    span_ = grown_.span();
  }

  Buffer<HitType> take() { return std::move(grown_); }

 private:
  Context* context_ = nullptr;
  Buffer<HitType> grown_;
  BufferSpan<HitType> span_;
};

}  // namespace copse::detail
