// Wide trees and packed triangles, on the host. The kernels run the same code in kernels_test.cpp.

#include <gtest/gtest.h>

#include <algorithm>

#include "builders/geometry/generate.h"
#include "tests/support/hard_meshes.h"
#include "tests/trace/all_layouts.h"
#include "trace/traverse.h"

namespace copse {
namespace {

using test::brute_force_hit;
using test::build_host_bvh;
using test::build_host_wide;
using test::difficult_rays;
using test::host_view;
using test::HostBvh;
using test::HostSplit;

std::vector<PackedTriangle> pack(const TriangleView& view, const std::vector<u32>& primitive_ids) {
  std::vector<PackedTriangle> packed;
  for (u32 id : primitive_ids) {
    const Triangle t = load_triangle(view, id);
    packed.push_back({t.a, id, t.b, view.geometry, t.c, id});
  }
  return packed;
}

template <class View>
void expect_hits(const View& bvh, const std::vector<u32>& primitive_ids, const TriangleView& triangles,
                 const std::vector<Ray>& rays, const std::vector<Hit>& expected) {
  const std::vector<PackedTriangle> packed = pack(triangles, primitive_ids);
  const BufferSpan<const PackedTriangle> span(packed.data(), packed.size());
  for (size_t i = 0; i < rays.size(); ++i) {
    const Hit indexed = closest_hit(bvh, triangles, rays[i]), placed = closest_hit(bvh, span, rays[i]);
    ASSERT_TRUE(test::same_bits(indexed, expected[i]))
        << test::text(rays[i]) << ": " << test::text(indexed) << ", expected " << test::text(expected[i]);
    ASSERT_TRUE(test::same_bits(placed, expected[i])) << test::text(rays[i]) << ": " << test::text(placed);
    ASSERT_EQ(any_hit(bvh, triangles, rays[i]), is_hit(expected[i])) << test::text(rays[i]);
    ASSERT_EQ(any_hit(bvh, span, rays[i]), is_hit(expected[i])) << test::text(rays[i]);
  }
}

/// All layouts over leaves of 1 and 3 triangles give the hits of brute force.
void expect_hits_of_brute_force(const Mesh& mesh, const std::vector<Ray>& rays) {
  const TriangleView triangles = host_view(mesh);
  const std::vector<Hit> expected = test::brute_force_hits({triangles}, rays);
  for (u32 leaf_size : {1, 3}) {
    const HostBvh binary = build_host_bvh(triangles, leaf_size);
    expect_hits(binary.view(), binary.primitive_ids, triangles, rays, expected);
    const auto full = build_host_wide<Bvh4Node>(binary);
    expect_hits(full.view(), full.primitive_ids, triangles, rays, expected);
    const auto four = build_host_wide<CompressedBvh4Node>(binary);
    expect_hits(four.view(), four.primitive_ids, triangles, rays, expected);
    const auto eight = build_host_wide<CompressedBvh8Node>(binary);
    expect_hits(eight.view(), eight.primitive_ids, triangles, rays, expected);
  }
}

TEST(Layouts, FindTheHitsOfBruteForceAmongRandomTriangles) {
  const Mesh mesh = generate_random(400, 0.2f);
  expect_hits_of_brute_force(mesh, difficult_rays(mesh, 1500, 1));
}
TEST(Layouts, FindTheHitsOfBruteForceOnAFlatGrid) {
  const Mesh mesh = generate_grid(14);
  expect_hits_of_brute_force(mesh, difficult_rays(mesh, 1500, 2));
}
TEST(Layouts, FindTheHitsOfBruteForceOnASphere) {
  const Mesh mesh = generate_sphere(3);
  expect_hits_of_brute_force(mesh, difficult_rays(mesh, 1500, 3));
}
TEST(Layouts, FindTheHitsOfBruteForceFarFromTheOrigin) {
  Mesh mesh = generate_sphere(2);
  for (vec3& p : mesh.positions) p = p * 0.01f + vec3(1000, -2000, 3000);
  expect_hits_of_brute_force(mesh, difficult_rays(mesh, 1500, 4));
}

TEST(Layouts, FindTheHitsOfBruteForceOnHardMeshes) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    SCOPED_TRACE(hard.name);
    if (hard.mesh.positions.empty()) continue;
    const std::vector<Ray> rays = difficult_rays(hard.mesh, 240, 5);
    ASSERT_NO_FATAL_FAILURE(expect_hits_of_brute_force(hard.mesh, rays));
  }
}

