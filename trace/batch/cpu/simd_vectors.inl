// Vectors of floats, for the target that is being compiled. It is included once per target (hwy/foreach_target.h).

#if defined(COPSE_TRACE_CPU_SIMD_VECTORS) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_VECTORS
#undef COPSE_TRACE_CPU_SIMD_VECTORS
#else
#define COPSE_TRACE_CPU_SIMD_VECTORS
#endif

#include <cstring>

#include "hwy/highway.h"
#include "primitives/core/bits.h"
#include "primitives/core/compiler.h"
#include "primitives/core/types.h"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using VecOf = hn::Vec<D>;
template <class D>
using MaskOf = hn::Mask<D>;

/// True if MulAdd and the like round once.
inline constexpr bool fuses = HWY_NATIVE_FMA != 0;

/// A lane per ray: as many lanes as the target has.
using RayLanes = hn::ScalableTag<float>;
inline constexpr u32 ray_lanes = u32(hn::MaxLanes(RayLanes()));

/// A lane per vertex, coordinate or triangle.
using FourLanes = hn::CappedTag<float, 4>;

/// Lane i of the mask as bit i.
template <class D>
HWY_INLINE u32 bits_of_mask(D d, MaskOf<D> mask) {
  u8 bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  u32 bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

/// Bit i as lane i of a mask.
template <class D>
HWY_INLINE MaskOf<D> mask_of_bits(D d, u32 bits) {
  u8 bytes[8] = {};
  std::memcpy(bytes, &bits, sizeof bits);
  return hn::LoadMaskBits(d, bytes);
}

template <class D>
HWY_INLINE VecOf<D> largest_of(D, VecOf<D> a, VecOf<D> b, VecOf<D> c) {
  return hn::Max(hn::Max(a, b), c);
}
template <class D>
HWY_INLINE VecOf<D> smallest_of(D, VecOf<D> a, VecOf<D> b, VecOf<D> c) {
  return hn::Min(hn::Min(a, b), c);
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
