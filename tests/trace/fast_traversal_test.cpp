// Fast traversal of trees of all layouts, on the host. The kernels run the same code in kernels_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>

#include "builders/bvh/collapse.h"
#include "builders/bvh/sah.h"
#include "builders/geometry/generate.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_wide.h"
#include "tests/trace/oracle.h"
#include "trace/walk/binary_walk.h"
#include "trace/walk/unordered_walk.h"
#include "trace/walk/wide_walk.h"

namespace copse {
namespace {

using detail::Robustness;
using detail::stack_count_unknown;
using detail::StackEntry;
using test::build_host_bvh;
using test::build_host_wide;
using test::difficult_rays;
using test::host_view;
using test::HostBvh;
using test::HostSplit;

/// How often fast traversals of one tree gave up.
struct GaveUp {
  u32 walks = 0;
  u32 tests = 0;
};

/// Takes steps as the kernels do: one by one, or several for which the stack has room.
template <u32 max_steps, class Walk>
void step(Walk& walk, bool one_by_one) {
  NoCounter counter;
  EXPECT_TRUE(walk.is_at_inner());
  if (one_by_one) return walk.step(counter);
  walk.template take_steps<max_steps>(counter);
}

/// Every fast traversal that does not give up finds the expected hit.
template <u32 stack_size = 64, class View>
GaveUp expect_hits(const View& bvh, const TriangleView& view, const std::vector<Ray>& rays,
                   const std::vector<Hit>& expected) {
  constexpr u32 max_steps = stack_size < 64 ? 2 : 4;
  const TriangleTable table{view};
  const auto triangles = detail::triangles_of(table);
  GaveUp gave_up;
  NoCounter counter;
  StackEntry entries[stack_size];
  detail::Walk<decltype(detail::tree_of(bvh)), stack_size, Robustness::fast> walk(detail::tree_of(bvh), entries);
  for (size_t i = 0; i < rays.size(); ++i) {
    walk.begin(rays[i]);
    detail::ClosestTriangle<detail::IndexedTriangles, Robustness::fast> closest(triangles, rays[i]);
    while (!walk.is_done()) {
      if (walk.is_at_leaf()) {
        walk.test_leaf(closest, counter);
      } else {
        step<max_steps>(walk, i % 2 == 0);
      }
    }
    gave_up.walks += walk.gives_up() ? 1 : 0;
    gave_up.tests += closest.gives_up ? 1 : 0;
    if (walk.gives_up() || closest.gives_up) continue;
    const Hit hit = closest.hit(walk.limit());
    EXPECT_TRUE(test::same_bits(hit, expected[i]))
        << test::text(rays[i]) << ": " << test::text(hit) << ", expected " << test::text(expected[i]);
  }
  return gave_up;
}

/// Every traversal for any hit that does not give up finds one where there is one. Returns how many gave up.
template <u32 stack_size = 64, detail::FirstChild first_child = detail::FirstChild::of_far_slot, class Node>
u32 expect_any_hits(const WideBvhView<Node>& bvh, const TriangleView& view, const std::vector<Ray>& rays,
                    const std::vector<Hit>& expected) {
  const TriangleTable table{view};
  const auto triangles = detail::triangles_of(table);
  u32 gave_up = 0;
  NoCounter counter;
  StackEntry entries[stack_size];
  detail::UnorderedWalk<Node, stack_size, first_child> walk(detail::tree_of(bvh), entries);
  for (size_t i = 0; i < rays.size(); ++i) {
    walk.begin(rays[i]);
    detail::AnyTriangle<detail::IndexedTriangles, Robustness::fast> any(triangles, rays[i]);
    while (!walk.is_done()) {
      if (walk.is_at_leaf()) {
        walk.test_leaf(any, counter);
      } else {
        step<2>(walk, i % 2 == 0);
      }
    }
    gave_up += walk.gives_up() ? 1 : 0;
    if (walk.gives_up() || any.gives_up) continue;
    EXPECT_EQ(any.found, is_hit(expected[i])) << test::text(rays[i]);
  }
  return gave_up;
}

/// The same in all layouts, over leaves of 1 and 3 triangles. Returns the maximum of traversals that gave up in
/// one.
u32 expect_hits_in_all_layouts(const Mesh& mesh, const std::vector<Ray>& rays) {
  const std::vector<Hit> expected = test::brute_force_hits({host_view(mesh)}, rays);
  u32 most = 0;
  for (u32 leaf_size : {1, 3}) {
    const HostBvh binary = build_host_bvh(host_view(mesh), leaf_size);
    most = larger(most, expect_hits(binary.view(), host_view(mesh), rays, expected).walks);
    const auto full = build_host_wide<Bvh4Node>(binary);
    most = larger(most, expect_hits(full.view(), host_view(mesh), rays, expected).walks);
    most = larger(most, expect_any_hits(full.view(), host_view(mesh), rays, expected));
    const auto four = build_host_wide<CompressedBvh4Node>(binary);
    most = larger(most, expect_hits(four.view(), host_view(mesh), rays, expected).walks);
    most = larger(most, expect_any_hits(four.view(), host_view(mesh), rays, expected));
    constexpr auto latest = detail::FirstChild::of_latest_exit;
    most = larger(most, expect_any_hits<64, latest>(four.view(), host_view(mesh), rays, expected));
    const auto eight = build_host_wide<CompressedBvh8Node>(binary);
    most = larger(most, expect_hits(eight.view(), host_view(mesh), rays, expected).walks);
    most = larger(most, expect_any_hits(eight.view(), host_view(mesh), rays, expected));
  }
  return most;
}

TEST(FastTraversal, FindsTheHitsOfBruteForceAndNeverGivesUpOnOrdinaryMeshes) {
  const Mesh random = generate_random(400, 0.2f), sphere = generate_sphere(3), grid = generate_grid(14);
  EXPECT_EQ(expect_hits_in_all_layouts(random, difficult_rays(random, 1500, 1)), 0u);
  EXPECT_EQ(expect_hits_in_all_layouts(sphere, difficult_rays(sphere, 1500, 2)), 0u);
  // Rays that do not move along the axis in which a mesh has no extent are left to robust traversal.
  EXPECT_LT(expect_hits_in_all_layouts(grid, difficult_rays(grid, 1500, 3)), 750u);
}

TEST(FastTraversal, FindsTheHitsOfBruteForceFarFromTheOrigin) {
  Mesh mesh = generate_sphere(2);
  for (vec3& p : mesh.positions) p = p * 0.01f + vec3(1000, -2000, 3000);
  expect_hits_in_all_layouts(mesh, difficult_rays(mesh, 1500, 4));
}

TEST(FastTraversal, FindsTheHitsOfBruteForceOnHardMeshesWhereItDoesNotGiveUp) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    SCOPED_TRACE(hard.name);
    if (hard.mesh.positions.empty()) continue;
    expect_hits_in_all_layouts(hard.mesh, difficult_rays(hard.mesh, 240, 5));
  }
}

