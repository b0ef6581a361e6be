// Rays that are still active when most of their group have ended. A few rays leave blocks of lanes empty, and no
// other rays hide the latency of their steps. So the last rays of several groups are joined in one group, which goes
// on until few of them remain.

#if defined(COPSE_TRACE_CPU_SIMD_STRAGGLERS) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_STRAGGLERS
#undef COPSE_TRACE_CPU_SIMD_STRAGGLERS
#else
#define COPSE_TRACE_CPU_SIMD_STRAGGLERS
#endif

#include "trace/batch/cpu/simd_results.inl"
#include "trace/batch/cpu/simd_walk.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

template <Goal goal, class Tree, class Triangles>
class StragglerGroup {
 public:
  using Walks = RayWalks<goal, Tree, Triangles>;

  /// At most this many rays of a group are stragglers.
  static constexpr u32 max_rays = 3 * ray_lanes / 8;

  HWY_INLINE StragglerGroup(const SimdBatch<Tree>& batch, const Triangles& triangles)
      : batch_(batch), triangles_(triangles), walks_(batch.tree, triangles, group_) {
    group_.masks = batch.masks, group_.collector = batch.collector;
  }

  /// Takes over the rays of these bits from another group, at most max_rays. Their results are written later.
  HWY_NOINLINE void take(Walks& others, u32 rays) {
    constexpr u32 few = ray_lanes / 2;
    static_assert(few + max_rays <= ray_lanes);
    if (population_count(taken_) + population_count(rays) > ray_lanes) go_on(few);
    for (; rays != 0; rays &= rays - 1) {
      const u32 to = lowest_bit(~taken_);
      walks_.take(to, others, lowest_bit(rays));
      taken_ |= 1u << to;
    }
  }

  /// Traces all remaining rays to their ends.
  HWY_INLINE void finish() {
    if (taken_ != 0) go_on(0);
  }

 private:
  HWY_NOINLINE void go_on(u32 few) {
    walks_.walk(few);
    const u32 arrived = taken_ & ~walks_.under_way();
    write_results<goal>(batch_, triangles_, group_, arrived, walks_.too_deep());
    taken_ &= ~arrived;
  }

  const SimdBatch<Tree>& batch_;
  const Triangles triangles_;
  RayGroup group_;
  Walks walks_;
  u32 taken_ = 0;  // bits of the lanes that hold an active ray
};

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
