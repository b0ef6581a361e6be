// One ray of the host. Highway compiles the code for every instruction set with four lanes and a fused multiply-add,
// and the program chooses one at run time. On other machines, and for rays and trees on which the fast code gives up,
// the robust traversal of trace/walk/walk.h is used.

#include "trace/host_ray.h"
#include "trace/simd_name.h"
#include "trace/subtree_rays.h"

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "trace/batch/cpu/host_ray.cpp"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"
#if HWY_TARGET != HWY_SCALAR
#include "trace/batch/cpu/simd_host_walk.inl"
#endif

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

HWY_NOINLINE Hit closest_hit_robust(const CompressedBvh4View& tree, const MaskedPackedTriangles& triangles,
                                    const Ray& ray, u32 node) {
  return detail::closest_hit_below<default_stack_size>(tree, node, triangles, ray);
}

HWY_NOINLINE bool any_hit_robust(const CompressedBvh4View& tree, const MaskedPackedTriangles& triangles,
                                 const Ray& ray, u32 node) {
  return detail::any_hit_below<default_stack_size>(tree, node, triangles, ray);
}

Hit closest_hit_here(const CompressedBvh4View& tree, const MaskedPackedTriangles& triangles, const Ray& ray,
                     u32 node) {
#if HWY_NATIVE_FMA
  if (triangles.triangles.size() >= 4) {
    HostWalk walk(tree, triangles, ray);
    if (walk.find_closest(node)) return walk.hit();
  }
#endif
  return closest_hit_robust(tree, triangles, ray, node);
}

bool any_hit_here(const CompressedBvh4View& tree, const MaskedPackedTriangles& triangles, const Ray& ray,
                  u32 node) {
#if HWY_NATIVE_FMA
  if (triangles.triangles.size() >= 4) {
    HostWalk walk(tree, triangles, ray);
    if (walk.find_any(node)) return walk.has_hit();
  }
#endif
  return any_hit_robust(tree, triangles, ray, node);
}

const char* simd_name_here() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse {

namespace cpu {

HWY_EXPORT(closest_hit_here);
HWY_EXPORT(any_hit_here);
HWY_EXPORT(simd_name_here);

}  // namespace cpu

namespace detail {

Hit closest_hit_on_host(const CompressedBvh4View& tree, const MaskedPackedTriangles& triangles, const Ray& ray,
                        u32 node) {
  using namespace cpu;
  return HWY_DYNAMIC_DISPATCH(closest_hit_here)(tree, triangles, ray, node);
}

bool any_hit_on_host(const CompressedBvh4View& tree, const MaskedPackedTriangles& triangles, const Ray& ray,
                     u32 node) {
  using namespace cpu;
  return HWY_DYNAMIC_DISPATCH(any_hit_here)(tree, triangles, ray, node);
}

}  // namespace detail

const char* simd_name() {
  using namespace cpu;
  return HWY_DYNAMIC_DISPATCH(simd_name_here)();
}

}  // namespace copse
#endif
