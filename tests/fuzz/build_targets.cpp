// Bytes say which triangles to build over, how, and which rays to trace. Structures must be valid, and the hits those of a
// test of every triangle; in trees also after a refit.

#include <vector>

#include "accel/accel_rays.h"
#include "builders/bvh/build.h"
#include "builders/bvh/collapse.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/reinsert.h"
#include "builders/bvh/validate.h"
#include "builders/grid/grid_validate.h"
#include "builders/grid/uniform_grid.h"
#include "builders/kd/sah_kd_tree.h"
#include "builders/kd/sah_kd_validate.h"
#include "tests/fuzz/mesh_bytes.h"
#include "tests/fuzz/targets.h"
#include "trace/grid_march.h"
#include "trace/grid_rays.h"
#include "trace/kd_rays.h"
#include "trace/kd_walk.h"

namespace copse::fuzz {

namespace {

AnyBuildOptions options_of(Bytes& bytes) {
  const u32 builder = bytes.take<u8>() % 3, leaf = 1 + bytes.take<u8>() % 32, extra = bytes.take<u8>();
  if (builder == 0) return LbvhOptions{.morton_bits = 30 + extra % 34, .max_leaf_size = leaf};
  if (builder == 1) return HplocOptions{.radius = 1 + extra % 8, .max_leaf_size = leaf};
  return SahOptions{.max_leaf_size = leaf};
}

/// Traces rays in a batch and one by one.
///   closest, any: the hit of a ray, and whether there is one
template <class Batch, class Closest, class Any>
void expect_hits(Context& context, const Mesh& mesh, const std::vector<Ray>& rays, const Batch& batch,
                 const Closest& closest, const Any& any) {
  const std::vector<Hit> expected = hits_of_all(mesh, rays);
  const Buffer<Ray> all(context, rays);
  Buffer<Hit> hits(context, rays.size());
  batch(all.span(), hits.span());
  const std::vector<Hit> found = hits.download();
  for (size_t i = 0; i < rays.size(); ++i) {
    expect_hit(rays[i], found[i], expected[i], "the batch finds the hit that a test of all triangles gives");
    expect_hit(rays[i], closest(rays[i]), expected[i], "so does a single ray");
    require(any(rays[i]) == is_hit(expected[i]), "and any_hit");
  }
}

void expect_hits(Context& context, const Accel& accel, const Mesh& mesh, const std::vector<Ray>& rays) {
  expect_hits(
      context, mesh, rays, [&](const auto& all, const auto& hits) { closest_hits(context, accel, all, hits); },
      [&](const Ray& ray) { return closest_hit(accel.view(), ray); },
      [&](const Ray& ray) { return any_hit(accel.view(), ray); });
}

/// A kd-tree or a grid.
template <class View>
void expect_hits(Context& context, const View& view, const Placed& placed, const Mesh& mesh,
                 const std::vector<Ray>& rays) {
  expect_hits(
      context, mesh, rays,
      [&](const auto& all, const auto& hits) { closest_hits(context, view, placed.view(), all, hits); },
      [&](const Ray& ray) { return closest_hit(view, placed.view(), ray); },
      [&](const Ray& ray) { return any_hit(view, placed.view(), ray); });
}

void check_binary_tree(Context& context, const TriangleView& view, const AnyBuildOptions& options) {
  Bvh bvh = build(context, view, options);
  expect_valid(validate(context, bvh, view));
  reinsert(context, bvh, {.passes = 2});
  expect_valid(validate(context, bvh, view));
  expect_valid(validate(context, collapse<CompressedBvh4>(context, bvh), view));
}

void check_accel(Context& context, const Placed& placed, Mesh mesh, Quality quality,
                 const std::vector<Ray>& rays) {
  Accel accel = build(context, placed.view(), {.quality = quality});
  expect_valid(validate(context, accel.tree(), placed.view()));
  expect_hits(context, accel, mesh, rays);

  // The triangles that the build left out stay out, so only finite meshes are compared after the refit.
  bool is_finite_mesh = true;
  for (vec3& p : mesh.positions) {
    is_finite_mesh &= is_finite(p);
    p = vec3(p.y * 0.5f + 1, p.z, p.x - p.y);
    is_finite_mesh &= is_finite(p);
  }
  if (!is_finite_mesh) return;
  const Placed moved(context, mesh);
  refit(context, accel, moved.view());
  expect_valid(validate(context, accel.tree(), moved.view()));
  expect_hits(context, accel, mesh, rays);
}

/// The first byte chooses the quality, and whether to make a binary tree, an Accel, or both: an input that makes one of
/// them takes half of the time.
void run_build(std::string_view input) {
  Bytes bytes(input);
  Context& context = one_worker();
  const u32 choice = bytes.take<u8>(), made = choice / 3 % 3;
  const AnyBuildOptions options = options_of(bytes);
  const Mesh mesh = mesh_of(bytes);
  const std::vector<Ray> rays = rays_of(bytes, mesh);
  const Placed placed(context, mesh);
  if (made != 1) check_binary_tree(context, placed.view(), options);
  if (made != 2) check_accel(context, placed, mesh, Quality(choice % 3), rays);
}

/// The first byte chooses a kd-tree or a grid, and how fine it is.
void run_cells(std::string_view input) {
  Bytes bytes(input);
  Context& context = one_worker();
  const u32 choice = bytes.take<u8>(), x = bytes.take<u8>(), y = bytes.take<u8>(), z = bytes.take<u8>();
  const Mesh mesh = mesh_of(bytes);
  const std::vector<Ray> rays = rays_of(bytes, mesh);
  const Placed placed(context, mesh);
  if (choice % 2 == 0) {
    const SahKdTree tree = build_sah_kd_tree(
        context, placed.view(),
        {.traversal_cost = float(1 + x) / 64, .max_depth = y % 16, .max_references = float(1 + z % 8)});
    expect_valid(validate(context, tree, placed.view()));
    expect_hits(context, tree.view(), placed, mesh, rays);
  } else {
    const uvec3 cells = choice % 4 == 1 ? uvec3(0) : uvec3(1 + x % 12, 1 + y % 12, 1 + z % 12);
    const Grid grid = build_grid(context, placed.view(), {.resolution = cells, .density = float(1 + x % 8)});
    expect_valid(validate(context, grid, placed.view()));
    expect_hits(context, grid.view(), placed, mesh, rays);
  }
}

}  // namespace

std::span<const Target> build_targets() {
  static constexpr Target targets[] = {{"build", run_build}, {"cells", run_cells}};
  return targets;
}

}  // namespace copse::fuzz
