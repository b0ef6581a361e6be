#pragma once

// The body of batches with masks, for the layouts that masked_rays.inl and masked_compressed_rays.inl name. A
// thread walks for each ray, by the walk that closest_hit does in a user's kernel.

#include "trace/masked_rays_body.h"
#include "trace/masked_triangles.h"
#include "trace/trace_options.h"

namespace copse::detail {

template <class View, class Result>
struct MaskedRays {
  View bvh;
  BatchMasks masks;
  const Ray* rays;
  Result* results;

  COPSE_HD u32 mask(u64 i) const { return masks.rays == nullptr ? ~u32{0} : masks.rays[i]; }
};

template <class View, class Result>
struct TraceMaskedFetched {
  MaskedRays<View, Result> batch;
  TriangleTable triangles;
  COPSE_HD void operator()(u64 i) const {
    if constexpr (std::is_same_v<Result, Hit>) {
      batch.results[i] = closest_hit_masked(batch.bvh, triangles, batch.rays[i], batch.mask(i));
    } else {
      batch.results[i] = any_hit_masked(batch.bvh, triangles, batch.rays[i], batch.mask(i)) ? 1 : 0;
    }
  }
};

template <class View, class Result>
struct TraceMaskedPacked {
  MaskedRays<View, Result> batch;
  BufferSpan<const PackedTriangle> triangles;
  COPSE_HD void operator()(u64 i) const {
    const PackedMasks masks{batch.masks.packed};
    if constexpr (std::is_same_v<Result, Hit>) {
      batch.results[i] = closest_hit_masked(batch.bvh, triangles, masks, batch.rays[i], batch.mask(i));
    } else {
      batch.results[i] = any_hit_masked(batch.bvh, triangles, masks, batch.rays[i], batch.mask(i)) ? 1 : 0;
    }
  }
};

struct StoreWord {
  u32 value;
  u32* out;
  COPSE_HD void operator()(u64) const { *out = value; }
};

template <class Executor, class View, class Triangles, class Result>
void trace_masked_rays(const Executor& ex, const View& bvh, const Triangles& triangles, BufferSpan<const Ray> rays,
                       Result* results, const BatchMasks& masks, u32* chosen) {
  constexpr const char* label = "trace: rays with masks";
  ScratchArena::Frame frame(ex.scratch);
  const MaskedRays<View, Result> batch{bvh, masks, rays.data(), results};
  if constexpr (std::is_same_v<Triangles, BufferSpan<const PackedTriangle>>) {
    for_each(ex, label, rays.size(), TraceMaskedPacked<View, Result>{batch, triangles});
  } else {
    const TriangleTable table = make_triangle_table(ex, frame, triangles);
    for_each(ex, label, rays.size(), TraceMaskedFetched<View, Result>{batch, table});
  }
  if (chosen != nullptr && !rays.empty()) {
    for_each(ex, "trace: chosen", 1, StoreWord{u32(TraceKernel::one_ray_a_thread), chosen});
  }
}

}  // namespace copse::detail

/// The instances for one layout, in a body.
#define COPSE_MASKED_RAYS_OF(View)                                                                           \
  template void trace_masked_rays(const BodyExecutor&, const View&, const std::span<const TriangleView>&,    \
                                  BufferSpan<const Ray>, Hit*, const BatchMasks&, u32*);                     \
  template void trace_masked_rays(const BodyExecutor&, const View&, const std::span<const TriangleView>&,    \
                                  BufferSpan<const Ray>, u8*, const BatchMasks&, u32*);                      \
  template void trace_masked_rays(const BodyExecutor&, const View&, const BufferSpan<const PackedTriangle>&, \
                                  BufferSpan<const Ray>, Hit*, const BatchMasks&, u32*);                     \
  template void trace_masked_rays(const BodyExecutor&, const View&, const BufferSpan<const PackedTriangle>&, \
                                  BufferSpan<const Ray>, u8*, const BatchMasks&, u32*)
