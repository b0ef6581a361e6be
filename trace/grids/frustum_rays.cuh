#pragma once

// A warp takes 32 pixels of a tile. The lists of the tile follow each other front to back, so the warp reads them as
// one list: 32 triangles at a time, one per lane, into shared memory. It ends when, for every lane, the slab of its
// hit is finished. Each triangle is stored with the rectangle of pixels around it. A lane tests only the triangles
// whose rectangle contains its pixel. If triangles are about as large as a pixel, those are few.

#include "primitives/cuda/launch.cuh"
#include "primitives/cuda/warp.cuh"
#include "trace/grids/frustum_image.h"
#include "trace/grids/frustum_pixels.h"

namespace copse::cuda {

namespace detail {

using copse::detail::FrustumImage;
using copse::detail::FrustumPixels;
using copse::detail::PixelRectangle;
using copse::detail::SlabOfHit;
using copse::detail::TilePixels;

inline constexpr u32 tile_threads = 128;
inline constexpr u32 tile_warps = tile_threads / warp_size;

/// A triangle with its vertices less the eye, in three 16-byte reads. The triangle test begins by subtracting the
/// ray's origin. All rays of a picture have the same origin, so this is done once for all of them.
struct alignas(16) NearTriangle {
  vec3 a, b, c;
  u32 primitive;
  u32 unused[2];
};
static_assert(sizeof(NearTriangle) == 48);

/// The shared memory of a warp.
struct TileBatch {
  NearTriangle triangles[warp_size];
  PixelRectangle rectangles[warp_size];
};

/// The lists of a tile, read as one.
class TileLists {
 public:
  __device__ TileLists(const FrustumGridView& grid, u32 tile)
      : begins_(grid.cells.cell_begins.data() + u64{tile} * grid.resolution.z),
        slab_count_(grid.resolution.z),
        at_(begins_[0]),
        end_(begins_[slab_count_]) {}

  __device__ bool is_at_end() const { return at_ == end_; }
  __device__ u32 at() const { return at_; }
  __device__ u32 batch_size() const { return smaller(end_ - at_, warp_size); }

  /// Goes on to the next batch. Returns how many slabs are done.
  __device__ u32 advance() {
    at_ += batch_size();
    while (done_ < slab_count_ && begins_[done_ + 1] <= at_) ++done_;
    return done_;
  }

 private:
  const u32* begins_;
  u32 slab_count_, at_, end_;
  u32 done_ = 0;
};

/// A lane's ray and its closest hit so far.
class TileRay {
 public:
  __device__ TileRay(const FrustumImage& image, u32 x, u32 y, const Ray& ray, bool is_there)
      : x_(float(x)),
        y_(float(y)),
        shear_(make_shear(ray)),
        slab_of_(SlabOfHit::along(*image.grid.shape.data(), *image.grid.cells.shape.data(), ray.direction)),
        limit_(ray.t_max),
        last_slab_(image.grid.resolution.z - 1),
        is_there_(is_there && is_traceable(ray)) {
    shear_.origin = vec3(0);
  }

  __device__ u32 axis() const { return shear_.axis; }
  __device__ bool is_done(u32 slabs_done) const { return !is_there_ || last_slab_ < slabs_done; }

  /// Tests a batch. `permuted`: the vertices of the batch already have their axes in the order of the shear.
  template <bool permuted>
  __device__ void test(const TileBatch& batch) {
    u32 near = 0;
#pragma unroll
    for (u32 k = 0; k < warp_size; ++k) near |= u32(batch.rectangles[k].has(x_, y_)) << k;
    for (; near != 0; near &= near - 1) test_one<permuted>(batch.triangles[__ffs(int(near)) - 1]);
  }

  __device__ Hit hit(const TriangleTable& triangles) const {
    if (closest_ == invalid_id) return {limit_, invalid_id, invalid_id, 0, 0};
    return {hit_.t, triangles.local_id(closest_), triangles.geometry(closest_), hit_.u, hit_.v};
  }

 private:
  template <bool permuted>
  __device__ void test_one(const NearTriangle& triangle) {
    const RayShear shear = shear_of<permuted>();
    if (!may_hit(shear, triangle)) return;
    TriangleHit found;
    const Triangle t{triangle.a, triangle.b, triangle.c};
    if (!intersect_triangle(shear, t, 0.0f, limit_, found)) return;
    if (!(found.t < limit_ || closest_ == invalid_id || triangle.primitive < closest_)) return;
    closest_ = triangle.primitive;
    hit_ = found;
    limit_ = found.t;
    last_slab_ = slab_of_.at(limit_);
  }

  template <bool permuted>
  __device__ RayShear shear_of() const {
    RayShear shear = shear_;
    if (permuted) shear.axis = 2;
    return shear;
  }

