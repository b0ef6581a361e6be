#pragma once

#include "primitives/core/compiler.h"
#include "scene/rays/lone_instance.h"
#include "trace/batch/cuda/trace_rays.cuh"

namespace copse {

namespace detail {

// The kernels of batches find these two by the namespace of RaysInMesh.

__device__ inline Ray load_ray(const RaysInMesh& rays, u64 i) {
  return rays.into_mesh(cuda::detail::load_ray(rays.rays, i));
}

inline const Ray* memory_of(const RaysInMesh& rays) {
  return rays.rays;
}

}  // namespace detail

namespace cuda {

namespace detail {

template <u32 threads>
__device__ copse::detail::SceneRayState& state_of_thread() {
  __shared__ copse::detail::SceneRayState states[threads];
  return states[threadIdx.x];
}

/// The state of the thread's ray in shared memory.
///   threads: of a block
template <u32 threads>
struct StateInShared {
  COPSE_HD copse::detail::SceneRayState& operator()() const {
    if constexpr (COPSE_DEVICE_CODE == 1) {
      return state_of_thread<threads>();
    } else {
      unreachable();
    }
  }
};

/// 72 registers per thread. bench/notes/rays-gpu.md has the measurements.
template <class Out, class Sights, class Holder>
inline constexpr u32 persistent_blocks<copse::detail::SceneQuery<Out, Sights, Holder>> = 7;

/// Packets do not exist for scenes: a packet would have to enter an instance as a whole.
template <class Out, class Sights, class Holder>
inline constexpr bool has_packets<copse::detail::SceneQuery<Out, Sights, Holder>> = false;

}  // namespace detail

/// Contract: scene/rays/scene_rays.inl. It uses the kernels of batches through an accel.
template <class Out, class Sights>
void trace_scene_batch(const Executor& ex, const char* label, const copse::detail::SceneQuery<Out, Sights>& query,
                       u64 n) {
  using Query = copse::detail::SceneQuery<Out, Sights, detail::StateInShared<detail::ray_threads>>;
  const Query in_shared{query.tree, query.scene, query.sights, query.rays, query.results};
  trace_batch(ex, label, TraceKernel::automatic, in_shared, n, nullptr);
}

template <class Out>
void trace_scene_batch(const Executor& ex, const char* label, const copse::detail::LoneInstanceQuery<Out>& query,
                       u64 n) {
  trace_batch(ex, label, TraceKernel::automatic, query, n, nullptr);
}

}  // namespace cuda

}  // namespace copse
