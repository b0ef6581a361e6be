// Scenes in scenes: leaves on twigs, twigs on trees, trees in a forest. Usage: nested_scenes

#include <copse/copse.h>

#include <cstdio>
#include <exception>
#include <glm/gtc/matrix_transform.hpp>
#include <vector>

namespace {

/// Instances that climb along a spiral, each turned further and scaled.
std::vector<copse::Instance> spiral(copse::u32 count, float width, float height, float scale) {
  std::vector<copse::Instance> instances;
  for (copse::u32 i = 0; i < count; ++i) {
    const float part = float(i) / float(count), angle = 2.4f * float(i);
    glm::mat4 m = glm::translate(glm::mat4(1),
                                 {width * part * glm::cos(angle), height * part, width * part * glm::sin(angle)});
    m = glm::scale(glm::rotate(m, angle, {0, 1, 0}), glm::vec3(scale));
    instances.push_back(copse::Instance::of(glm::mat4x3(m)));
    instances.back().id = i;
  }
  return instances;
}

void run() {
  const std::vector<copse::Instance> leaves = spiral(200, 1, 4, 0.1f), twigs = spiral(300, 4, 9, 0.7f),
                                     trees = spiral(10000, 900, 0, 1);
  copse::Mesh mesh = copse::generate_sphere(2);
  // snippet begins
  copse::Context context;
  const copse::Buffer<glm::vec3> positions(context, mesh.positions);
  const copse::Buffer<glm::uvec3> indices(context, mesh.triangles);
  const copse::Accel leaf =
      copse::build(context, copse::TriangleView{.positions = positions.span(), .triangles = indices.span()});

  const copse::Scene twig = copse::build(context, leaf, leaves);                  // instances of a mesh,
  const copse::NestedScene tree = copse::build_nested(context, {twig}, twigs);    // of a scene,
  const copse::NestedScene forest = copse::build_nested(context, {tree}, trees);  // and of a scene of scenes

  const std::vector<copse::Ray> down(
      1, {.origin = {1.1f, 100, 0.2f}, .t_min = 0, .direction = {0, -1, 0}, .t_max = 1e9f});
  const copse::Buffer<copse::Ray> rays(context, down);
  copse::Buffer<copse::NestedHit> hits(context, rays.size());
  copse::closest_hits(context, forest, rays.span(), hits.span());
  const copse::NestedHit hit = hits.download()[0];  // hit.path: the tree, the twig, the leaf
  // snippet ends
  const double triangles = double(mesh.triangles.size()) * double(leaves.size() * twigs.size() * trees.size());
  const double bytes = double(leaf.size_bytes() + twig.size_bytes() + tree.size_bytes() + forest.size_bytes());
  std::printf("%.0f million triangles in %.1f MB\n", triangles * 1e-6, bytes * 1e-6);
  if (!is_hit(hit)) throw copse::Error(copse::ErrorCode::invalid_argument, "the ray misses the forest");
  std::printf("the ray hits leaf %u of twig %u of tree %u, on level %u\n", hit.path[2], hit.path[1], hit.path[0],
              hit.path_length());
}

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nested_scenes: %s\n", error.what());
    return 1;
  }
  return 0;
}
