// Batches on the CPU by every instruction set that this machine has. All give the bits of a single ray in
// trace/traverse.h, and of brute force.

#include <gtest/gtest.h>

#include "builders/bvh/collapse.h"
#include "builders/bvh/hploc.h"
#include "builders/geometry/generate.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/simd_targets.h"
#include "tests/trace/all_layouts.h"
#include "tests/trace/slivers.h"
#include "tests/trace/uneven_rays.h"
#include "trace/batch/cpu/stay_together.h"
#include "trace/camera.h"

namespace copse {
namespace {

using test::build_host_bvh;
using test::build_host_wide;
using test::DeviceMesh;
using test::difficult_rays;
using test::host_view;
using test::HostBvh;
using test::HostSplit;

class SimdRays : public test::OnEachSimdTarget {
 protected:
  Context& context() { return context_; }

  void expect_hits_in_all_layouts(const Mesh& mesh, const HostBvh& binary, const std::vector<Ray>& rays,
                                  const std::vector<Hit>& expected) {
    test::expect_hits_in_all_layouts(context_, mesh, binary, rays, expected);
  }

  /// Over fetched and over packed triangles.
  template <class Tree>
  void expect_masked_hits(const Tree& tree, const std::vector<TriangleView>& views, const std::vector<Ray>& rays,
                          const std::vector<u32>& masks, const std::vector<Hit>& expected) {
    const PackedTriangles packed = pack_triangles(context_, tree.view(), views);
    const Buffer<Ray> batch(context_, rays);
    const Buffer<u32> batch_masks(context_, masks);
    Buffer<Hit> hits(context_, rays.size());
    Buffer<u8> occluded(context_, rays.size());
    for (const TraceTriangles& triangles :
         {TraceTriangles(views), TraceTriangles(packed.view(), packed.masks.span())}) {
      for (const TraceKernel kernel : {TraceKernel::thread_per_ray, TraceKernel::packets}) {
        const TraceOptions options{.kernel = kernel, .masks = batch_masks.span()};
        closest_hits(context_, tree.view(), triangles, batch.span(), hits.span(), options);
        any_hits(context_, tree.view(), triangles, batch.span(), occluded.span(), options);
        ASSERT_NO_FATAL_FAILURE(
            test::expect_results(name_of(kernel), rays, hits.download(), occluded.download(), expected));
      }
    }
  }

 private:
  Context context_{{.backend = Backend::cpu}};
};

std::vector<Hit> brute_force(const Mesh& mesh, const std::vector<Ray>& rays) {
  return test::brute_force_hits({host_view(mesh)}, rays);
}

std::vector<Hit> one_by_one(const Mesh& mesh, const HostBvh& bvh, const std::vector<Ray>& rays) {
  std::vector<Hit> hits;
  for (const Ray& ray : rays) hits.push_back(closest_hit(bvh.view(), host_view(mesh), ray));
  return hits;
}

TEST_P(SimdRays, FindTheHitsOfBruteForceAmongRandomTriangles) {
  const Mesh mesh = generate_random(400, 0.2f);
  const std::vector<Ray> rays = difficult_rays(mesh, 1001, 1);
  const std::vector<Hit> expected = brute_force(mesh, rays);
  for (u32 leaf_size : {1, 3}) {
    expect_hits_in_all_layouts(mesh, build_host_bvh(host_view(mesh), leaf_size), rays, expected);
  }
}

TEST_P(SimdRays, FindTheHitsOfBruteForceOnHardMeshes) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    SCOPED_TRACE(hard.name);
    if (hard.mesh.positions.empty()) continue;
    const std::vector<Ray> rays = difficult_rays(hard.mesh, 163, 4);
    ASSERT_NO_FATAL_FAILURE(expect_hits_in_all_layouts(hard.mesh, build_host_bvh(host_view(hard.mesh), 2), rays,
                                                       brute_force(hard.mesh, rays)));
  }
}

TEST_P(SimdRays, FindTheHitsOfBruteForceAmongSlivers) {
  for (u32 seed : {10, 11}) {  // in a diagonal plane, and in any
    const test::SliverScene scene(seed);
    const std::vector<Hit> expected = brute_force(scene.mesh, scene.rays);
    for (u32 leaf_size : {2, 7}) {
      const HostBvh binary = build_host_bvh(host_view(scene.mesh), leaf_size);
      ASSERT_NO_FATAL_FAILURE(expect_hits_in_all_layouts(scene.mesh, binary, scene.rays, expected));
    }
  }
}