/// The node's grid begins at -2048 and has a plane at 0. There lies a triangle that the ray meets at a grazing
/// angle. The ray's way to that plane is lost in the rounding of its way from the beginning of the grid.
TEST(FastTraversal, PlanesNearTheRayAreFoundInGridsThatBeginFarAway) {
  Mesh mesh;
  for (float y : {0.0f, -2048.0f, 2000.0f}) {
    const u32 n = u32(mesh.positions.size());
    mesh.positions.insert(mesh.positions.end(), {{-1, y, -1}, {2, y, 0}, {-1, y, 1}});
    mesh.triangles.push_back(uvec3(n, n + 1, n + 2));
  }
  std::vector<Ray> rays;
  for (float slope : {1e-4f, 1e-5f, 1e-6f, 1e-7f}) {
    for (int i = -45; i <= 45; ++i) {
      const vec3 origin(-2, -0.1f * float(i) * slope, 0.01f);
      rays.push_back({origin, 0, vec3(1, slope, 0), infinity});
      rays.push_back({origin, 0, vec3(1, slope, 0.001f), infinity});
    }
  }
  const std::vector<Hit> hits = test::brute_force_hits({host_view(mesh)}, rays);
  EXPECT_GT(std::count_if(hits.begin(), hits.end(), [](const Hit& hit) { return is_hit(hit); }), 100);
  expect_hits_in_all_layouts(mesh, rays);
}

