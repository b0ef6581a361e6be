// A task queue for the tiles of a picture, filled by its own tasks. If a distance bound proves that a tile has one
// colour, it is filled at once. Any other tile is cut into four, until it is small. All levels run in one launch.

#include <copse/copse.h>
#include <copse/primitives.h>
#include <copse/primitives/cuda/for_each.cuh>
#include <copse/primitives/cuda/waterfall.cuh>

#include "example_support.h"

namespace {

using copse::u32;
using copse::u64;

constexpr u32 width = 2048;
constexpr u32 smallest_tile = 8;

/// The distance of a point, in pixels, from the nearest of some rings; below 0 inside a ring. It changes at most
/// by the distance that the point moves.
__device__ float distance_to_rings(float x, float y) {
  float nearest = 1e9f;
  for (int k = 0; k < 5; ++k) {
    const float center_x = 300 + 350 * float(k), center_y = 700 + 160 * float(k % 3);
    const float from_center = sqrtf((x - center_x) * (x - center_x) + (y - center_y) * (y - center_y));
    nearest = fminf(nearest, fabsf(from_center - 260) - 30);
  }
  return nearest;
}

/// Shades pixel by pixel, for comparison.
struct ShadePixel {
  unsigned char* picture;
  __device__ void operator()(u64 i) const {
    picture[i] = distance_to_rings(float(i % width), float(i / width)) < 0 ? 255 : 32;
  }
};

struct Tile {
  u32 x, y, size;
};

struct ShadeTile {
  unsigned char* picture;
  u64* evaluations;

  __device__ void operator()(u64, const Tile& tile, const copse::TaskQueueView<Tile>& queue) const {
    // No pixel is farther from the middle of the tile than half its diagonal.
    const float half = 0.5f * float(tile.size - 1);
    const float distance = distance_to_rings(float(tile.x) + half, float(tile.y) + half);
    const bool all_alike = fabsf(distance) > 1.4143f * half + 0.01f;
    u64 count = 1;
    if (!all_alike && tile.size > smallest_tile) {
      const u32 size = tile.size / 2;
      const Tile parts[] = {{tile.x, tile.y, size},
                            {tile.x + size, tile.y, size},
                            {tile.x, tile.y + size, size},
                            {tile.x + size, tile.y + size, size}};
      queue.publish(queue.reserve(4), parts);
    } else {
      for (u32 y = tile.y; y < tile.y + tile.size; ++y) {
        for (u32 x = tile.x; x < tile.x + tile.size; ++x) {
          const float here = all_alike ? distance : distance_to_rings(float(x), float(y));
          picture[y * width + x] = here < 0 ? 255 : 32;
        }
      }
      if (!all_alike) count += tile.size * tile.size;
    }
    copse::fetch_add_relaxed(evaluations, count);
  }
};

/// The first tiles: a row of four by four.
struct PushTiles {
  copse::TaskQueueView<Tile> queue;
  __device__ void operator()(u64 i) const {
    constexpr u32 size = width / 4;
    queue.push({u32(i) % 4 * size, u32(i) / 4 * size, size});
  }
};

bool shade_in_tiles() {
  copse::Context context({.backend = copse::Backend::cuda});
  const copse::cuda::Executor& ex = context.cuda_executor();
  copse::Buffer<unsigned char> picture(context, width * width), expected(context, width * width);
  copse::Buffer<u64> evaluations(context, std::vector<u64>{0});
  copse::cuda::for_each(ex, "shade pixels", width * width, ShadePixel{expected.data()});

  // snippet begins
  copse::TaskQueue<Tile> queue(context, 100000);
  copse::cuda::for_each(ex, "push tiles", 16, PushTiles{queue.view()});
  copse::cuda::run_tasks(ex, "shade tiles", queue.view(), ShadeTile{picture.data(), evaluations.data()});
  queue.check();  // waits
  // snippet ends

  std::printf("%llu evaluations for %u pixels\n", static_cast<unsigned long long>(evaluations.download()[0]),
              width * width);
  return picture.download() == expected.download() && evaluations.download()[0] < width * width;
}

}  // namespace

int main() {
  return example::run("task_queue_tiles", shade_in_tiles);
}
