// A renderer's own kernel that calls closest_hit: it counts the pixels whose rays hit each of two spheres, and those
// that hit the inner one if rays pass through the outer one. Compiled with C++20 and no other option.

#include <copse/accel/accel_view.h>
#include <copse/copse.h>
#include <cuda_runtime.h>

#include "example_support.h"

namespace {

constexpr copse::u32 width = 256;
constexpr copse::u32 solid = 1, glass = 2;  // bits of masks

// snippet begins
__global__ void count_hits(copse::AccelView scene, copse::Camera camera, unsigned* hits_of, unsigned* solid_hits) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  const copse::Ray ray = copse::camera_ray(camera, x, y, width, width);
  const copse::Hit hit = copse::closest_hit(scene, ray);
  if (copse::is_hit(hit)) atomicAdd(hits_of + hit.geometry, 1u);
  if (copse::any_hit(scene, ray, solid)) atomicAdd(solid_hits, 1u);  // passes through what is glass alone
}
// snippet ends

/// The share of a sphere of radius r, 3 away, in a picture of 60 degrees is pi * tan(asin(r/3))^2 / tan(30)^2 / 4.
bool is_share(unsigned hits, double least, double most) {
  const double share = double(hits) / (width * width);
  std::printf("%u of %u pixels hit, a share of %.4f\n", hits, width * width, share);
  return share > least && share < most;
}

bool has_the_right_shares() {
  copse::Context context({.backend = copse::Backend::cuda});
  const copse::Mesh ball = copse::generate_sphere(5);
  copse::Mesh half = ball;
  half.positions = example::scaled(ball.positions, glm::vec3(0.5f));
  const example::DeviceMesh outer(context, ball), inner(context, half);
  std::vector<copse::TriangleView> views{inner.view(), outer.view()};
  views[0].mask = solid;
  views[1].geometry = 1;
  views[1].mask = glass;
  const copse::Accel accel = copse::build(context, views);

  const copse::Camera camera = copse::look_at({0, 0, 3}, {0, 0, 0}, {0, 1, 0}, 60, 1);
  copse::Buffer<unsigned> counts(context, std::vector<unsigned>(3, 0));
  auto* stream = static_cast<cudaStream_t>(context.stream());
  count_hits<<<dim3(width / 64, width), 64, 0, stream>>>(accel.view(), camera, counts.data(), counts.data() + 2);
  const std::vector<unsigned> hits = counts.download();
  return hits[0] == 0 && is_share(hits[1], 0.285, 0.300) && is_share(hits[2], 0.064, 0.070);
}

}  // namespace

int main() {
  return example::run("user_kernel", has_the_right_shares);
}
