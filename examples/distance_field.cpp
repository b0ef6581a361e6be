// A signed distance field of a sphere: the distances of grid points from its surface, negative inside. Then the
// triangles that touch some balls, and collisions of the sphere with another one.

#include <copse/copse.h>
#include <copse/queries.h>

#include <cmath>

#include "example_support.h"

namespace {

constexpr int side = 32;

glm::vec3 grid_point(int x, int y, int z) {
  return (glm::vec3(x, y, z) + 0.5f) * (3.0f / side) - 1.5f;
}

/// Returns the largest difference from the field of an exact sphere.
float distance_field_error(copse::Context& context, const copse::Accel& accel) {
  std::vector<glm::vec3> grid;
  for (int i = 0; i < side * side * side; ++i)
    grid.push_back(grid_point(i % side, i / side % side, i / side / side));
  // snippet begins
  const copse::Buffer<glm::vec3> points(context, grid);
  copse::Buffer<copse::NearestPoint> nearest(context, points.size());
  copse::Buffer<copse::u8> inside(context, points.size());
  copse::nearest_points(context, accel, points.span(), nearest.span());
  copse::points_inside(context, accel, points.span(), inside.span());
  // snippet ends
  const std::vector<copse::NearestPoint> found = nearest.download();
  const std::vector<copse::u8> is_inside = inside.download();
  float largest_error = 0;
  for (size_t i = 0; i < grid.size(); ++i) {
    const float distance = is_inside[i] ? -found[i].distance : found[i].distance;
    const float length = std::sqrt(grid[i].x * grid[i].x + grid[i].y * grid[i].y + grid[i].z * grid[i].z);
    largest_error = std::fmax(largest_error, std::fabs(distance - (length - 1)));
  }
  return largest_error;
}

copse::u64 count_collisions(copse::Context& context, const copse::Mesh& mesh, const glm::vec3& move) {
  std::vector<glm::vec3> moved = mesh.positions;
  for (glm::vec3& p : moved) p += move;
  const copse::Buffer<glm::vec3> first(context, mesh.positions), second(context, moved);
  const copse::Buffer<glm::uvec3> indices(context, mesh.triangles);
  const std::vector<copse::TriangleView> both{{.positions = first.span(), .triangles = indices.span()},
                                              {.positions = second.span(), .triangles = indices.span()}};
  return copse::self_overlaps(context, copse::build(context, both)).size();
}

bool measure() {
  copse::Context context;
  const copse::Mesh mesh = copse::generate_sphere(5);
  const example::DeviceMesh device_mesh(context, mesh);
  const copse::Accel accel = copse::build(context, device_mesh.view());

  const float error = distance_field_error(context, accel);
  const copse::Buffer<copse::Sphere> balls(context,
                                           std::vector<copse::Sphere>{{{1, 0, 0}, 0.1f}, {{0, 0, 0}, 0.9f}});
  const copse::OverlapLists lists = copse::all_overlaps<copse::Sphere>(context, accel, balls.span());
  const std::vector<copse::u64> offsets = lists.offsets.download();
  const copse::u64 apart = count_collisions(context, mesh, {2.1f, 0, 0});
  const copse::u64 meeting = count_collisions(context, mesh, {1.9f, 0.01f, 0.02f});
  std::printf("distances within %.4f; %llu triangles in one ball, %llu in the other; %llu and %llu collide\n",
              double(error), static_cast<unsigned long long>(offsets[1] - offsets[0]),
              static_cast<unsigned long long>(offsets[2] - offsets[1]), static_cast<unsigned long long>(apart),
              static_cast<unsigned long long>(meeting));
  return error < 2e-3f && offsets[1] > 0 && offsets[2] == offsets[1] && apart == 0 && meeting > 0;
}

}  // namespace

int main() {
  return example::run("distance_field", measure);
}
