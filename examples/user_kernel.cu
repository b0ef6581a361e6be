// A renderer's own kernel that calls closest_hit: it counts the pixels whose rays hit a sphere.
// Compiled with C++20 and no other option.

#include <copse/copse.h>
#include <copse/trace/traverse.h>
#include <cuda_runtime.h>

#include "example_support.h"

namespace {

constexpr copse::u32 width = 256;

// snippet begins
__global__ void count_hits(copse::BvhView bvh, copse::TriangleView triangles, copse::Camera camera,
                           unsigned* count) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  const copse::Ray ray = copse::camera_ray(camera, x, y, width, width);
  if (copse::is_hit(copse::closest_hit(bvh, triangles, ray))) atomicAdd(count, 1u);
}
// snippet ends

unsigned count_sphere_hits() {
  copse::Context context({.backend = copse::Backend::cuda});
  const copse::Mesh mesh = copse::generate_sphere(5);
  const example::DeviceMesh device_mesh(context, mesh);
  const copse::TriangleView triangles = device_mesh.view();
  const copse::Bvh bvh = copse::build(context, triangles, copse::LbvhOptions{});

  const copse::Camera camera = copse::look_at({0, 0, 3}, {0, 0, 0}, {0, 1, 0}, 60, 1);
  copse::Buffer<unsigned> count(context, std::vector<unsigned>{0});
  auto* stream = static_cast<cudaStream_t>(context.stream());
  count_hits<<<dim3(width / 64, width), 64, 0, stream>>>(bvh.view(), triangles, camera, count.data());
  return count.download()[0];
}

/// The share of a unit sphere, 3 away, in a picture of 60 degrees is pi * tan(asin(1/3))^2 / tan(30)^2 / 4.
bool has_the_right_share() {
  const unsigned hits = count_sphere_hits();
  const double share = double(hits) / (width * width);
  std::printf("%u of %u pixels hit, a share of %.4f\n", hits, width * width, share);
  return share > 0.285 && share < 0.300;
}

}  // namespace

int main() {
  return example::run("user_kernel", has_the_right_share);
}
