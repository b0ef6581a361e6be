#include "trace/traverse.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "builders/geometry/generate.h"
#include "tests/support/host_bvh.h"
#include "tests/trace/oracle.h"

// Traversal on the host. The kernels run the same code in trace_rays_test.cpp.

namespace copse {
namespace {

using test::brute_force_hit;
using test::build_host_bvh;
using test::difficult_rays;
using test::host_view;
using test::HostBvh;
using test::HostSplit;
using test::RayMaker;

void expect_hits_of_brute_force(const Mesh& mesh, const HostBvh& bvh, const std::vector<Ray>& rays) {
  const TriangleView triangles = host_view(mesh);
  u32 hit_count = 0;
  for (const Ray& ray : rays) {
    const Hit expected = brute_force_hit({triangles}, ray);
    const Hit hit = closest_hit(bvh.view(), triangles, ray);
    ASSERT_TRUE(test::same_bits(hit, expected))
        << test::text(ray) << ": " << test::text(hit) << ", expected " << test::text(expected);
    ASSERT_EQ(any_hit(bvh.view(), triangles, ray), is_hit(expected)) << test::text(ray);
    hit_count += is_hit(hit);
  }
  EXPECT_GT(hit_count, rays.size() / 20);
}

TEST(Traverse, FindsTheHitsOfBruteForceAmongRandomTriangles) {
  const Mesh mesh = generate_random(500, 0.2f);
  for (u32 leaf_size : {1, 4}) {
    expect_hits_of_brute_force(mesh, build_host_bvh(host_view(mesh), leaf_size), difficult_rays(mesh, 2000, 1));
  }
}

TEST(Traverse, FindsTheHitsOfBruteForceOnAFlatGrid) {
  const Mesh mesh = generate_grid(16);
  expect_hits_of_brute_force(mesh, build_host_bvh(host_view(mesh)), difficult_rays(mesh, 2000, 2));
}

TEST(Traverse, FindsTheHitsOfBruteForceOnASphere) {
  const Mesh mesh = generate_sphere(3);
  expect_hits_of_brute_force(mesh, build_host_bvh(host_view(mesh), 2), difficult_rays(mesh, 2000, 3));
}

TEST(Traverse, FindsTheHitsOfBruteForceOnACube) {
  const Mesh mesh = generate_cube();
  expect_hits_of_brute_force(mesh, build_host_bvh(host_view(mesh)), difficult_rays(mesh, 5000, 4));
}

TEST(Traverse, LosesNoRayAtTheEdgeOfLongTriangles) {
  // A floor of two triangles 1000 long, one below the origin. Rays end within 1e-4 of the edge that they share.
  // The rounding of the triangle test is in proportion to the triangles, not to the way to the hit.
  std::mt19937 random(5);
  std::uniform_real_distribution<float> unit(-1, 1);
  const float length = 500;
  for (int floor = 0; floor < 100; ++floor) {
    const float x = unit(random);
    const Mesh mesh{
        .positions = {vec3(x, -1, -length), vec3(x, -1, length), vec3(x - length, -1, length * unit(random)),
                      vec3(x + length, -1, length * unit(random))},
        .triangles = {uvec3(0, 1, 2), uvec3(0, 1, 3)}};
    const HostBvh bvh = build_host_bvh(host_view(mesh));
    std::vector<Ray> rays;
    for (int i = 0; i < 2000; ++i) {
      const vec3 origin = vec3(unit(random), unit(random), unit(random)) * 0.01f;
      const float away = 1.2f + 3 * std::abs(unit(random));
      const vec3 target(x + unit(random) * length * 1.2e-7f, -1, i % 2 == 0 ? away : -away);
      rays.push_back({origin, 0, target - origin, infinity});
    }
    expect_hits_of_brute_force(mesh, bvh, rays);
  }
}

TEST(Traverse, LosesNoDiagonalRayAmongLongTriangles) {
  // Two components of the directions are equal, and the triangles are long along one of these axes alone. The rounding
  // of t is in proportion to the axis that the triangle test takes.
  const float length = 1.6e7f;
  for (u32 seed = 0; seed < 10; ++seed) {
    RayMaker make(seed);
    const auto point = [&] {
      const float x = make.uniform(0, 1), y = make.uniform(0, 1);
      return vec3(x, y, make.uniform(-length, length));
    };
    Mesh mesh;
    for (u32 i = 0; i < 20; ++i) {
      for (u32 k = 0; k < 3; ++k) mesh.positions.push_back(point());
      mesh.triangles.push_back(uvec3(3 * i) + uvec3(0, 1, 2));
    }
    std::vector<Ray> rays;
    for (u32 i = 0; i < 200; ++i) {
      const vec3 direction(i % 2 == 0 ? 1 : -1, make.uniform(-1, 1), i % 4 < 2 ? 1 : -1);
      rays.push_back({point() - make.uniform(0, 4) * direction, 0, direction, infinity});
    }
    expect_hits_of_brute_force(mesh, build_host_bvh(host_view(mesh)), rays);
  }
}

TEST(Traverse, FindsTheHitsOfBruteForceFarFromTheOrigin) {
  Mesh mesh = generate_sphere(2);
  for (vec3& p : mesh.positions) p = p * 0.01f + vec3(1000, -2000, 3000);
  expect_hits_of_brute_force(mesh, build_host_bvh(host_view(mesh)), difficult_rays(mesh, 2000, 5));
}

TEST(Traverse, EqualDistancesGiveTheSmallestId) {
  Mesh mesh = generate_grid(4);
  const std::vector<uvec3> once = mesh.triangles;
  for (int copy = 0; copy < 5; ++copy) mesh.triangles.insert(mesh.triangles.end(), once.begin(), once.end());
  const TriangleView triangles = host_view(mesh);
  const HostBvh bvh = build_host_bvh(triangles);
  RayMaker make(6);
  for (int i = 0; i < 1000; ++i) {
    const vec3 target(float(make.below(17)) / 16, float(make.below(17)) / 16, 0);
    const Ray ray{vec3(0.5f, 0.5f, 1), 0, target - vec3(0.5f, 0.5f, 1), infinity};
    const Hit hit = closest_hit(bvh.view(), triangles, ray);
    ASSERT_TRUE(is_hit(hit));
    ASSERT_LT(hit.primitive, once.size());
    ASSERT_TRUE(test::same_bits(hit, brute_force_hit({triangles}, ray)));
  }
}

TEST(Traverse, MissesWithoutPrimitives) {
  const Mesh mesh;
  const HostBvh bvh = build_host_bvh(host_view(mesh));
  for (const vec3& direction : {vec3(0, 0, 1), vec3(1e-40f, 1e-40f, 1e-40f)}) {
    const Hit hit = closest_hit(bvh.view(), host_view(mesh), {vec3(0), 0, direction, 5});
    EXPECT_FALSE(is_hit(hit));
    EXPECT_EQ(hit.t, 5);
    EXPECT_EQ(hit.geometry, invalid_id);
    EXPECT_FALSE(any_hit(bvh.view(), host_view(mesh), {vec3(0), 0, direction, 5}));
  }
}

TEST(Traverse, FindsASinglePrimitive) {
  Mesh mesh;
  mesh.positions = {vec3(0, 0, 0), vec3(1, 0, 0), vec3(0, 1, 0)};
  mesh.triangles = {uvec3(0, 1, 2)};
  expect_hits_of_brute_force(mesh, build_host_bvh(host_view(mesh)), difficult_rays(mesh, 400, 7));
}

TEST(Traverse, LeavesOutTrianglesThatBecameNan) {
  Mesh mesh = generate_sphere(1);
  const HostBvh bvh = build_host_bvh(host_view(mesh), 4);
  mesh.positions[3].y = std::numeric_limits<float>::quiet_NaN();
  mesh.positions[5].x = infinity;
  const TriangleView triangles = host_view(mesh);
  RayMaker make(8);
  for (int i = 0; i < 1000; ++i) {
    const Ray ray = make.into({vec3(-1), vec3(1)});
    ASSERT_TRUE(test::same_bits(closest_hit(bvh.view(), triangles, ray), brute_force_hit({triangles}, ray)));
  }
}

TEST(Traverse, DenormalDirectionsVisitNoMoreThanZeros) {
  const Mesh mesh = generate_random(2000, 0.05f);
  const HostBvh bvh = build_host_bvh(host_view(mesh));
  RayMaker make(13);
  VisitCounter denormal, zero;
  for (int i = 0; i < 200; ++i) {
    Ray ray{make.point(0, 1), 0, vec3(0, 0, 1), infinity};
    closest_hit(bvh.view(), TriangleTable{host_view(mesh)}, ray, zero);
    ray.direction = vec3(1e-42f, -1e-39f, 1);
    closest_hit(bvh.view(), TriangleTable{host_view(mesh)}, ray, denormal);
  }
  EXPECT_LE(denormal.nodes, zero.nodes * 11 / 10);
}

// ---- Stacks that overflow -----------------------------------------------------------------------------------

/// Traversal visits the same primitives in the same order, whatever the stack's size.
void expect_stack_size_does_not_matter(const HostBvh& bvh, const TriangleView& triangles,
                                       const std::vector<Ray>& rays) {
  for (const Ray& ray : rays) {
    VisitCounter large, one;
    const Hit expected = closest_hit<64>(bvh.view(), triangles, ray);
    ASSERT_TRUE(test::same_bits(closest_hit<1>(bvh.view(), triangles, ray), expected)) << test::text(ray);
    ASSERT_TRUE(test::same_bits(closest_hit<2>(bvh.view(), triangles, ray), expected)) << test::text(ray);
    ASSERT_TRUE(test::same_bits(closest_hit<4>(bvh.view(), triangles, ray), expected)) << test::text(ray);
    ASSERT_EQ(any_hit<1>(bvh.view(), triangles, ray), is_hit(expected));
    closest_hit<64>(bvh.view(), TriangleTable{triangles}, ray, large);
    closest_hit<1>(bvh.view(), TriangleTable{triangles}, ray, one);
    ASSERT_EQ(large.nodes, one.nodes) << test::text(ray);
    ASSERT_EQ(large.primitives, one.primitives) << test::text(ray);
  }
}

TEST(TraversalStack, OfAnySizeVisitsTheSameNodesOfARandomTree) {
  const Mesh mesh = generate_random(3000, 0.3f);
  expect_stack_size_does_not_matter(build_host_bvh(host_view(mesh), 2), host_view(mesh),
                                    difficult_rays(mesh, 800, 9));
}

TEST(TraversalStack, OfAnySizeVisitsTheSameNodesWhereAllBoxesAreEqual) {
  Mesh mesh = generate_cube();
  const std::vector<uvec3> once = mesh.triangles;
  for (int copy = 0; copy < 30; ++copy) mesh.triangles.insert(mesh.triangles.end(), once.begin(), once.end());
  expect_stack_size_does_not_matter(build_host_bvh(host_view(mesh)), host_view(mesh),
                                    difficult_rays(mesh, 400, 10));
}

/// A tree that splits one leaf after another off the rest, so that it is as deep as there are triangles. `order`
/// tells the places of the triangles on a line. So the near child is always the leaf, always the rest, or either.
struct Chain {
  Mesh mesh;
  HostBvh bvh;

