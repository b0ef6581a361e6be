// A renderer's own kernel that traces a scene of instances: it counts the pixels that see each object, and those that lie
// in the shadow of another one. Compiled with C++20 and no other option.

#include <copse/copse.h>
#include <copse/scene/scene_spawn_offset.h>
#include <copse/scene/scene_view.h>
#include <cuda_runtime.h>

#include "example_support.h"

namespace {

constexpr copse::u32 width = 256, object_count = 4;

// snippet begins
__global__ void count_pixels(copse::SceneView scene, copse::TriangleView mesh, copse::Camera camera,
                             glm::vec3 to_light, unsigned* seen, unsigned* dark) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  const copse::Ray ray = copse::camera_ray(camera, x, y, width, width);
  const copse::SceneHit hit = copse::closest_hit(scene, ray);
  if (!is_hit(hit)) return;
  const unsigned object = scene.id_of(hit);  // Instance::id
  atomicAdd(seen + object, 1u);

  // The triangle as it stands in its mesh. The ray to the light begins beside it, at a proven distance.
  const copse::Triangle triangle = copse::load_triangle(mesh, hit.primitive);
  const copse::SpawnOffset spawn = copse::spawn_offset(scene, triangle, hit);
  const copse::Ray shadow{spawn.origin(to_light), 0, to_light, copse::infinity};
  if (copse::any_hit(scene, shadow)) atomicAdd(dark + object, 1u);
}
// snippet ends

/// Three balls on a flat one.
std::vector<copse::Instance> objects() {
  const glm::vec3 places[object_count] = {{-2.5f, 0.5f, 0}, {0, 1, 0}, {2.5f, 0.7f, 0}, {0, -0.01f, 0}};
  const glm::vec3 sizes[object_count] = {glm::vec3(0.5f), glm::vec3(1), glm::vec3(0.7f), {9, 0.01f, 9}};
  std::vector<copse::Instance> instances(object_count);
  for (copse::u32 i = 0; i < object_count; ++i) {
    instances[i].id = i;
    for (int row = 0; row < 3; ++row) {
      instances[i].rows[row][row] = sizes[i][row];
      instances[i].rows[row][3] = places[i][row];
    }
  }
  return instances;
}

/// Counts the pixels that see each object by a batch of the same rays.
std::vector<unsigned> seen_by_a_batch(copse::Context& context, const copse::Scene& scene,
                                      const copse::Camera& camera) {
  std::vector<copse::Ray> host_rays;
  for (copse::u32 i = 0; i < width * width; ++i) {
    host_rays.push_back(copse::camera_ray(camera, i % width, i / width, width, width));
  }
  const copse::Buffer<copse::Ray> rays(context, host_rays);
  copse::Buffer<copse::SceneHit> hits(context, rays.size());
  copse::closest_hits(context, scene, rays.span(), hits.span());
  std::vector<unsigned> seen(object_count, 0);
  for (const copse::SceneHit& hit : hits.download()) {
    if (is_hit(hit)) ++seen[hit.instance];
  }
  return seen;
}

bool sees_what_a_batch_sees() {
  copse::Context context({.backend = copse::Backend::cuda});
  const example::DeviceMesh ball(context, copse::generate_sphere(5));
  const copse::Accel accel = copse::build(context, ball.view());
  const copse::Scene scene = copse::build(context, accel, objects());

  const copse::Camera camera = copse::look_at({0, 4, 8}, {0, 0.5f, 0}, {0, 1, 0}, 50, 1);
  copse::Buffer<unsigned> counts(context, std::vector<unsigned>(2 * object_count, 0));
  auto* stream = static_cast<cudaStream_t>(context.stream());
  count_pixels<<<dim3(width / 64, width), 64, 0, stream>>>(scene.view(), ball.view(), camera, {1, 2, 1},
                                                           counts.data(), counts.data() + object_count);
  const std::vector<unsigned> found = counts.download(), expected = seen_by_a_batch(context, scene, camera);
  for (copse::u32 i = 0; i < object_count; ++i) {
    std::printf("object %u: seen by %u pixels, %u in shadow\n", i, found[i], found[object_count + i]);
    if (found[i] != expected[i] || found[i] == 0) return false;
  }
  const unsigned dark_ground = found[2 * object_count - 1];
  return dark_ground > 500 && dark_ground < found[object_count - 1] / 2;
}

}  // namespace

int main() {
  return example::run("scene_kernel", sees_what_a_batch_sees);
}