  /// The first part of intersect_in_float, for vertices less the eye. It computes the same bits.
  __device__ static bool may_hit(const RayShear& ray, const NearTriangle& triangle) {
    const vec3 a = sheared(ray, triangle.a), b = sheared(ray, triangle.b), c = sheared(ray, triangle.c);
    using copse::detail::edge_function;
    return copse::detail::may_be_inside(edge_function(b, c), edge_function(c, a), edge_function(a, b),
                                        copse::detail::min_edge);
  }
  __device__ static vec3 sheared(const RayShear& ray, const vec3& vertex) {
    const vec3 p = copse::detail::exchanged(vertex, ray.axis);
    return vec3(sub_rn(p.x, mul_rn(ray.x, p.z)), sub_rn(p.y, mul_rn(ray.y, p.z)), p.z);
  }

  float x_, y_;  // of the pixel
  RayShear shear_;
  SlabOfHit slab_of_;
  float limit_;
  u32 closest_ = invalid_id;
  TriangleHit hit_{};
  u32 last_slab_;
  bool is_there_;
};

__device__ inline vec3 less_eye(const vec3& p, const vec3& eye) {
  return vec3(sub_rn(p.x, eye.x), sub_rn(p.y, eye.y), sub_rn(p.z, eye.z));
}

/// Stores a triangle at the lane's place of a batch. `order`: the axis that comes last.
__device__ inline void put_triangle(const FrustumImage& image, const FrustumPixels& pixels, u32 primitive,
                                    u32 order, TileBatch& batch) {
  const Triangle t = image.triangles.triangle(primitive);
  const vec3& eye = image.grid.frustum.eye;
  const vec3 a = less_eye(t.a, eye), b = less_eye(t.b, eye), c = less_eye(t.c, eye);
  batch.rectangles[lane_id()] = pixels.around(a, b, c);
  using copse::detail::exchanged;
  batch.triangles[lane_id()] = {exchanged(a, order), exchanged(b, order), exchanged(c, order), primitive, {}};
}

/// Tests the lists of a tile for the rays of a warp. `permuted`: all rays have the same main axis.
template <bool permuted>
__device__ void test_tile(const FrustumImage& image, u32 tile, TileRay& ray, TileBatch& batch) {
  const FrustumPixels pixels = FrustumPixels::of(image);
  const u32 order = permuted ? ray.axis() : 2;
  TileLists lists(image.grid, tile);
  u32 slabs_done = 0;
  while (!lists.is_at_end() && !__all_sync(all_lanes, ray.is_done(slabs_done))) {
    if (lane_id() < lists.batch_size()) {
      const u32 primitive = image.grid.cells.primitive_ids.data()[lists.at() + lane_id()];
      put_triangle(image, pixels, primitive, order, batch);
    } else {
      batch.rectangles[lane_id()] = PixelRectangle::nowhere();
    }
    __syncwarp();
    if (!ray.is_done(slabs_done)) ray.template test<permuted>(batch);
    __syncwarp();
    slabs_done = lists.advance();
  }
}

/// Each tile has `groups_per_tile` warps.
__global__ void __launch_bounds__(tile_threads)
    frustum_image_kernel(const FrustumImage image, u32 groups_per_tile) {
  overlap_launches();
  __shared__ TileBatch batches[tile_warps];
  const u64 warp = u64{blockIdx.x} * tile_warps + threadIdx.x / warp_size;
  const u32 tile = u32(warp / groups_per_tile), group = u32(warp % groups_per_tile);
  if (tile >= image.tile_count()) return;
  const TilePixels pixels = TilePixels::of(image, tile);
  const u32 first = group * warp_size, pixel = first + lane_id();
  if (first >= pixels.count()) return;

  const bool is_there = pixel < pixels.count();
  const u32 x = pixels.left + (is_there ? pixel % pixels.width : 0);
  const u32 y = pixels.top + (is_there ? pixel / pixels.width : 0);
  TileRay ray(image, x, y, image.ray(x, y), is_there);
  TileBatch& batch = batches[threadIdx.x / warp_size];
  const u32 axis = __shfl_sync(all_lanes, ray.axis(), 0);
  if (__all_sync(all_lanes, ray.axis() == axis)) {
    test_tile<true>(image, tile, ray, batch);
  } else {
    test_tile<false>(image, tile, ray, batch);
  }
  if (is_there) image.hits[u64{y} * image.width + x] = ray.hit(image.triangles);
}

}  // namespace detail

/// Stores the closest hit of every pixel.
inline void trace_frustum_image(const Executor& ex, const copse::detail::FrustumImage& image) {
  const uvec3& tiles = image.grid.resolution;
  const u64 widest = divide_rounding_up(image.width, tiles.x), highest = divide_rounding_up(image.height, tiles.y);
  const u64 groups = divide_rounding_up(widest * highest, warp_size);
  launch(ex, "frustum: image", detail::frustum_image_kernel,
         {.blocks = divide_rounding_up(groups * image.tile_count(), detail::tile_warps),
          .threads = detail::tile_threads,
          .overlaps_earlier_launch = true},
         image, u32(groups));
}

}  // namespace copse::cuda
