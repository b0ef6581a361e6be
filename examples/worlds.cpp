// Worlds: many small scenes that do not see each other, over one floor that all see. Usage: worlds

#include <copse/copse.h>

#include <cstdio>
#include <exception>
#include <vector>

namespace {

constexpr copse::u32 world_count = 500, objects = 3, steps = 10;

/// Object k of a world, some way above the floor. Each world has a height of its own.
copse::Instance placed(copse::u32 world, copse::u32 k, copse::u32 step) {
  copse::Instance instance;
  instance.rows[0][3] = 4.0f * float(k);
  instance.rows[1][3] = 1 + 0.01f * float(world) + 0.1f * float(step);
  return instance;
}

copse::Accel build_mesh(copse::Context& context, const copse::Mesh& mesh) {
  const copse::Buffer<glm::vec3> positions(context, mesh.positions);
  const copse::Buffer<glm::uvec3> indices(context, mesh.triangles);
  return copse::build(context, copse::TriangleView{.positions = positions.span(), .triangles = indices.span()});
}

void run() {
  std::vector<copse::Instance> instances;
  std::vector<copse::Ray> host_rays;
  std::vector<copse::u32> host_worlds;
  for (copse::u32 world = 0; world < world_count; ++world) {
    for (copse::u32 k = 0; k < objects; ++k) instances.push_back(placed(world, k, 0));
    host_rays.push_back({.origin = {4.01f, 100, 0.02f}, .t_min = 0, .direction = {0, -1, 0}, .t_max = 1e9f});
    host_worlds.push_back(world);
  }
  // snippet begins
  copse::Context context;
  const copse::Accel cube = build_mesh(context, copse::generate_cube());
  const copse::Scene ground = copse::build(context, cube, std::vector<copse::Instance>(1));  // the same for all

  std::vector<copse::u32> begins;  // where the instances of each world begin, and their end
  for (copse::u32 world = 0; world <= world_count; ++world) begins.push_back(world * objects);
  copse::Buffer<copse::Instance> placements(context, instances);
  const copse::InstanceView view = copse::InstanceView::of(placements.span());
  copse::SceneWorlds worlds = copse::build_worlds(context, cube, view, begins, &ground);

  const copse::Buffer<copse::Ray> rays(context, host_rays);
  const copse::Buffer<copse::u32> world_of_ray(context, host_worlds);
  copse::Buffer<copse::SceneHit> hits(context, rays.size());
  for (copse::u32 step = 1; step <= steps; ++step) {
    for (copse::u32 i = 0; i < instances.size(); ++i) instances[i] = placed(i / objects, i % objects, step);
    placements.upload(instances);           // a simulation on the device would write them there
    copse::rebuild(context, worlds, view);  // all trees of all worlds
    copse::closest_hits(context, worlds, rays.span(), world_of_ray.span(), hits.span());
  }
  // snippet ends
  const std::vector<copse::SceneHit> found = hits.download();
  copse::u32 right = 0;
  for (copse::u32 world = 0; world < world_count; ++world) {
    const float lift = placed(world, 1, steps).rows[1][3] - placed(0, 1, steps).rows[1][3];
    const float difference = found[0].t - found[world].t - lift;
    right += found[world].instance == 1 && difference < 0.001f && difference > -0.001f ? 1 : 0;
  }
  std::printf("%u worlds of %u objects; the rays of %u worlds hit their own object\n", world_count, objects,
              right);
}

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "worlds: %s\n", error.what());
    return 1;
  }
  return 0;
}