TEST_P(SimdRays, FindTheHitsOfBruteForceWhereNumbersUnderflow) {
  for (u32 seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    const test::UnevenScene scene(seed);
    ASSERT_NO_FATAL_FAILURE(expect_hits_in_all_layouts(scene.mesh, build_host_bvh(host_view(scene.mesh), 2),
                                                       scene.rays, brute_force(scene.mesh, scene.rays)));
  }
}

TEST_P(SimdRays, TestAllTrianglesOfFullLeaves) {
  const Mesh mesh = generate_random(600, 0.3f);
  const std::vector<Ray> rays = difficult_rays(mesh, 200, 5);
  const std::vector<Hit> expected = brute_force(mesh, rays);
  for (u32 leaf_size : {4, 5, 8, 63, 200}) {
    expect_hits_in_all_layouts(mesh, build_host_bvh(host_view(mesh), leaf_size), rays, expected);
  }
}

/// Leaves hold triangles of two views. A ray sees both, one or none of them.
TEST_P(SimdRays, PassOverTrianglesOfOtherMasks) {
  const Mesh first = generate_random(200, 0.3f), second = generate_sphere(2);
  const DeviceMesh one(context(), first), two(context(), second);
  const std::vector<Ray> rays = difficult_rays(second, 501, 11);
  std::vector<TriangleView> views = {one.view(), two.view()}, host = {host_view(first), host_view(second)};
  std::vector<u32> masks;
  std::vector<Hit> expected;
  for (u32 i = 0; i < 2; ++i) views[i].geometry = host[i].geometry = 5 + i, views[i].mask = 1u << i;
  for (u32 i = 0; i < rays.size(); ++i) {
    std::vector<TriangleView> seen;
    masks.push_back(i % 4);
    for (u32 k = 0; k < 2; ++k) {
      if ((masks[i] >> k & 1) != 0) seen.push_back(host[k]);
    }
    expected.push_back(test::brute_force_hit(seen, rays[i]));
  }
  const Bvh binary = build(context(), views, HplocOptions{.max_leaf_size = 3});
  expect_masked_hits(binary, views, rays, masks, expected);
  expect_masked_hits(collapse<Bvh4>(context(), binary, {.max_leaf_size = 6}), views, rays, masks, expected);
  expect_masked_hits(collapse<CompressedBvh4>(context(), binary), views, rays, masks, expected);
  expect_masked_hits(collapse<CompressedBvh8>(context(), binary), views, rays, masks, expected);
}

/// Pictures of a scene from six sides. Neighbouring rays stay together, and the signs of their directions change.
TEST_P(SimdRays, FollowNeighboursTogether) {
  const Mesh mesh = generate_hairball(60, 40);
  const HostBvh bvh = build_host_bvh(host_view(mesh), 3);
  const vec3 middle = centroid(bounds(mesh));
  for (int axis = 0; axis < 3; ++axis) {
    for (float side : {-1.0f, 1.0f}) {
      std::vector<Ray> rays;
      for (u32 i = 0; i < 4096; ++i) {
        const float x = float(i % 64) / 63 - 0.5f, y = float(i / 64) / 63 - 0.5f;
        vec3 direction(x, y, y);
        direction[(axis + 1) % 3] = x, direction[axis] = -side;
        rays.push_back({middle, 0, direction, infinity});
        rays.back().origin[axis] += 2 * side;
      }
      ASSERT_NO_FATAL_FAILURE(expect_hits_in_all_layouts(mesh, bvh, rays, one_by_one(mesh, bvh, rays)));
    }
  }
}

TEST_P(SimdRays, BatchesOfAnySizeAreTracedWhole) {
  const Mesh mesh = generate_sphere(2);
  const HostBvh bvh = build_host_bvh(host_view(mesh), 2);
  for (u32 count : {0u, 1u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 2047u, 2048u, 2049u}) {
    const std::vector<Ray> rays = difficult_rays(mesh, count, 3);
    ASSERT_NO_FATAL_FAILURE(expect_hits_in_all_layouts(mesh, bvh, rays, one_by_one(mesh, bvh, rays)));
  }
}