TEST(Layouts, MissWithoutPrimitives) {
  const HostBvh nothing = build_host_bvh(std::vector<Aabb>{});
  const Ray ray{vec3(0), 0, vec3(0, 0, 1), 5};
  const TriangleView none;
  for (const Hit& hit : {closest_hit(build_host_wide<Bvh4Node>(nothing).view(), none, ray),
                         closest_hit(build_host_wide<CompressedBvh4Node>(nothing).view(), none, ray),
                         closest_hit(build_host_wide<CompressedBvh8Node>(nothing).view(), none, ray)}) {
    EXPECT_FALSE(is_hit(hit));
    EXPECT_EQ(hit.t, 5);
  }
}

/// Leaves of more triangles than an entry of the stack can count.
TEST(Layouts, LeavesOfManyTrianglesAreTestedWhole) {
  const Mesh mesh = generate_random(1000, 0.3f);
  const TriangleView triangles = host_view(mesh);
  const std::vector<Ray> rays = difficult_rays(mesh, 400, 6);
  const std::vector<Hit> expected = test::brute_force_hits({triangles}, rays);
  for (u32 leaf_size : {62, 63, 64, 200, 255}) {
    const HostBvh binary = build_host_bvh(triangles, leaf_size);
    expect_hits(binary.view(), binary.primitive_ids, triangles, rays, expected);
    const auto full = build_host_wide<Bvh4Node>(binary);
    expect_hits(full.view(), full.primitive_ids, triangles, rays, expected);
    const auto four = build_host_wide<CompressedBvh4Node>(binary);
    expect_hits(four.view(), four.primitive_ids, triangles, rays, expected);
  }
}

// ---- Stacks that overflow -----------------------------------------------------------------------------------

template <u32 size, class View>
void expect_visits_of_a_large_stack(const View& bvh, const TriangleView& triangles, const Ray& ray,
                                    const Hit& expected, const VisitCounter& visits) {
  VisitCounter counter;
  const Hit hit = closest_hit<size>(bvh, TriangleTable{triangles}, ray, counter);
  ASSERT_TRUE(test::same_bits(hit, expected)) << size << ": " << test::text(ray);
  ASSERT_EQ(counter.nodes, visits.nodes) << size << ": " << test::text(ray);
  ASSERT_EQ(counter.primitives, visits.primitives) << size << ": " << test::text(ray);
}

template <class View>
void expect_stack_size_does_not_matter(const View& bvh, const TriangleView& triangles,
                                       const std::vector<Ray>& rays) {
  for (const Ray& ray : rays) {
    VisitCounter visits;
    const Hit expected = closest_hit<1024>(bvh, TriangleTable{triangles}, ray, visits);
    ASSERT_NO_FATAL_FAILURE(expect_visits_of_a_large_stack<1>(bvh, triangles, ray, expected, visits));
    ASSERT_NO_FATAL_FAILURE(expect_visits_of_a_large_stack<2>(bvh, triangles, ray, expected, visits));
    ASSERT_NO_FATAL_FAILURE(expect_visits_of_a_large_stack<4>(bvh, triangles, ray, expected, visits));
    ASSERT_NO_FATAL_FAILURE(expect_visits_of_a_large_stack<32>(bvh, triangles, ray, expected, visits));
  }
}

void expect_stack_size_does_not_matter_in_any_layout(const HostBvh& binary, const TriangleView& triangles,
                                                     const std::vector<Ray>& rays) {
  expect_stack_size_does_not_matter(binary.view(), triangles, rays);
  const auto full = build_host_wide<Bvh4Node>(binary);
  expect_stack_size_does_not_matter(full.view(), triangles, rays);
  const auto four = build_host_wide<CompressedBvh4Node>(binary);
  expect_stack_size_does_not_matter(four.view(), triangles, rays);
  const auto eight = build_host_wide<CompressedBvh8Node>(binary);
  expect_stack_size_does_not_matter(eight.view(), triangles, rays);
}

TEST(WideStack, OfAnySizeVisitsTheSameNodesOfARandomTree) {
  const Mesh mesh = generate_random(2000, 0.3f);
  expect_stack_size_does_not_matter_in_any_layout(build_host_bvh(host_view(mesh), 2), host_view(mesh),
                                                  difficult_rays(mesh, 400, 9));
}