TEST(FastTraversal, GivesUpWhereItsStackIsFull) {
  Mesh mesh;
  const u32 count = 3000;
  for (u32 i = 0; i < count; ++i) {
    const float z = float(i * 1999u % count) / float(count);
    for (const vec3& p : {vec3(0, 0, z), vec3(1, 0, z), vec3(0, 1, z)}) mesh.positions.push_back(p);
    mesh.triangles.push_back(uvec3(3 * i, 3 * i + 1, 3 * i + 2));
  }
  std::vector<Ray> rays;
  for (float x : {0.25f, 0.3f, 0.75f}) rays.push_back({vec3(x, x, -2), 0, vec3(0.001f, 0.002f, 1), infinity});
  const std::vector<Hit> expected = test::brute_force_hits({host_view(mesh)}, rays);
  const HostBvh chain = build_host_bvh(host_view(mesh), 1, HostSplit::chain);
  const HostBvh halves = build_host_bvh(host_view(mesh), 1);
  const auto long_wide = build_host_wide<CompressedBvh4Node>(chain);
  const auto flat_wide = build_host_wide<CompressedBvh4Node>(halves);
  EXPECT_GT(expect_hits<8>(long_wide.view(), host_view(mesh), rays, expected).walks, 0u);
  EXPECT_GT(expect_hits<8>(flat_wide.view(), host_view(mesh), rays, expected).walks, 0u);
  EXPECT_EQ(expect_hits(flat_wide.view(), host_view(mesh), rays, expected).walks, 0u);
  EXPECT_GT(expect_hits(chain.view(), host_view(mesh), rays, expected).walks, 0u);
  EXPECT_GT(expect_hits<8>(halves.view(), host_view(mesh), rays, expected).walks, 0u);
  EXPECT_EQ(expect_hits<16>(halves.view(), host_view(mesh), rays, expected).walks, 0u);

  // A ray beside the triangles, in all boxes. It visits every node, and has one entry per level.
  const Ray beside{vec3(0.75f, 0.75f, -2), 0, vec3(0.001f, 0.002f, 1), infinity};
  EXPECT_EQ(expect_any_hits<3>(flat_wide.view(), host_view(mesh), {beside}, {Hit{infinity, invalid_id, 0, 0, 0}}),
            1u);
  EXPECT_EQ(expect_any_hits(flat_wide.view(), host_view(mesh), {beside}, {Hit{infinity, invalid_id, 0, 0, 0}}),
            0u);
  EXPECT_EQ(expect_any_hits(long_wide.view(), host_view(mesh), {beside}, {Hit{infinity, invalid_id, 0, 0, 0}}),
            1u);
}

/// A cloud around the origin of the rays, which they pass through, and a wall behind it.
Mesh cloud_and_wall(const vec3& direction) {
  Mesh mesh = generate_random(4000, 0.02f);  // between 0 and 1
  for (vec3& p : mesh.positions) p = p - vec3(0.5f);
  for (u32 corner = 0; corner < 3; ++corner) {
    vec3 across(corner == 0 ? -30 : corner == 1 ? 30 : 0, corner == 2 ? 30 : -30, 0);
    if (direction.x != 0) across = vec3(0, across.x, across.y);
    if (direction.y != 0) across = vec3(across.x, 0, across.y);
    mesh.positions.push_back(5.0f * direction + across);
  }
  const u32 n = u32(mesh.positions.size());
  mesh.triangles.push_back(uvec3(n - 3, n - 2, n - 1));
  return mesh;
}

TEST(FastTraversal, AnyHitsLookAtTheFarSideFirst) {
  Context context({.backend = Backend::cpu});
  for (const vec3& direction :
       {vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1), vec3(-1, 0, 0), vec3(0, -1, 0), vec3(0, 0, -1)}) {
    const Mesh mesh = cloud_and_wall(direction);
    const CompressedBvh4 wide =
        collapse<CompressedBvh4>(context, build(context, host_view(mesh), SahOptions{.rotation_passes = 0}));
    const TriangleTable table{host_view(mesh)};
    const Ray ray{vec3(0), 0, direction + vec3(0.01f, 0.02f, 0.03f), infinity};
    StackEntry entries[64];
    const auto visits = [&](auto& walk) {
      VisitCounter counter;
      detail::AnyTriangle<detail::IndexedTriangles, Robustness::fast> any(detail::triangles_of(table), ray);
      walk.begin(ray);
      detail::walk_to_end(walk, any, counter);
      EXPECT_TRUE(any.found);
      return counter.nodes;
    };
    const auto tree = detail::tree_of(wide.view());
    detail::Walk<detail::WideTree<CompressedBvh4Node>, 64, Robustness::fast> ordered(tree, entries);
    detail::UnorderedWalk<CompressedBvh4Node, 64> unordered(tree, entries);
    const u32 far_first = visits(unordered), near_first = visits(ordered);
    EXPECT_LT(2 * far_first, near_first) << direction.x << ' ' << direction.y << ' ' << direction.z;
  }
}

TEST(FastTraversal, LeavesOfManyTrianglesAreTestedWhole) {
  const Mesh mesh = generate_random(1000, 0.3f);
  const std::vector<Ray> rays = difficult_rays(mesh, 300, 6);
  const std::vector<Hit> expected = test::brute_force_hits({host_view(mesh)}, rays);
  for (u32 leaf_size : {32, 61, 62, 63, 64, 200, 255}) {
    const HostBvh binary = build_host_bvh(host_view(mesh), leaf_size);
    const auto full = build_host_wide<Bvh4Node>(binary);
    EXPECT_EQ(expect_hits(full.view(), host_view(mesh), rays, expected).walks, 0u);
    const u32 in_binary = expect_hits(binary.view(), host_view(mesh), rays, expected).walks;
    EXPECT_TRUE(in_binary == 0 || leaf_size >= stack_count_unknown) << leaf_size;
    if (leaf_size > 61) continue;
    const auto four = build_host_wide<CompressedBvh4Node>(binary);
    EXPECT_EQ(expect_hits(four.view(), host_view(mesh), rays, expected).walks, 0u);
  }
}

}  // namespace
}  // namespace copse