/// Trees are deeper than the stacks.
TEST_P(SimdRays, FollowAChainOfTenThousand) {
  const Mesh mesh = test::chain_mesh();
  std::vector<Ray> rays;
  for (u32 i = 0; i < 20; ++i) {
    const float x = 0.2f + 0.03f * float(i), sign = i % 3 == 0 ? -1.0f : 1.0f;
    rays.push_back({vec3(x, x, i % 2 == 0 ? 0.5f : -2 * sign), 0, vec3(0, 0.001f, sign), infinity});
  }
  expect_hits_in_all_layouts(mesh, build_host_bvh(host_view(mesh), 1, HostSplit::chain), rays,
                             brute_force(mesh, rays));
}

/// Most rays end at once. The stragglers of many groups go on together, in lanes that others left. Some of them
/// give up in a chain that is deeper than the stacks.
TEST_P(SimdRays, ArriveLateAmongManyThatArriveAtOnce) {
  const Mesh mesh = test::chain_mesh(1500);
  std::vector<Ray> rays;
  for (u32 i = 0; i < 501; ++i) {
    const float x = 0.1f + 0.0015f * float(i), sign = i % 3 == 0 ? -1.0f : 1.0f;
    const bool is_late = i % 7 == 0 || i % 16 == 3;
    rays.push_back({vec3(x, x, i % 2 == 0 ? 0.5f : -2 * sign), 0, vec3(0, i % 5 == 0 ? 0.0f : 0.001f, sign),
                    is_late ? infinity : 1e-4f});
  }
  expect_hits_in_all_layouts(mesh, build_host_bvh(host_view(mesh), 1, HostSplit::chain), rays,
                             brute_force(mesh, rays));
}

/// Leaves are read four triangles at a time.
TEST_P(SimdRays, FindFewerTrianglesThanLanes) {
  const Mesh whole = generate_random(7, 0.5f);
  for (u32 count = 1; count <= whole.triangles.size(); ++count) {
    Mesh mesh = whole;
    mesh.triangles.resize(count);
    const std::vector<Ray> rays = difficult_rays(mesh, 203, 12);
    for (u32 leaf_size : {1, 2, 3, 7}) {
      ASSERT_NO_FATAL_FAILURE(expect_hits_in_all_layouts(mesh, build_host_bvh(host_view(mesh), leaf_size), rays,
                                                         brute_force(mesh, rays)));
    }
  }
}

/// Rays in a soup of large triangles are in so many boxes that they do not descend to all of them together.
TEST_P(SimdRays, LeaveInAllDirectionsFromWhereTheyBegin) {
  const Mesh mesh = generate_random(900, 0.6f);
  test::RayMaker make(13);
  std::vector<Ray> rays;
  for (u32 i = 0; i < 1003; ++i) {
    const vec3 near = make.point(-0.001f, 0.001f), middle = vec3(0.25f) * float(i / 256);
    const vec3 direction = make.point(-1, 1);
    rays.push_back({middle + near, i % 3 == 0 ? 0.05f : 0, direction, i % 5 == 0 ? 0.3f : infinity});
  }
  const std::vector<Hit> expected = brute_force(mesh, rays);
  for (u32 leaf_size : {1, 4}) {
    expect_hits_in_all_layouts(mesh, build_host_bvh(host_view(mesh), leaf_size), rays, expected);
  }
}

TEST_P(SimdRays, EqualDistancesGiveTheSmallestId) {
  Mesh mesh = generate_random(50, 0.5f);
  const std::vector<uvec3> once = mesh.triangles;
  for (int copy = 0; copy < 6; ++copy) mesh.triangles.insert(mesh.triangles.end(), once.rbegin(), once.rend());
  const std::vector<Ray> rays = difficult_rays(mesh, 500, 7);
  expect_hits_in_all_layouts(mesh, build_host_bvh(host_view(mesh), 3), rays, brute_force(mesh, rays));
}

TEST_P(SimdRays, TreesWithoutPrimitivesAreMissed) {
  const Mesh mesh = generate_cube();
  const HostBvh nothing = build_host_bvh(std::vector<Aabb>{});
  const std::vector<Ray> rays = difficult_rays(mesh, 40, 8);
  std::vector<Hit> expected;
  for (const Ray& ray : rays) expected.push_back({ray.t_max, invalid_id, invalid_id, 0, 0});
  test::expect_hits(context(), build_host_wide<Bvh4Node>(nothing).view(), TriangleView{}, rays, expected);
  test::expect_hits(context(), build_host_wide<CompressedBvh4Node>(nothing).view(), TriangleView{}, rays,
                    expected);
  test::expect_hits(context(), build_host_wide<CompressedBvh8Node>(nothing).view(), TriangleView{}, rays,
                    expected);
}

