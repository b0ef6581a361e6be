#pragma once

// In bands of rows: sum the columns of each band, sum those over the bands above, then write each band row by row.

#include "primitives/cpu/workers.h"
#include "primitives/inputs.h"

namespace copse::cpu {

namespace detail {

/// Returns the rows per band. They depend only on the height, so that sums of floats do not depend on the number
/// of workers.
inline u64 area_band_rows(u64 height) {
  constexpr u64 max_bands = 64;
  return larger(u64{16}, divide_rounding_up(height, max_bands));
}

/// Adds to sums[x] the elements of rows [begin, end) in column x.
template <class T, class Input>
void add_columns(Input& input, u64 width, u64 begin, u64 end, T* sums) {
  for (u64 y = begin; y < end; ++y) {
    for (u64 x = 0; x < width; ++x) sums[x] = Plus{}(sums[x], T(input(y * width + x)));
  }
}

/// Writes rows [begin, end); sums[x] starts as the sum of column x above them.
template <class T, class Input>
void write_band(Input& input, u64 width, u64 begin, u64 end, T* sums, T* out) {
  for (u64 y = begin; y < end; ++y) {
    T area{};
    for (u64 x = 0; x < width; ++x) {
      sums[x] = Plus{}(sums[x], T(input(y * width + x)));
      area = Plus{}(area, sums[x]);
      out[y * width + x] = area;
    }
  }
}

}  // namespace detail

template <class T>
u64 summed_area_table_scratch_bytes(const Executor&, u64 width, u64 height) {
  return ScratchArena::bytes_for<T>(width * divide_rounding_up(height, detail::area_band_rows(height)));
}

/// Contract: primitives/summed_area_table.h.
template <class T, class Input>
void summed_area_table(const Executor& ex, const char* label, u64 width, u64 height, Input input, T* out) {
  if (width == 0 || height == 0) return;
  ScratchArena::Frame frame(ex.scratch);
  const u64 band_rows = detail::area_band_rows(height);
  const u64 bands = divide_rounding_up(height, band_rows);
  T* sums = frame.allocate<T>(width * bands);

  // Sum the columns of each band but the last, into the sums of the band below.
  parallel_ranges(ex, label, bands, 1, [&](u64 begin, u64 end) {
    for (u64 band = begin; band < end; ++band) {
      T* band_sums = sums + band * width;
      for (u64 x = 0; x < width; ++x) band_sums[x] = T{};
      if (band > 0) detail::add_columns(input, width, (band - 1) * band_rows, band * band_rows, band_sums);
    }
  });
  parallel_ranges(ex, label, width, 1024, [&](u64 begin, u64 end) {
    for (u64 band = 1; band < bands; ++band) {
      for (u64 x = begin; x < end; ++x) {
        sums[band * width + x] = Plus{}(sums[(band - 1) * width + x], sums[band * width + x]);
      }
    }
  });
  parallel_ranges(ex, label, bands, 1, [&](u64 begin, u64 end) {
    for (u64 band = begin; band < end; ++band) {
      detail::write_band(input, width, band * band_rows, smaller((band + 1) * band_rows, height),
                         sums + band * width, out);
    }
  });
}

}  // namespace copse::cpu
