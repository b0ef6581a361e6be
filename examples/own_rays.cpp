// Rays as a renderer has them: in records with other members, with one mask for the batch, without back faces, and in a
// buffer of which a part is written anew.

#include <copse/copse.h>

#include <cmath>

#include "example_support.h"

namespace {

/// A path of a renderer. Its ray stands among other members.
struct Path {
  glm::vec3 colour;
  copse::Ray ray;
  copse::u32 pixel;
};

constexpr copse::u32 path_count = 64;

Path path_from(float x) {
  return {glm::vec3(1), {{x, 0, 5}, 0, {0, 0, -1}, copse::infinity}, 0};
}

bool is_near(float a, float b) {
  return std::abs(a - b) < 0.01f;
}

bool trace() {
  copse::Context context;
  const example::DeviceMesh ball(context, copse::generate_sphere(5));
  const copse::Accel accel = copse::build(context, ball.view());
  copse::Buffer<Path> paths(context, std::vector<Path>(path_count, path_from(0)));
  copse::Buffer<copse::Hit> hits(context, path_count);

  // snippet begins
  const copse::Ray* first = &paths.data()->ray;
  const copse::RaySpan rays = copse::RaySpan::in_records(first, paths.size(), sizeof(Path));
  copse::closest_hits(context, accel, rays, hits.span(), {.mask = 1, .cull = copse::Cull::back});

  paths.upload(std::vector<Path>(10, path_from(9)), 20);  // paths 20 to 29 go elsewhere
  // snippet ends
  const float before = hits.download()[25].t;
  copse::closest_hits(context, accel, rays, hits.span(), {.cull = copse::Cull::back});
  const std::vector<copse::Hit> after = hits.download();

  // The same rays, with origins in an array of their own and one direction for all.
  const copse::Buffer<glm::vec3> origins(context, std::vector<glm::vec3>(path_count, glm::vec3(0, 0, 5)));
  const copse::Buffer<glm::vec3> direction(context, std::vector<glm::vec3>{glm::vec3(0, 0, -1)});
  const copse::RaySpan parallel{.origins = origins.span(), .directions = {direction.data(), path_count, 0}};
  copse::closest_hits(context, accel, parallel, hits.span());
  const float in_arrays = hits.download()[25].t;

  std::printf("a path hits at %.2f; moved aside it %s; from arrays it hits at %.2f\n", double(before),
              copse::is_hit(after[25]) ? "hits" : "misses", double(in_arrays));
  return is_near(before, 4) && !copse::is_hit(after[25]) && is_near(after[30].t, 4) && is_near(in_arrays, 4);
}

}  // namespace

int main() {
  return example::run("own_rays", trace);
}