TEST(WideStack, OfAnySizeVisitsTheSameNodesWhereAllBoxesAreEqual) {
  Mesh mesh = generate_cube();
  const std::vector<uvec3> once = mesh.triangles;
  for (int copy = 0; copy < 30; ++copy) mesh.triangles.insert(mesh.triangles.end(), once.begin(), once.end());
  expect_stack_size_does_not_matter_in_any_layout(build_host_bvh(host_view(mesh)), host_view(mesh),
                                                  difficult_rays(mesh, 200, 10));
}

TEST(WideStack, OverflowsInAChainOfTenThousandWithoutLosingAHit) {
  const Mesh mesh = test::chain_mesh();
  const HostBvh chain = build_host_bvh(host_view(mesh), 1, HostSplit::chain);
  std::vector<Ray> rays;
  for (float sign : {1.0f, -1.0f}) {
    const vec3 direction(0, 0, sign);
    rays.push_back({vec3(0.25f, 0.25f, -2 * sign), 0, direction, infinity});
    rays.push_back({vec3(0.25f, 0.25f, 0.5f), 0, direction, infinity});
    rays.push_back({vec3(0.75f, 0.75f, 0.5f), -2, direction, infinity});  // in every box, in no triangle
  }
  const TriangleView triangles = host_view(mesh);
  const auto eight = build_host_wide<CompressedBvh8Node>(chain);
  for (const Ray& ray : rays) {
    ASSERT_TRUE(test::same_bits(closest_hit(eight.view(), triangles, ray), brute_force_hit({triangles}, ray)));
  }
  expect_stack_size_does_not_matter_in_any_layout(chain, triangles, rays);
}

// ---- All hits -----------------------------------------------------------------------------------------------

struct HitList {
  std::vector<Hit> hits;
  size_t most;
  bool operator()(const Hit& hit) {
    hits.push_back(hit);
    return hits.size() < most;
  }
};

std::vector<Hit> brute_force_hits(const TriangleView& triangles, const Ray& ray) {
  std::vector<Hit> hits;
  if (!is_traceable(ray)) return hits;
  const RayShear shear = make_shear(ray);
  for (u32 i = 0; i < triangles.triangle_count(); ++i) {
    TriangleHit hit;
    if (!intersect_triangle(shear, load_triangle(triangles, i), ray.t_min, ray.t_max, hit)) continue;
    hits.push_back({hit.t, i, triangles.geometry, hit.u, hit.v});
  }
  std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.t < b.t; });
  return hits;
}

template <class View>
void expect_all_hits_in_order(const View& bvh, const TriangleView& triangles, const std::vector<Ray>& rays) {
  size_t several = 0;
  for (const Ray& ray : rays) {
    const std::vector<Hit> expected = brute_force_hits(triangles, ray);
    HitList list{{}, ~size_t{0}}, two{{}, 2};
    all_hits(bvh, triangles, ray, list);
    all_hits(bvh, triangles, ray, two);
    ASSERT_EQ(list.hits.size(), expected.size()) << test::text(ray);
    for (size_t i = 0; i < expected.size(); ++i) ASSERT_TRUE(test::same_bits(list.hits[i], expected[i]));
    ASSERT_EQ(two.hits.size(), std::min(expected.size(), size_t{2}));
    several += expected.size() > 2;
  }
  EXPECT_GT(several, rays.size() / 20);
}

TEST(AllHits, ComeInOrderOfDistanceAndIdThroughAnyLayout) {
  Mesh mesh = generate_random(300, 0.4f);
  for (u32 i = 0; i < 100; ++i) mesh.triangles.push_back(mesh.triangles[3 * i]);  // equal distances
  const TriangleView triangles = host_view(mesh);
  const std::vector<Ray> rays = difficult_rays(mesh, 400, 12);
  const HostBvh binary = build_host_bvh(triangles, 2);
  expect_all_hits_in_order(binary.view(), triangles, rays);
  expect_all_hits_in_order(build_host_wide<Bvh4Node>(binary).view(), triangles, rays);
  expect_all_hits_in_order(build_host_wide<CompressedBvh4Node>(binary).view(), triangles, rays);
  expect_all_hits_in_order(build_host_wide<CompressedBvh8Node>(binary).view(), triangles, rays);
}

}  // namespace
}  // namespace copse
