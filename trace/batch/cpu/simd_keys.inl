// The children that a ray enters, put in the order of visits.

#if defined(COPSE_TRACE_CPU_SIMD_KEYS) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_KEYS
#undef COPSE_TRACE_CPU_SIMD_KEYS
#else
#define COPSE_TRACE_CPU_SIMD_KEYS
#endif

#include "trace/batch/cpu/simd_vectors.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// What is sorted: where a box is entered with its slot in the lowest bits, below 0 for a box that is missed.
/// Boxes are entered at 0 at least, whose bits have the order of the numbers.
using FourKeys = hn::CappedTag<i32, 4>;

/// The keys from the largest to the smallest: the network (0 1)(2 3), (0 2)(1 3), (1 2).
HWY_INLINE VecOf<FourKeys> sort_descending(VecOf<FourKeys> k) {
  const FourKeys d;
  alignas(16) static constexpr i32 middle_swapped[4] = {0, 2, 1, 3};
  const auto pairs = hn::Shuffle2301(k);
  k = hn::OddEven(hn::Min(k, pairs), hn::Max(k, pairs));
  const auto halves = hn::Shuffle1032(k);
  k = hn::ConcatUpperLower(d, hn::Min(k, halves), hn::Max(k, halves));
  const auto middle = hn::TableLookupLanes(k, hn::SetTableIndices(d, middle_swapped));
  return hn::ConcatUpperLower(d, hn::Min(k, middle), hn::Max(k, middle));
}

/// Puts the last of `count` keys at its place among those before, which are in order.
HWY_INLINE void insert_last(i32* keys, u32 count) {
  const i32 last = keys[count - 1];
  u32 at = count - 1;
  for (; at > 0 && keys[at - 1] < last; --at) keys[at] = keys[at - 1];
  keys[at] = last;
}

/// Writes the keys of the boxes that are entered at or before `limit`, the nearest last; returns how many. Only
/// those that `exist` count. Writes 4 keys at least.
template <u32 width, class D>
HWY_INLINE u32 sort_entered(D d, VecOf<D> entry, VecOf<D> exit, float limit, MaskOf<D> exist, i32* keys) {
  const hn::Repartition<i32, D> di;
  entry = hn::Max(entry, hn::Zero(d));
  const auto entered = hn::And(exist, hn::Le(entry, hn::Min(exit, hn::Set(d, limit))));
  constexpr u32 sign = 1u << 31;  // of -0.0
  const auto key =
      hn::Or(hn::AndNot(hn::Set(di, i32(sign | (width - 1))), hn::BitCast(di, entry)), hn::Iota(di, 0));
  const u32 count = u32(hn::CountTrue(d, entered));
  const FourKeys d4;
  if (count <= 4) {
    const auto first = hn::LowerHalf(d4, hn::Compress(key, hn::RebindMask(di, entered)));
    hn::StoreU(sort_descending(hn::IfThenElse(hn::FirstN(d4, count), first, hn::Set(d4, -1))), d4, keys);
  } else {
    alignas(32) i32 all[8];
    hn::Store(key, di, all);
    u32 sorted = 0;
    for (u32 bits = bits_of_mask(d, entered); bits != 0; bits &= bits - 1) {
      keys[sorted++] = all[__builtin_ctz(bits)];
      insert_last(keys, sorted);
    }
  }
  return count;
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