/// Rays from within a closed mesh at its edges and vertices: none slips through.
TEST_P(SimdRays, DoNotSlipThroughTheEdgesOfALargeClosedMesh) {
  const Mesh mesh = generate_sphere(4);
  const DeviceMesh device(context(), mesh);
  const HostBvh binary = build_host_bvh(host_view(mesh), 2);
  const WideBvh<CompressedBvh8Node> wide = build_host_wide<CompressedBvh8Node>(binary).upload(context());
  const WideBvh<Bvh4Node> four = build_host_wide<Bvh4Node>(binary).upload(context());
  test::RayMaker make(9);
  std::vector<Ray> rays;
  for (u32 i = 0; i < (1u << 18); ++i) {
    const uvec3 corners = mesh.triangles[make.below(u32(mesh.triangles.size()))];
    const vec3 a = mesh.positions[corners.x], b = mesh.positions[corners.y];
    const vec3 origin = i % 2 == 0 ? vec3(0) : make.point(-0.4f, 0.4f);
    const float along = i % 4 == 3 ? 0.0f : make.uniform(0, 1);
    rays.push_back({origin, 0, a + along * (b - a) - origin, infinity});
  }
  const Buffer<Ray> batch(context(), rays);
  Buffer<u8> occluded(context(), rays.size());
  for (const TreeView& tree : {TreeView(wide.view()), TreeView(four.view())}) {
    for (TraceKernel kernel : {TraceKernel::thread_per_ray, TraceKernel::packets}) {
      any_hits(context(), tree, device.view(), batch.span(), occluded.span(), {.kernel = kernel});
      const std::vector<u8> found = occluded.download();
      EXPECT_EQ(std::count(found.begin(), found.end(), u8(0)), 0) << name_of(kernel);
    }
  }
}

COPSE_ON_EACH_SIMD_TARGET(SimdRays);

// ---- The choice of packets ------------------------------------------------------------------------------------

std::vector<Ray> tile_of_rays(u32 count, float spread) {
  std::vector<Ray> rays;
  for (u32 i = 0; i < count; ++i) {
    rays.push_back({vec3(0, 0, 3), 0, vec3(spread * float(i % 4), spread * float(i / 4 % 4), -1), infinity});
  }
  return rays;
}

TEST(StayTogether, SaysWhetherNeighboursGoTheSameWay) {
  const Aabb bounds{vec3(-1), vec3(1)};
  const auto together = [](const std::vector<Ray>& rays, const Aabb& bounds) {
    return cpu::stay_together([&](u64 i) { return rays[i]; }, rays.size(), bounds);
  };
  EXPECT_TRUE(together(tile_of_rays(4096, 0.001f), bounds));
  EXPECT_TRUE(together(tile_of_rays(5, 0.001f), bounds));
  EXPECT_FALSE(together(tile_of_rays(4096, 0.1f), bounds));
  EXPECT_FALSE(together({}, bounds));

  std::vector<Ray> apart = tile_of_rays(4096, 0.001f);
  for (u32 i = 0; i < apart.size(); i += 2) apart[i].origin.x = 1;
  EXPECT_FALSE(together(apart, bounds));

  std::vector<Ray> none = tile_of_rays(4096, 0.001f);
  for (Ray& ray : none) ray.direction = vec3(0);
  EXPECT_FALSE(together(none, bounds));
  EXPECT_FALSE(together(none, Aabb::empty()));
}

TEST(StayTogether, ChoosesPacketsForABatch) {
  Context context({.backend = Backend::cpu});
  const Mesh mesh = generate_sphere(2);
  const DeviceMesh device(context, mesh);
  const Bvh bvh = build(context, device.view(), HplocOptions{});
  Buffer<u32> word(context, 1);
  for (float spread : {0.001f, 0.3f}) {
    const Buffer<Ray> rays(context, tile_of_rays(1000, spread));
    Buffer<Hit> hits(context, rays.size());
    closest_hits(context, bvh.view(), device.view(), rays.span(), hits.span(), {.chosen = word.span()});
    EXPECT_EQ(TraceKernel(word.download()[0]), spread < 0.1f ? TraceKernel::packets : TraceKernel::thread_per_ray);
  }
}

}  // namespace
}  // namespace copse
