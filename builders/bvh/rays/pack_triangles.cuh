#pragma once

// Packs the triangles of leaves on CUDA. Contract: builders/bvh/rays/pack_triangles.inl.
//
// Three stores of 16 bytes per lane, 48 bytes apart, would write half sectors. So the lanes of a warp exchange
// pieces before they store: piece q of 32 triangles, which is of triangle q / 3, is stored by lane q mod 32. Piece p
// of each lane goes to lane (3 lane + p) mod 32, another one for every lane. So each p is one exchange.
//
//   lane        0        1        2    ...   10       11    ...
//   has      0  1  2  3  4  5  6  7  8    30 31 32 33 34 35
//   stores   0 32 64  1 33 65  2 34 66    10 42 74 11 43 75

#include "builders/geometry/triangle_packer.h"
#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"

namespace copse::cuda {

namespace detail {

using copse::detail::GatheredTriangles;
using copse::detail::TrianglePacker;

inline constexpr u32 pack_threads = 256;
inline constexpr u32 packed_per_lane = 2;  // triangles loaded before the first is stored

/// Stores the triangles of the lanes to `to` and the places after it; all lanes of the warp.
///   count: the first lanes that have a triangle
__device__ inline void store_row(const PackedTriangle& own, u32 count, PackedTriangle* to) {
  static_assert(sizeof(PackedTriangle) == 3 * sizeof(uint4) && 3 * 11 % warp_size == 1);
  uint4 mine[3], received[3];
  u32 turns[3];  // when the lane stores the piece that it received
  memcpy(mine, &own, sizeof(own));
#pragma unroll
  for (u32 p = 0; p < 3; ++p) {
    const u32 from = (lane_id() - p) * 11 % warp_size;
    received[p] = shuffle_from(mine[p], from);
    turns[p] = (3 * from + p) / warp_size;
  }
#pragma unroll
  for (u32 turn = 0; turn < 3; ++turn) {
    const u32 q = turn * warp_size + lane_id();
    const uint4 piece = turns[0] == turn ? received[0] : turns[1] == turn ? received[1] : received[2];
    if (q < 3 * count) reinterpret_cast<uint4*>(to)[q] = piece;
  }
}

/// Packs the triangles at some places from `begin` on; all lanes of the warp.
///   triangle_of: returns the vertices of a primitive
template <class TriangleOf>
__device__ void pack_rows(const TrianglePacker& packer, const TriangleOf& triangle_of, const u32* primitive_ids,
                          u32 begin, u32 end) {
  TrianglePacker::Loaded loaded[packed_per_lane];
#pragma unroll
  for (u32 k = 0; k < packed_per_lane; ++k) {
    const u32 id = primitive_ids[smaller(begin + k * warp_size + lane_id(), end - 1)];
    loaded[k] = {triangle_of(id), id};
  }
#pragma unroll
  for (u32 k = 0; k < packed_per_lane; ++k) {
    const u32 first = begin + k * warp_size;
    if (first >= end) return;
    const u32 count = smaller(warp_size, end - first);
    store_row(packer.pack(loaded[k]), count, packer.packed + first);
    if (packer.masks != nullptr && lane_id() < count) packer.store_mask(loaded[k], first + lane_id());
  }
}

__global__ void __launch_bounds__(pack_threads)
    pack_leaves_kernel(const TrianglePacker packer, const u32* primitive_ids, const u32* primitive_count) {
  overlap_launches();
  const u32 count = *primitive_count;
  const u64 begin = (u64(blockIdx.x) * pack_threads + threadIdx.x - lane_id()) * packed_per_lane;
  if (begin >= count) return;
  // The kind of the table is tested once, outside of the loops, so that the loads of several triangles overlap.
  if (packer.is_gathered()) {
    pack_rows(packer, GatheredTriangles<>::of(packer.triangles.view), primitive_ids, u32(begin), count);
  } else {
    pack_rows(packer, copse::detail::TableTriangles{packer.triangles}, primitive_ids, u32(begin), count);
  }
}

}  // namespace detail

/// Contract: builders/bvh/rays/pack_triangles.inl.
inline void pack_leaves(const Executor& ex, u64 n, const u32* primitive_ids, const u32* primitive_count,
                        const copse::detail::TrianglePacker& packer) {
  launch(ex, "pack triangles", detail::pack_leaves_kernel,
         {.blocks = divide_rounding_up(n, u64{detail::pack_threads} * detail::packed_per_lane),
          .threads = detail::pack_threads,
          .overlaps_earlier_launch = true},
         packer, primitive_ids, primitive_count);
}

}  // namespace copse::cuda
