// Rays that all GPUs of the machine share, or several contexts of the CPU. The hits are those of one device. Usage:
// several_gpus [cpu]

#include <copse/copse.h>
#include <copse/scale.h>

#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "example_support.h"

namespace {

/// Rays from above into a box of random triangles.
std::vector<copse::Ray> rays_from_above(copse::u32 side) {
  std::vector<copse::Ray> rays;
  for (copse::u32 i = 0; i < side * side; ++i) {
    const glm::vec3 origin(float(i % side) / float(side), 2, float(i / side) / float(side));
    rays.push_back({.origin = origin, .t_min = 0, .direction = {0.01f, -1, 0.02f}, .t_max = 1e9f});
  }
  return rays;
}

bool run(copse::Backend backend, copse::u32 count) {
  const copse::Mesh mesh = copse::generate_random(50000, 0.02f);
  const std::vector<copse::Ray> host_rays = rays_from_above(600);
  // snippet begins
  copse::Devices gpus({.backend = backend, .count = count});  // of count 0: all GPUs
  copse::Context& first = gpus.first();
  copse::Buffer<glm::vec3> positions(first, mesh.positions);
  const copse::Buffer<glm::uvec3> indices(first, mesh.triangles);
  const copse::TriangleView triangles{.positions = positions.span(), .triangles = indices.span()};
  const copse::Buffer<copse::Ray> rays(first, host_rays);
  copse::Buffer<copse::Hit> hits(first, rays.size());

  copse::ReplicatedAccel scene = copse::replicate(gpus, copse::build(first, triangles));
  copse::closest_hits(gpus, scene, rays.span(), hits.span());  // each GPU traces its share

  copse::refit(first, scene.first(), triangles);  // when vertices have moved
  copse::update(gpus, scene);                     // the other GPUs follow
  // snippet ends

  copse::Buffer<copse::Hit> hits_of_one(first, rays.size());
  copse::closest_hits(first, scene.first(), rays.span(), hits_of_one.span());
  const std::vector<copse::Hit> shared = hits.download(), alone = hits_of_one.download();
  const bool equal = std::memcmp(shared.data(), alone.data(), shared.size() * sizeof(copse::Hit)) == 0;
  copse::u64 hit_count = 0;
  for (const copse::Hit& hit : shared) hit_count += copse::is_hit(hit) ? 1 : 0;
  std::printf("%u devices (%s): %llu of %zu rays hit; the hits of one device are %s\n", gpus.count(),
              first.device_name().c_str(), static_cast<unsigned long long>(hit_count), shared.size(),
              equal ? "the same" : "others");
  return equal;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("several_gpus", [&] {
    const bool on_cpu = (argc > 1 && std::string_view(argv[1]) == "cpu") || copse::gpu_count() == 0;
    return on_cpu ? run(copse::Backend::cpu, 3) : run(copse::Backend::cuda, 0);
  });
}
