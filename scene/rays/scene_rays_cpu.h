#pragma once

#include "primitives/cpu/for_each.h"
#include "scene/rays/lone_instance.h"
#include "trace/batch/cpu/trace_rays.h"

namespace copse::cpu {

namespace detail {

template <class Query>
struct TraceSceneRay {
  Query query;

  void operator()(u64 i) const { query.results[i] = copse::detail::trace_robust(query, query.rays[i], i); }
};

/// Traces `count` rays from ray `first` on, at most room_for_rays: by SIMD in the space of the mesh.
template <class Out>
class LoneInstancePart {
 public:
  static constexpr u64 room_for_rays = 1024;

  LoneInstancePart(const copse::detail::LoneInstanceQuery<Out>& query, bool packets)
      : query_(query),
        batch_{.tree = query.tree, .bounds = query.tree.bounds(), .rays = rays_, .packets = packets} {
    batch_.packed = query.triangles.packed;
    batch_.packed_count = query.triangle_count;
    set_results(batch_, results_);
  }
  LoneInstancePart(const LoneInstancePart&) = delete;

  void trace(u64 first, u64 count) {
    for (u64 k = 0; k < count; ++k) rays_[k] = query_.rays[first + k];
    trace_simd(batch_, 0, count);
    for (u64 k = 0; k < count; ++k) query_.results[first + k] = query_.settled(results_[k], first + k);
  }

 private:
  const copse::detail::LoneInstanceQuery<Out>& query_;
  SimdBatch<typename copse::detail::LoneInstanceQuery<Out>::Tree> batch_;
  Ray rays_[room_for_rays];
  typename copse::detail::LoneInstanceQuery<Out>::InMesh results_[room_for_rays];
};

}  // namespace detail

/// Contract: scene/rays/scene_rays.inl. Each ray is traced alone by the host, by SIMD in each mesh.
template <class Query>
void trace_scene_batch(const Executor& ex, const char* label, const Query& query, u64 n) {
  for_each(ex, label, n, detail::TraceSceneRay<Query>{query});
}

/// Rays through one instance are traced as those through its accel, in packets where they stay together.
template <class Out>
void trace_scene_batch(const Executor& ex, const char* label, const copse::detail::LoneInstanceQuery<Out>& query,
                       u64 n) {
  const auto ray_at = [&](u64 i) { return query.rays[i]; };
  const Aabb bounds = query.tree.bounds();
  trace_ranges(ex, label, TraceKernel::automatic, ray_at, n, bounds, nullptr,
               [&](u64 begin, u64 end, bool packets) {
                 detail::LoneInstancePart<Out> part(query, packets);
                 for (u64 i = begin; i < end; i += part.room_for_rays)
                   part.trace(i, smaller(end - i, part.room_for_rays));
               });
}

}  // namespace copse::cpu
