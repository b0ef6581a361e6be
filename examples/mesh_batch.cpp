// A batch of meshes: a thousand cubes of different sizes, a tree for each, and rays through each of them. Usage:
// mesh_batch

#include <copse/copse.h>

#include <cstdio>
#include <exception>
#include <vector>

namespace {

/// Cubes of edge 1, 2, 3 and so on, in one vertex and one index buffer.
struct Cubes {
  std::vector<glm::vec3> positions;
  std::vector<glm::uvec3> triangles;
  std::vector<copse::u64> vertex_begins{0}, triangle_begins{0};

  explicit Cubes(copse::u32 count) {
    const copse::Mesh cube = copse::generate_cube();  // from 0 to 1 or about the origin
    for (copse::u32 i = 0; i < count; ++i) {
      for (const glm::vec3& p : cube.positions) positions.push_back(p * float(i + 1));
      triangles.insert(triangles.end(), cube.triangles.begin(), cube.triangles.end());
      vertex_begins.push_back(positions.size());
      triangle_begins.push_back(triangles.size());
    }
  }
};

void run() {
  Cubes cubes(1000);
  // snippet begins
  copse::Context context;
  copse::Buffer<glm::vec3> positions(context, cubes.positions);
  const copse::Buffer<glm::uvec3> indices(context, cubes.triangles);
  const copse::TriangleView all{.positions = positions.span(), .triangles = indices.span()};

  // A view per mesh, whose indices count from the first vertex of the mesh.
  const std::vector<copse::TriangleView> meshes = mesh_views(all, cubes.triangle_begins, cubes.vertex_begins);
  copse::AccelBatch batch = copse::build_batch(context, meshes);  // all trees in one chain of launches

  for (glm::vec3& p : cubes.positions) p.x += 1;  // the meshes move
  positions.upload(cubes.positions);
  copse::refit(context, batch);  // all trees again

  std::vector<copse::Instance> row(meshes.size());
  for (copse::u32 i = 0; i < row.size(); ++i) row[i].accel = i, row[i].rows[0][3] = 3000.0f * float(i);
  const copse::Scene scene = copse::build(context, batch, row);  // instances of all meshes
  // snippet ends
  std::vector<copse::Ray> host_rays;
  for (copse::u32 i = 0; i < row.size(); ++i) {
    const glm::vec3 above(3000.0f * float(i) + 1, 5000, 0);
    host_rays.push_back({.origin = above, .t_min = 0, .direction = {0.0001f, -1, 0.0001f}, .t_max = 1e9f});
  }
  const copse::Buffer<copse::Ray> rays(context, host_rays);
  copse::Buffer<copse::SceneHit> hits(context, rays.size());
  copse::closest_hits(context, scene, rays.span(), hits.span());
  copse::u32 right = 0;
  copse::u32 i = 0;
  for (const copse::SceneHit& hit : hits.download()) right += hit.instance == i++ ? 1 : 0;
  std::printf("%llu meshes of %llu triangles; %u of %zu rays hit the mesh below\n",
              static_cast<unsigned long long>(batch.mesh_count()),
              static_cast<unsigned long long>(batch.triangle_count()), right, host_rays.size());
}

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mesh_batch: %s\n", error.what());
    return 1;
  }
  return 0;
}
