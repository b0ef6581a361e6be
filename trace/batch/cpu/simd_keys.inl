// Sorts the children that a ray enters by the order of visits: for one ray, and for all rays of a group.

#if defined(COPSE_TRACE_CPU_SIMD_KEYS) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_KEYS
#undef COPSE_TRACE_CPU_SIMD_KEYS
#else
#define COPSE_TRACE_CPU_SIMD_KEYS
#endif

#include "trace/batch/cpu/simd_blocks.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// A key is the time at which a box is entered, with its slot in the lowest bits. The key of a missed box is
/// negative. Times are not negative, so their bits sort as integers.
using FourKeys = hn::CappedTag<i32, 4>;

/// Sorts the keys, the largest first, by the network (0 1)(2 3), (0 2)(1 3), (1 2).
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

/// Inserts the last of `count` keys into the sorted keys before it.
HWY_INLINE void insert_last(i32* keys, u32 count) {
  const i32 last = keys[count - 1];
  u32 at = count - 1;
  for (; at > 0 && keys[at - 1] < last; --at) keys[at] = keys[at - 1];
  keys[at] = last;
}

/// Writes the keys of the boxes that are entered at or before `limit`, the nearest last. Returns their number. Boxes
/// that do not `exist` are ignored. It writes at least 4 keys.
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
      keys[sorted++] = all[lowest_bit(bits)];
      insert_last(keys, sorted);
    }
  }
  return count;
}

// ---- Columns: the keys of one ray are in the same lane of contiguous vectors ------------------------------------

/// Puts the larger key of each ray first.
HWY_INLINE void exchange_keys(VecOf<RayKeys>& first, VecOf<RayKeys>& last) {
  const auto larger = hn::Max(first, last);
  last = hn::Min(first, last), first = larger;
}

/// Merges two sorted halves of every step-th of n rows from `at` on.
template <u32 at, u32 n, u32 step, u32 size>
HWY_INLINE void merge_rows(VecOf<RayKeys> (&rows)[size]) {
  if constexpr (2 * step == n) {
    exchange_keys(rows[at], rows[at + step]);
  } else {
    merge_rows<at, n, 2 * step>(rows);
    merge_rows<at + step, n, 2 * step>(rows);
#pragma GCC unroll 16
    for (u32 i = at + step; i + step < at + n; i += 2 * step) exchange_keys(rows[i], rows[i + step]);
  }
}

/// Sorts n rows from `at` on, the largest key of each ray first.
///
/// Source: Batcher, "Sorting Networks and Their Applications", AFIPS Spring Joint Computer Conference 1968:
/// odd-even merge sort, 63 exchanges for 16 rows.
template <u32 at, u32 n, u32 size>
HWY_INLINE void sort_rows(VecOf<RayKeys> (&rows)[size]) {
  if constexpr (n > 1) {
    sort_rows<at, n / 2>(rows);
    sort_rows<at + n / 2, n / 2>(rows);
    merge_rows<at, n, 1>(rows);
  }
}

/// Sorts the first `size` rows of a table. `size`: a power of two.
template <u32 size>
HWY_NOINLINE void sort_table(i32* table) {
  const RayKeys d;
  VecOf<RayKeys> rows[size];
#pragma GCC unroll 32
  for (u32 i = 0; i < size; ++i) rows[i] = hn::Load(d, table + ray_lanes * i);
  sort_rows<0, size>(rows);
#pragma GCC unroll 32
  for (u32 i = 0; i < size; ++i) hn::Store(rows[i], d, table + ray_lanes * i);
}

/// Up to 32 keys per ray. -1 stands for no key.
struct KeyColumns {
  static constexpr u32 size = 32;

  alignas(64) i32 rows[size * ray_lanes];

  HWY_INLINE void set(u32 row, VecOf<RayKeys> keys) { hn::Store(keys, RayKeys(), rows + ray_lanes * row); }
  HWY_INLINE VecOf<RayKeys> operator[](u32 row) const { return hn::Load(RayKeys(), rows + ray_lanes * row); }

  /// Sorts the first `count` rows, the largest key of each ray first. The rows after them, up to a multiple of 8,
  /// then hold -1.
  HWY_INLINE void sort(u32 count) {
    const u32 padded = count <= 8 ? 8 : count <= 16 ? 16 : size;
    for (u32 row = count; row < padded; ++row) set(row, hn::Set(RayKeys(), -1));
    if (padded == 8) {
      sort_table<8>(rows);
    } else if (padded == 16) {
      sort_table<16>(rows);
    } else {
      sort_table<size>(rows);
    }
  }
};

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
