#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>

#include "bench/primitives/rows.h"
#include "bench/support/cub.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/summed_area_table.h"

namespace copse::bench {

namespace {

struct RowOf {
  u32 width;
  COPSE_HD u32 operator()(u32 i) const { return i / width; }
};

constexpr u32 transpose_tile = 32, transpose_rows = 8;

/// `side` must be a multiple of the tile.
__global__ void __launch_bounds__(transpose_tile* transpose_rows)
    transpose_kernel(u32 side, const u32* in, u32* out) {
  __shared__ u32 tile[transpose_tile][transpose_tile + 1];
  const u32 lane = threadIdx.x % transpose_tile, first_row = threadIdx.x / transpose_tile;
  const u64 tiles_a_side = side / transpose_tile;
  const u64 x = blockIdx.x % tiles_a_side * transpose_tile, y = blockIdx.x / tiles_a_side * transpose_tile;
  for (u32 r = first_row; r < transpose_tile; r += transpose_rows) tile[r][lane] = in[(y + r) * side + x + lane];
  __syncthreads();
  for (u32 r = first_row; r < transpose_tile; r += transpose_rows) out[(x + r) * side + y + lane] = tile[lane][r];
}

/// A square image of n pixels. CUB has no such call. So the rival scans the rows by key, transposes, and does both
/// again.
void areas_of_square(Comparison& c) {
  u32 side = 1;
  while (u64{side} * side < c.n) side *= 2;
  const BufferSpan<u32> in = c.hashed<u32>(c.n), out = c.buffer<u32>(c.n);
  const BufferSpan<u32> turned = c.buffer<u32>(c.n), expected = c.buffer<u32>(c.n);
  c.bytes = 3.0 * double(in.size_bytes());
  c.ours = [=, &c] { summed_area_table<u32>(c.context, side, side, in, out); };
  const auto rows = thrust::make_transform_iterator(thrust::counting_iterator<u32>(0), RowOf{side});
  const auto scan_rows = [&](BufferSpan<u32> from, BufferSpan<u32> to) {
    return with_temporary_storage(c, [=, &c](void* temp, size_t& bytes) {
      return cub::DeviceScan::InclusiveSumByKey(temp, bytes, rows, from.data(), to.data(), int(c.n),
                                                ::cuda::std::equal_to<>{}, stream_of(c.context));
    });
  };
  const auto transpose = [=, &c](BufferSpan<u32> from, BufferSpan<u32> to) {
    cuda::launch(c.context.cuda_executor(), "transpose", transpose_kernel,
                 {c.n / (transpose_tile * transpose_tile), transpose_tile * transpose_rows}, side,
                 static_cast<const u32*>(from.data()), to.data());
  };
  const Work scan_image = scan_rows(in, expected), scan_turned = scan_rows(turned, turned);
  c.add_rival([=] {
    scan_image();
    transpose(expected, turned);
    scan_turned();
    transpose(turned, expected);
  });
  c.expect_equal(out, expected);
}

}  // namespace

void add_area_rows(Rows& rows) {
  for (u32 log_side : {8, 10, 12, 14}) rows.add("summed_area_table/u32", u64{1} << 2 * log_side, areas_of_square);
}

}  // namespace copse::bench