  Chain(u32 count, u32 seed) {
    std::vector<u32> places(count);
    std::iota(places.begin(), places.end(), 0);
    if (seed == 1) std::reverse(places.begin(), places.end());
    if (seed > 1) std::shuffle(places.begin(), places.end(), std::mt19937(seed));
    for (u32 i = 0; i < count; ++i) {
      const float z = float(places[i]) / float(count);
      const u32 first = u32(mesh.positions.size());
      for (const vec3& p : {vec3(0, 0, z), vec3(1, 0, z), vec3(0, 1, z)}) mesh.positions.push_back(p);
      mesh.triangles.push_back(uvec3(first, first + 1, first + 2));
    }
    bvh = build_host_bvh(host_view(mesh), 1, HostSplit::chain);
  }
};

TEST(TraversalStack, OverflowsInAChainOfTenThousandWithoutLosingAHit) {
  const u32 count = 10000;
  for (u32 seed : {0, 1, 2}) {
    const Chain chain(count, seed);
    const TriangleView triangles = host_view(chain.mesh);
    std::vector<Ray> rays;
    for (float sign : {1.0f, -1.0f}) {
      const vec3 direction(0, 0, sign), before(0.25f, 0.25f, -2 * sign);
      rays.push_back({before, 0, direction, infinity});
      rays.push_back({vec3(0.25f, 0.25f, 0.5f), 0, direction, infinity});
      rays.push_back({vec3(0.25f, 0.25f, 0.5f), 0.25f, direction, infinity});
      rays.push_back({vec3(0.75f, 0.75f, 0.5f), 0, direction, infinity});  // in every box, in no triangle
      rays.push_back({vec3(2, 2, 0.5f), 0, direction, infinity});
    }
    for (const Ray& ray : rays) {
      const Hit expected = brute_force_hit({triangles}, ray);
      ASSERT_TRUE(test::same_bits(closest_hit<64>(chain.bvh.view(), triangles, ray), expected)) << test::text(ray);
    }
    expect_stack_size_does_not_matter(chain.bvh, triangles, rays);
  }
}

TEST(TraversalStack, ARayThroughAllOfAChainVisitsEveryNodeOnce) {
  const Chain chain(5000, 3);
  VisitCounter counter;
  const Ray ray{vec3(0.75f, 0.75f, -1), 0, vec3(0, 0, 1), infinity};
  EXPECT_FALSE(is_hit(closest_hit<2>(chain.bvh.view(), TriangleTable{host_view(chain.mesh)}, ray, counter)));
  EXPECT_EQ(counter.nodes, 2 * 5000 - 1);
  EXPECT_EQ(counter.primitives, 5000);
}

// ---- Custom primitives --------------------------------------------------------------------------------------

struct Sphere {
  vec3 centre;
  float radius;
};

/// A user's leaf test.
struct ClosestSphere {
  const std::vector<Sphere>& spheres;
  Ray ray;
  float t;
  u32 primitive = invalid_id;

