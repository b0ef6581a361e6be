// Counts for each of many points the boxes near it. The lanes of a warp traverse the tree together, so one stack
// serves all 32. Each warp acquires a stack as deep as the tree, and holds it while it traverses.

#include <copse/copse.h>
#include <copse/primitives.h>
#include <copse/primitives/cuda/scratch_pool.cuh>

#include "example_support.h"

namespace {

using copse::u32;
using copse::u64;

constexpr u32 threads = 128;

__host__ __device__ bool overlap(const copse::Aabb& a, const copse::Aabb& b) {
  return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y && a.lo.z <= b.hi.z &&
         b.lo.z <= a.hi.z;
}

__host__ __device__ copse::Aabb box_around(const glm::vec3& point, float radius) {
  return {point - radius, point + radius};
}

// snippet begins
__global__ void count_near(copse::BvhView bvh, const copse::Aabb* boxes, const glm::vec3* points, u32 point_count,
                           float radius, copse::ScratchPoolView stacks, u32* counts) {
  const u32 i = blockIdx.x * threads + threadIdx.x;
  const copse::Aabb search = i < point_count ? box_around(points[i], radius) : copse::Aabb::empty();

  const copse::cuda::WarpScratch scratch(stacks);  // released where the kernel ends
  u32* const stack = scratch.data<u32>();          // the same for all lanes
  u32 size = 0, node_id = 0, count = 0;
  for (;;) {
    const copse::BvhNode node = bvh.nodes.data()[node_id];
    const bool is_near = overlap(node.box(), search);
    if (__any_sync(~0u, is_near)) {
      for (u32 k = 0; k < node.count; ++k) {
        count += is_near && overlap(boxes[bvh.primitive_ids.data()[node.first + k]], search) ? 1 : 0;
      }
      if (!node.is_leaf()) {
        if (threadIdx.x % 32 == 0) stack[size] = node.first + 1;
        ++size;
        node_id = node.first;
        continue;
      }
    }
    if (size == 0) break;
    __syncwarp();  // what lane 0 has pushed is there
    node_id = stack[--size];
    __syncwarp();  // and may be written over
  }
  if (i < point_count) counts[i] = count;
}
// snippet ends

float hashed(u32 i) {
  i = (i ^ 61 ^ i >> 16) * 9;
  i = (i ^ i >> 4) * 0x27d4eb2du;
  return float((i ^ i >> 15) >> 8) / float(1u << 24);
}

std::vector<glm::vec3> random_points(u32 count, u32 seed) {
  std::vector<glm::vec3> points;
  for (u32 i = 0; i < count; ++i) {
    const u32 k = 3 * i + seed;
    points.emplace_back(hashed(k), hashed(k + 1), hashed(k + 2));
  }
  return points;
}

/// How many points have other counts by the tree than by a plain loop.
u32 count_mistakes(const std::vector<copse::Aabb>& boxes, const std::vector<glm::vec3>& points, float radius,
                   const std::vector<u32>& counts) {
  u32 mistakes = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    u32 count = 0;
    for (const copse::Aabb& box : boxes) count += overlap(box, box_around(points[i], radius)) ? 1 : 0;
    mistakes += count != counts[i] ? 1 : 0;
  }
  return mistakes;
}

bool count_near_points() {
  constexpr u32 box_count = 5000, point_count = 10000;
  constexpr float radius = 0.05f;
  copse::Context context({.backend = copse::Backend::cuda});
  std::vector<copse::Aabb> host_boxes;
  for (const glm::vec3& point : random_points(box_count, 1)) host_boxes.push_back(box_around(point, 0.01f));
  const std::vector<glm::vec3> host_points = random_points(point_count, 100000);
  const copse::Buffer<copse::Aabb> boxes(context, host_boxes);
  const copse::Buffer<glm::vec3> points(context, host_points);
  const copse::Bvh bvh = copse::build(context, copse::BoxView{boxes.span()}, copse::LbvhOptions{});

  // One stack per warp that runs on the GPU at the same time, not per warp of the launch.
  const u64 stack_bytes = (copse::stats(context, bvh).depth + 1) * sizeof(u32);
  copse::ScratchPool stacks = copse::cuda::scratch_pool_for_warps(context, count_near, threads, stack_bytes);

  copse::Buffer<u32> counts(context, point_count);
  count_near<<<(point_count + threads - 1) / threads, threads, 0, static_cast<cudaStream_t>(context.stream())>>>(
      bvh.view(), boxes.data(), points.data(), point_count, radius, stacks.view(), counts.data());
  const std::vector<u32> near = counts.download();

  u64 sum = 0;
  for (u32 count : near) sum += count;
  const copse::ScratchPoolReport report = stacks.report();
  const u32 mistakes = count_mistakes(host_boxes, host_points, radius, near);
  std::printf("%llu boxes near %u points, %u mistakes; %llu stacks of %llu bytes, %u not given back, %u waits\n",
              static_cast<unsigned long long>(sum), point_count, mistakes,
              static_cast<unsigned long long>(stacks.slot_count()),
              static_cast<unsigned long long>(stacks.slot_bytes()), report.held_count, report.wait_count);
  return mistakes == 0 && report.held_count == 0;
}

}  // namespace

int main() {
  return example::run("warp_stack", count_near_points);
}
