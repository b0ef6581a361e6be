// Rays at full speed: a structure of the best quality over two meshes, and hits of 8 bytes. Then a tree by one's own choice of builder and
// layout, masks with which rays see some meshes only, and a frame in which a mesh moves.

#include <copse/copse.h>

#include <cmath>

#include "example_support.h"

namespace {

constexpr copse::u32 width = 512;
constexpr copse::u32 solid = 1, glass = 2;  // bits of masks

/// A grid of rays along -z, in front of the scene.
std::vector<copse::Ray> parallel_rays() {
  std::vector<copse::Ray> rays;
  for (copse::u32 i = 0; i < width * width; ++i) {
    const float x = float(i % width) / width - 0.5f, y = float(i / width) / width - 0.5f;
    rays.push_back({{x, y, 9}, 0, {0, 0, -1}, copse::infinity});
  }
  return rays;
}

/// The distance of the middle ray to its hit.
float middle_distance(const copse::Buffer<copse::Hit>& hits) {
  return hits.download()[width / 2 * width + width / 2].t;
}

bool near(float a, float b) {
  return std::abs(a - b) < 0.01f;
}

bool trace() {
  copse::Context context;
  const copse::Mesh ball = copse::generate_sphere(5);
  example::DeviceMesh inner(context, ball);
  copse::Mesh shell = ball;
  shell.positions = example::scaled(ball.positions, glm::vec3(2));
  const example::DeviceMesh outer(context, shell);
  std::vector<copse::TriangleView> scene{inner.view(), outer.view()};
  scene[0].mask = solid;
  scene[1].geometry = 1;
  scene[1].mask = glass;
  const copse::Buffer<copse::Ray> rays(context, parallel_rays());
  copse::Buffer<copse::Hit> hits(context, rays.size()), wide_hits(context, rays.size());

  // snippet begins
  copse::Accel accel = copse::build(context, scene, {.quality = copse::Quality::best});
  copse::closest_hits(context, accel, rays.span(), hits.span());
  // snippet ends
  const float to_glass = middle_distance(hits);

  // The same in 8 bytes for each ray: t, and the place of the triangle. The rest is there when it is needed.
  copse::Buffer<copse::ShortHit> short_hits(context, rays.size());
  copse::Buffer<copse::Hit> full(context, rays.size());
  copse::closest_hits(context, accel, rays.span(), short_hits.span());
  copse::full_hits(context, accel, rays.span(), short_hits.span(), full.span());
  const bool short_hits_agree = middle_distance(full) == to_glass;

  // By hand: a builder, passes that mend its tree, a layout. This one takes the least memory.
  copse::Bvh bvh = copse::build(context, scene, copse::LbvhOptions{});
  copse::reinsert(context, bvh, {.passes = 2});
  const copse::CompressedBvh8 wide = copse::collapse<copse::CompressedBvh8>(context, bvh);
  copse::closest_hits(context, wide.view(), scene, rays.span(), wide_hits.span());
  const bool wide_agrees = middle_distance(wide_hits) == to_glass;

  // Rays with a mask see the meshes whose masks share a bit with theirs.
  const copse::Buffer<copse::u32> masks(context, std::vector<copse::u32>(rays.size(), solid));
  copse::closest_hits(context, accel, rays.span(), hits.span(), {.masks = masks.span()});
  const float to_solid = middle_distance(hits);

  // The meshes move: refit keeps the tree and fits its boxes, without waiting or allocating.
  inner.positions.upload(example::scaled(ball.positions, glm::vec3(1, 1, 1.5f)));
  copse::refit(context, accel, scene);
  copse::closest_hits(context, accel, rays.span(), hits.span(), {.mask = solid});
  const float to_moved = middle_distance(hits);

  std::printf("the glass is %.2f away, the ball in it %.2f, and %.2f when it has moved\n", double(to_glass),
              double(to_solid), double(to_moved));
  return short_hits_agree && wide_agrees && near(to_glass, 7) && near(to_solid, 8) && near(to_moved, 7.5f);
}

}  // namespace

int main() {
  return example::run("fast_rays", trace);
}