  bool operator()(u32 id, float& limit) {
    const vec3 to = spheres[id].centre - ray.origin;
    const float along = glm::dot(to, ray.direction);
    const float square = along * along - glm::dot(to, to) + spheres[id].radius * spheres[id].radius;
    if (square < 0) return false;
    const float found = along - std::sqrt(square);
    if (found >= ray.t_min && (found < t || (found == t && id < primitive))) {
      t = limit = found;
      primitive = id;
    }
    return false;
  }
};

TEST(Traverse, TakesALeafTestOfOnesOwn) {
  RayMaker make(12);
  std::vector<Sphere> spheres;
  std::vector<Aabb> boxes;
  for (int i = 0; i < 300; ++i) {
    spheres.push_back({make.point(0, 1), make.uniform(0.01f, 0.08f)});
    boxes.push_back({spheres[i].centre - spheres[i].radius, spheres[i].centre + spheres[i].radius});
  }
  const HostBvh bvh = build_host_bvh(boxes);
  u32 hit_count = 0;
  for (int i = 0; i < 2000; ++i) {
    Ray ray = make.into({vec3(0), vec3(1)});
    ray.direction = glm::normalize(ray.direction);
    ClosestSphere walk{spheres, ray, ray.t_max}, all{spheres, ray, ray.t_max};
    traverse(bvh.view(), ray, walk);
    float limit = ray.t_max;
    for (u32 id = 0; id < spheres.size(); ++id) all(id, limit);
    ASSERT_EQ(walk.primitive, all.primitive) << test::text(ray);
    hit_count += walk.primitive != invalid_id;
  }
  EXPECT_GT(hit_count, 200u);
}

// ---- Views
// ------------------------------------------------------------------------------------------------------

TEST(TriangleTable, FindsTheViewOfAPrimitiveAmongEmptyOnes) {
  std::vector<vec3> positions(3 * 6);
  for (u32 i = 0; i < positions.size(); ++i) positions[i] = vec3(float(i / 3), float(i % 3), 0);
  const auto view = [&](u32 first, u32 count, u32 geometry) {
    TriangleView result;
    result.positions = BufferSpan<const vec3>(positions.data() + 3 * first, 3 * count);
    result.geometry = geometry;
    return result;
  };
  const TriangleTable::Entry entries[] = {{view(0, 0, 10), 0}, {view(0, 2, 11), 0}, {view(2, 0, 12), 2},
                                          {view(2, 1, 13), 2}, {view(3, 3, 14), 3}, {view(6, 0, 15), 6}};
  const TriangleTable table{{}, entries, 6, 6};
  const u32 geometry[] = {11, 11, 13, 14, 14, 14}, local[] = {0, 1, 0, 0, 1, 2};
  for (u32 i = 0; i < 6; ++i) {
    EXPECT_EQ(table.geometry(i), geometry[i]);
    EXPECT_EQ(table.local_id(i), local[i]);
    EXPECT_EQ(table.triangle(i).b, vec3(float(i), 1, 0));
  }
}

}  // namespace
}  // namespace copse
