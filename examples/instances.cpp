// Instances: one mesh, thousands of placements, a picture of them. Usage: instances MESH PICTURE.png

#include <copse/copse.h>

#include <cstdio>
#include <exception>
#include <glm/geometric.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <vector>

namespace {

constexpr copse::u32 width = 1200, height = 500, across = 60, deep = 40;

copse::Rgba8 shade(const copse::Mesh& mesh, const std::vector<glm::mat4>& placements, const copse::Ray& ray,
                   const copse::SceneHit& hit) {
  if (!is_hit(hit)) return {255, 255, 255, 255};
  const glm::uvec3 corners = mesh.triangles[hit.primitive];
  const glm::vec3 a = mesh.positions[corners.x], b = mesh.positions[corners.y], c = mesh.positions[corners.z];
  const glm::vec3 normal = glm::normalize(glm::mat3(placements[hit.instance]) * glm::cross(b - a, c - a));
  const float light = 0.25f + 0.75f * glm::abs(glm::dot(normal, ray.direction));
  const glm::vec3 hue = 0.5f + 0.5f * glm::cos(float(hit.instance) * 2.4f + glm::vec3(0, 2, 4));
  const glm::vec3 colour = 255.0f * light * (0.35f + 0.65f * hue);
  return {copse::u8(colour.x), copse::u8(colour.y), copse::u8(colour.z), 255};
}

void draw(const char* mesh_file, const char* picture) {
  const copse::Mesh mesh = copse::load_mesh(mesh_file);
  const copse::Aabb box = copse::bounds(mesh);
  const glm::vec3 size = box.hi - box.lo, middle = (box.lo + box.hi) * 0.5f;
  std::vector<glm::mat4> placements;
  for (copse::u32 i = 0; i < across * deep; ++i) {
    const glm::vec3 at = size * glm::vec3(1.1f * float(i % across), 0, -1.1f * float(i / across));
    const glm::mat4 turned = glm::rotate(glm::translate(glm::mat4(1), at), float(i) * 0.7f, glm::vec3(0, 1, 0));
    placements.push_back(glm::scale(turned, glm::vec3(1, 0.6f + 0.8f * float(i * 7 % 11) / 10, 1)));
  }
  const glm::vec3 target = size * glm::vec3(1.1f * across / 2, 0, -8);
  const copse::Camera camera =
      copse::look_at(target + size * glm::vec3(-9, 9, 22), target + middle, {0, 1, 0}, 40, float(width) / height);
  std::vector<copse::Ray> host_rays;
  for (copse::u32 i = 0; i < width * height; ++i) {
    host_rays.push_back(copse::camera_ray(camera, i % width, i / width, width, height));
  }

  // snippet begins
  copse::Context context;
  copse::Buffer<glm::vec3> positions(context, mesh.positions);
  copse::Buffer<glm::uvec3> indices(context, mesh.triangles);
  const copse::TriangleView triangles{.positions = positions.span(), .triangles = indices.span()};
  const copse::Accel accel = copse::build(context, triangles);  // one tree for the mesh

  std::vector<copse::Instance> instances;
  for (const glm::mat4& placement : placements) {
    instances.push_back(copse::Instance::of(glm::mat4x3(placement)));
  }
  const copse::Scene scene = copse::build(context, accel, instances);  // one tree over its placements

  const copse::Buffer<copse::Ray> rays(context, host_rays);
  copse::Buffer<copse::SceneHit> hits(context, rays.size());
  copse::closest_hits(context, scene, rays.span(), hits.span());
  const std::vector<copse::SceneHit> found = hits.download();
  // snippet ends
  copse::Image image{width, height, {}};
  for (size_t i = 0; i < found.size(); ++i)
    image.pixels.push_back(shade(mesh, placements, host_rays[i], found[i]));
  copse::save_png(picture, image);
  std::printf("%zu instances of %zu triangles in %llu bytes\n", instances.size(), mesh.triangles.size(),
              static_cast<unsigned long long>(accel.size_bytes() + scene.size_bytes()));
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 3) {
    std::fprintf(stderr, "usage: instances MESH PICTURE.png\n");
    return 2;
  }
  try {
    draw(arguments[1], arguments[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "instances: %s\n", error.what());
    return 1;
  }
  return 0;
}
