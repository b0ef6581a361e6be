#pragma once

// Each element is read twice and written once (Nehab, Maximo, Lima, Hoppe, "GPU-Efficient Recursive Filtering and
// Summed-Area Tables", SIGGRAPH Asia 2011). Where we differ: the image is cut only into bands of rows. So between
// the reads there is only one small prefix sum, down the columns of the bands. A block walks its band from left to
// right and keeps the sums of the rows in registers.

#include "primitives/core/bits.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "primitives/inputs.h"

namespace copse::cuda {

namespace detail {

inline constexpr u32 area_threads = 256;
inline constexpr u32 area_warps = area_threads / warp_size;
inline constexpr u32 area_rows = area_warps;  // of a band; each warp keeps the sum of one row

/// Sets sums[band][x] to the sum of column x in the band, for all bands except the last.
template <class T, class Input>
__global__ void __launch_bounds__(area_threads)
    sum_columns_kernel(u64 width, u64 chunk_count, Input input, T* sums) {
  const u64 band = blockIdx.x / chunk_count;
  const u64 x = blockIdx.x % chunk_count * area_threads + threadIdx.x;
  if (x >= width) return;
  T values[area_rows];
#pragma unroll
  for (u32 r = 0; r < area_rows; ++r) values[r] = input((band * area_rows + r) * width + x);
  T sum = values[0];
#pragma unroll
  for (u32 r = 1; r < area_rows; ++r) sum = Plus{}(sum, values[r]);
  sums[band * width + x] = sum;
}

/// Turns the sums of the bands into the sums of all bands above. Each lane has a column, each warp a run of bands.
template <class T>
__global__ void __launch_bounds__(warp_size* warp_size) sum_bands_kernel(u64 width, u64 band_count, T* sums) {
  __shared__ T runs[warp_size][warp_size];
  const u64 x = u64(blockIdx.x) * warp_size + lane_id();
  const u32 warp = threadIdx.x / warp_size;
  const u64 run_size = divide_rounding_up(band_count, warp_size);
  const u64 begin = warp * run_size;
  // No band needs the sum of the last one.
  const u64 end = x < width ? smaller(begin + run_size, band_count) : 0;

  T run{};
#pragma unroll 8
  for (u64 band = begin; band < end; ++band) {
    if (band + 1 < band_count) run = Plus{}(run, sums[band * width + x]);
  }
  runs[warp][lane_id()] = run;
  __syncthreads();
  T above{};
  for (u32 w = 0; w < warp; ++w) above = Plus{}(above, runs[w][lane_id()]);
#pragma unroll 8
  for (u64 band = begin; band < end; ++band) {
    const T sum = band + 1 < band_count ? sums[band * width + x] : T{};
    sums[band * width + x] = above;
    above = Plus{}(above, sum);
  }
}

/// A column of a band, and the sum above it.
template <class T>
struct AreaColumn {
  T above;
  T values[area_rows];
};

template <class T, class Input>
__device__ AreaColumn<T> load_area_column(u64 x, u64 first_row, u64 width, u64 height, const Input& input,
                                          const T* above) {
  AreaColumn<T> column{};
  if (x >= width) return column;
  column.above = above[x];
#pragma unroll
  for (u32 r = 0; r < area_rows; ++r) {
    if (first_row + r < height) column.values[r] = input((first_row + r) * width + x);
  }
  return column;
}

/// Sums each column downwards, then each row over the lanes of the warp.
template <class T>
__device__ void scan_area_column(AreaColumn<T>& column) {
  T sum = column.above;
#pragma unroll
  for (u32 r = 0; r < area_rows; ++r) column.values[r] = sum = Plus{}(sum, column.values[r]);
#pragma unroll
  for (u32 distance = 1; distance < warp_size; distance *= 2) {
#pragma unroll
    for (u32 r = 0; r < area_rows; ++r) {
      const T left = shuffle_up(column.values[r], distance);
      if (lane_id() >= distance) column.values[r] = Plus{}(left, column.values[r]);
    }
  }
}

template <class T, class Input>
__global__ void __launch_bounds__(area_threads)
    write_areas_kernel(u64 width, u64 height, Input input, const T* sums, T* out) {
  __shared__ T warp_sums[area_rows][area_warps];
  __shared__ T warp_starts[area_rows][area_warps];
  const u32 warp = threadIdx.x / warp_size;
  const u64 first_row = u64(blockIdx.x) * area_rows;
  const T* above = sums + blockIdx.x * width;

  T row_sum{};  // of the row of this warp, over all columns so far
  AreaColumn<T> next = load_area_column(threadIdx.x, first_row, width, height, input, above);
  for (u64 chunk = 0; chunk < width; chunk += area_threads) {
    const u64 x = chunk + threadIdx.x;
    AreaColumn<T> column = next;
    if (chunk + area_threads < width) {
      next = load_area_column(x + area_threads, first_row, width, height, input, above);
    }
    scan_area_column(column);
    if (lane_id() == warp_size - 1) {
#pragma unroll
      for (u32 r = 0; r < area_rows; ++r) warp_sums[r][warp] = column.values[r];
    }
    __syncthreads();

    // Each warp computes the sums at which the warps start in its row.
    T sum = warp_sums[warp][lane_id() % area_warps];
#pragma unroll
    for (u32 distance = 1; distance < area_warps; distance *= 2) {
      const T left = shuffle_up(sum, distance);
      if (lane_id() >= distance) sum = Plus{}(left, sum);
    }
    const T left = shuffle_up(sum, 1);
    if (lane_id() < area_warps) warp_starts[warp][lane_id()] = lane_id() > 0 ? Plus{}(row_sum, left) : row_sum;
    row_sum = Plus{}(row_sum, shuffle_from(sum, area_warps - 1));
    __syncthreads();

    if (x >= width) continue;
#pragma unroll
    for (u32 r = 0; r < area_rows; ++r) {
      if (first_row + r < height) {
        out[(first_row + r) * width + x] = Plus{}(warp_starts[r][warp], column.values[r]);
      }
    }
  }
}

}  // namespace detail

template <class T>
u64 summed_area_table_scratch_bytes(const Executor&, u64 width, u64 height) {
  return ScratchArena::bytes_for<T>(width * divide_rounding_up(height, detail::area_rows));
}

/// Contract: primitives/summed_area_table.h.
template <class T, class Input>
void summed_area_table(const Executor& ex, const char* label, u64 width, u64 height, Input input, T* out) {
  if (width == 0 || height == 0) return;
  ScratchArena::Frame frame(ex.scratch);
  const u64 band_count = divide_rounding_up(height, detail::area_rows);
  const u64 chunk_count = divide_rounding_up(width, detail::area_threads);
  T* sums = frame.allocate<T>(width * band_count);
  launch(ex, label, detail::sum_columns_kernel<T, Input>, {(band_count - 1) * chunk_count, detail::area_threads},
         width, chunk_count, input, sums);
  launch(ex, label, detail::sum_bands_kernel<T>, {divide_rounding_up(width, warp_size), warp_size * warp_size},
         width, band_count, sums);
  launch(ex, label, detail::write_areas_kernel<T, Input>, {band_count, detail::area_threads}, width, height, input,
         sums, out);
}

}  // namespace copse::cuda
