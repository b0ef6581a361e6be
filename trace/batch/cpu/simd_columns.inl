// Keys in columns: each ray has its own in one lane of vectors that lie beside each other in memory.

#if defined(COPSE_TRACE_CPU_SIMD_COLUMNS) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_COLUMNS
#undef COPSE_TRACE_CPU_SIMD_COLUMNS
#else
#define COPSE_TRACE_CPU_SIMD_COLUMNS
#endif

#include "trace/batch/cpu/simd_blocks.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// Of each ray the larger key first.
HWY_INLINE void exchange_keys(VecOf<RayKeys>& first, VecOf<RayKeys>& last) {
  const auto larger = hn::Max(first, last);
  last = hn::Min(first, last), first = larger;
}

/// Merges two sorted halves: of n rows from `at` on every step-th.
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

/// Sorts the first `size` rows of a table, a power of two.
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

/// Up to 32 keys for each ray, of which -1 stands for none.
struct KeyColumns {
  static constexpr u32 size = 32;

  alignas(64) i32 rows[size * ray_lanes];

  HWY_INLINE void set(u32 row, VecOf<RayKeys> keys) { hn::Store(keys, RayKeys(), rows + ray_lanes * row); }
  HWY_INLINE VecOf<RayKeys> operator[](u32 row) const { return hn::Load(RayKeys(), rows + ray_lanes * row); }

  /// Sorts the first `count` rows, the largest key of each ray first. Keys of the next ones, up to a multiple of
  /// 8, are -1 then.
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
