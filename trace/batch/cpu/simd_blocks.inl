// Several rays at once. Each ray has a block of four lanes, for four children of a node or four triangles of a
// leaf. Tests of 16 lanes cost little more than tests of four.

#if defined(COPSE_TRACE_CPU_SIMD_BLOCKS) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_BLOCKS
#undef COPSE_TRACE_CPU_SIMD_BLOCKS
#else
#define COPSE_TRACE_CPU_SIMD_BLOCKS
#endif

#include "trace/batch/cpu/simd_rays.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

using RayKeys = hn::Repartition<i32, RayLanes>;
using RayIds = hn::Repartition<u32, RayLanes>;
using RayPairs = hn::Repartition<double, RayLanes>;

/// The number of rays that fill a vector.
inline constexpr u32 block_rays = ray_lanes / 4;

/// The bits of a ray's block in a mask.
inline constexpr u32 block_bits = 15;

/// Indices for TableLookupLanes that copy each ray to all lanes of its block. `lanes`: the lanes of the rays in their
/// group; four are read.
HWY_INLINE auto spread_over_blocks(const u32* lanes) {
  const RayIds d;
  const hn::CappedTag<u32, 4> d4;
  alignas(64) static constexpr i32 blocks[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
  alignas(16) u32 copies[4];
  hn::Store(hn::LoadU(d4, lanes), d4, copies);
  const auto everywhere = hn::LoadDup128(d, copies);
  return hn::IndicesFromVec(RayLanes(), hn::TableLookupLanes(everywhere, hn::SetTableIndices(d, blocks)));
}

/// Some rays of a group, each with a block.
class RayBlocks {
 public:
  HWY_INLINE explicit RayBlocks(const u32* lanes) : from_(spread_over_blocks(lanes)) {}

  /// The values of a group for the rays, each in all lanes of the ray's block.
  HWY_INLINE Rays of(const PerRay& values) const { return hn::TableLookupLanes(values.load(), from_); }
  HWY_INLINE VecOf<RayIds> of(const IdPerRay& values) const {
    const RayIds d;
    const auto table = hn::BitCast(RayLanes(), hn::Load(d, values.values));
    return hn::BitCast(d, hn::TableLookupLanes(table, from_));
  }

 private:
  decltype(spread_over_blocks(nullptr)) from_;
};

/// Loads four numbers per ray, at `offset` from the ray's address.
template <class D>
HWY_INLINE VecOf<D> load_blocks(D d, const float* const (&at)[block_rays], u32 offset) {
  const FourLanes d4;
  if constexpr (block_rays == 1) {
    return hn::Load(d, at[0] + offset);
  } else if constexpr (block_rays == 2) {
    return hn::Combine(d, hn::Load(d4, at[1] + offset), hn::Load(d4, at[0] + offset));
  } else {
    // Loading into all blocks and keeping one of them needs no shuffle.
    VecOf<D> all = hn::LoadDup128(d, at[0] + offset);
    for (u32 r = 1; r < block_rays; ++r) {
      all = hn::IfThenElse(mask_of_bits(d, block_bits << (4 * r)), hn::LoadDup128(d, at[r] + offset), all);
    }
    return all;
  }
}

/// Joins the two halves of a network step: lanes 0 and 1 of each block from `low`, 2 and 3 from `high`.
HWY_INLINE VecOf<RayKeys> halves_of_blocks(VecOf<RayKeys> high, VecOf<RayKeys> low) {
  const RayPairs d;
  return hn::BitCast(RayKeys(), hn::OddEven(hn::BitCast(d, high), hn::BitCast(d, low)));
}

/// Sorts the keys of each block, the largest first, by the network (0 1)(2 3), (0 2)(1 3), (1 2).
HWY_INLINE VecOf<RayKeys> sort_blocks(VecOf<RayKeys> k) {
  const RayKeys d;
  const hn::Repartition<u8, RayLanes> bytes;
  alignas(16) static constexpr u8 middle_swapped[16] = {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15};
  const auto pairs = hn::Shuffle2301(k);
  k = hn::OddEven(hn::Min(k, pairs), hn::Max(k, pairs));
  const auto halves = hn::Shuffle1032(k);
  k = halves_of_blocks(hn::Min(k, halves), hn::Max(k, halves));
  const auto order = hn::LoadDup128(bytes, middle_swapped);
  const auto middle = hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(bytes, k), order));
  return halves_of_blocks(hn::Min(k, middle), hn::Max(k, middle));
}

/// The smallest number of each block, in all its lanes.
template <class D>
HWY_INLINE VecOf<D> smallest_of_blocks(D, VecOf<D> v) {
  v = hn::Min(v, hn::Shuffle2301(v));
  return hn::Min(v, hn::Shuffle1032(v));
}

/// Turns four rows of each block into its columns.
template <class D>
HWY_INLINE void transpose_blocks(D d, VecOf<D> (&rows)[4]) {
  const RayPairs dd;
  const auto xy01 = hn::BitCast(dd, hn::InterleaveLower(d, rows[0], rows[1]));
  const auto xy23 = hn::BitCast(dd, hn::InterleaveLower(d, rows[2], rows[3]));
  const auto zw01 = hn::BitCast(dd, hn::InterleaveUpper(d, rows[0], rows[1]));
  const auto zw23 = hn::BitCast(dd, hn::InterleaveUpper(d, rows[2], rows[3]));
  rows[0] = hn::BitCast(d, hn::InterleaveLower(dd, xy01, xy23));
  rows[1] = hn::BitCast(d, hn::InterleaveUpper(dd, xy01, xy23));
  rows[2] = hn::BitCast(d, hn::InterleaveLower(dd, zw01, zw23));
  rows[3] = hn::BitCast(d, hn::InterleaveUpper(dd, zw01, zw23));
}

/// Writes each ray's four keys.
template <class D>
HWY_INLINE void store_blocks(D d, VecOf<D> keys, i32* const (&to)[block_rays]) {
  const hn::CappedTag<i32, 4> d4;
  if constexpr (block_rays == 1) {
    hn::StoreU(keys, d, to[0]);
  } else if constexpr (block_rays == 2) {
    hn::StoreU(hn::LowerHalf(d4, keys), d4, to[0]), hn::StoreU(hn::UpperHalf(d4, keys), d4, to[1]);
  } else {
    const hn::Half<D> d8;
    const auto low = hn::LowerHalf(d8, keys), high = hn::UpperHalf(d8, keys);
    hn::StoreU(hn::LowerHalf(d4, low), d4, to[0]), hn::StoreU(hn::UpperHalf(d4, low), d4, to[1]);
    hn::StoreU(hn::LowerHalf(d4, high), d4, to[2]), hn::StoreU(hn::UpperHalf(d4, high), d4, to[3]);
  }
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
