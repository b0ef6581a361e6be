// Lists of hits on the CPU by every instruction set that this machine has, of any length. All have the bits and the
// order of brute force.

#include <gtest/gtest.h>

#include "accel/accel_hits.h"
#include "builders/bvh/build.h"
#include "builders/geometry/generate.h"
#include "tests/accel/accels.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_bvh.h"
#include "tests/support/simd_targets.h"
#include "tests/trace/all_layouts.h"

namespace copse {
namespace {

/// The lists of brute force.
struct ListsOfRays {
  std::vector<u64> offsets{0};
  std::vector<Hit> hits;

  ListsOfRays(const std::vector<TriangleView>& views, const std::vector<Ray>& rays) {
    for (const Ray& ray : rays) {
      const std::vector<Hit> list = test::slow_hits(views, ray);
      hits.insert(hits.end(), list.begin(), list.end());
      offsets.push_back(hits.size());
    }
  }
};

class AccelHitLists : public test::OnEachSimdTarget {
 protected:
  Context& context() { return context_; }

  void expect_all(const Accel& accel, const Buffer<Ray>& rays, const ListsOfRays& expected) {
    const HitLists lists = all_hits(context_, accel, rays.span());
    ASSERT_EQ(lists.offsets.download(), expected.offsets);
    ASSERT_TRUE(test::same_bytes(lists.hits.download(), expected.hits));
    Buffer<u32> counts(context_, rays.size());
    count_hits(context_, accel, rays.span(), counts.span());
    const std::vector<u32> each = counts.download();
    for (u32 i = 0; i < each.size(); ++i) ASSERT_EQ(each[i], expected.offsets[i + 1] - expected.offsets[i]) << i;
  }

  /// What fits into a buffer, and nothing behind its end.
  void expect_cut(const Accel& accel, const Buffer<Ray>& rays, const ListsOfRays& expected, u64 room) {
    const Hit untouched{-7, 1, 2, 3, 4};
    Buffer<u64> offsets(context_, rays.size() + 1);
    Buffer<Hit> hits(context_, std::vector<Hit>(room + 3, untouched));
    find_hits(context_, accel, rays.span(), offsets.span(), hits.span().first(room));
    ASSERT_EQ(offsets.download(), expected.offsets) << room;
    const std::vector<Hit> found = hits.download();
    for (u64 i = 0; i < found.size(); ++i) {
      const bool is_written = i < room && i < expected.hits.size();
      ASSERT_TRUE(test::same_bits(found[i], is_written ? expected.hits[i] : untouched)) << i << " of " << room;
    }
  }

  void expect_first(const Accel& accel, const Buffer<Ray>& rays, const ListsOfRays& expected, u32 k) {
    Buffer<Hit> hits(context_, k * rays.size());
    Buffer<u32> counts(context_, rays.size());
    first_hits(context_, accel, rays.span(), hits.span(), counts.span());
    const std::vector<Hit> found = hits.download();
    const std::vector<u32> each = counts.download();
    for (u32 i = 0; i < each.size(); ++i) {
      const u64 begin = expected.offsets[i];
      ASSERT_EQ(each[i], std::min<u64>(k, expected.offsets[i + 1] - begin)) << i;
      for (u32 j = 0; j < each[i]; ++j) {
        ASSERT_TRUE(test::same_bits(found[i * k + j], expected.hits[begin + j])) << i << ", " << j;
      }
    }
  }

  void expect_lists(const Accel& accel, const std::vector<TriangleView>& views, const std::vector<Ray>& rays) {
    const ListsOfRays expected(views, rays);
    const Buffer<Ray> batch(context_, rays);
    const u64 total = expected.hits.size();
    ASSERT_NO_FATAL_FAILURE(expect_all(accel, batch, expected));
    for (const u64 room : {std::min<u64>(1, total), total / 3, total + 5}) {
      ASSERT_NO_FATAL_FAILURE(expect_cut(accel, batch, expected, room));
    }
    for (const u32 k : {1u, 4u, 16u}) ASSERT_NO_FATAL_FAILURE(expect_first(accel, batch, expected, k));
  }

 private:
  Context context_{{.backend = Backend::cpu}};
};

/// Rays that stay together, as those of a camera.
std::vector<Ray> rays_together(const Mesh& mesh, u32 side) {
  const Aabb box = test::host_view(mesh).triangle_count() > 0 ? bounds(mesh) : Aabb{vec3(0), vec3(1)};
  const vec3 middle = centroid(box), size = box.hi - box.lo;
  const float most = std::max({size.x, size.y, size.z});
  std::vector<Ray> rays;
  for (u32 i = 0; i < side * side; ++i) {
    const float x = float(i % side) / float(side) - 0.5f, y = float(i / side) / float(side) - 0.5f;
    rays.push_back({middle + vec3(0.01f, -0.02f, 1.7f) * most, 0, vec3(x, y, -1), infinity});
  }
  return rays;
}

TEST_P(AccelHitLists, AreThoseOfBruteForceOnHardMeshes) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    SCOPED_TRACE(hard.name);
    const test::SceneOfViews scene(context(), {hard.mesh});
    const Mesh& aim = hard.mesh.triangles.empty() ? generate_sphere(0) : hard.mesh;
    for (const Quality quality : {Quality::fast, Quality::best}) {
      const Accel accel = build(context(), scene.device(), {.quality = quality});
      ASSERT_NO_FATAL_FAILURE(expect_lists(accel, scene.host(), test::difficult_rays(aim, 163, 4)));
    }
  }
}

TEST_P(AccelHitLists, AreThoseOfBruteForceOfRaysTogether) {
  for (const Mesh& mesh : {generate_hairball(40, 30), generate_sphere(3)}) {
    const test::SceneOfViews scene(context(), {mesh, mesh});
    const Accel accel = build(context(), scene.device());
    ASSERT_NO_FATAL_FAILURE(expect_lists(accel, scene.host(), rays_together(mesh, 32)));
  }
}

/// Two triangles in each place of a stack, from the middle outwards.
Mesh stack_of_triangles(u32 count) {
  Mesh mesh;
  for (u32 i = 0; i < count; ++i) {
    const float z = (i % 4 < 2 ? 1.0f : -1.0f) * float(i / 4) / float(count), out = 1 + float(i % 2);
    mesh.positions.insert(mesh.positions.end(),
                          {vec3(-out, -out, z), vec3(3 * out, -out, z), vec3(-out, 3 * out, z)});
    mesh.triangles.push_back(uvec3(3 * i, 3 * i + 1, 3 * i + 2));
  }
  return mesh;
}

std::vector<Ray> rays_through_stack(u32 count) {
  test::RayMaker make(17);
  std::vector<Ray> rays;
  for (u32 i = 0; i < count; ++i) {
    const vec3 from = make.point(-0.3f, 0.3f), to = make.point(-0.3f, 0.3f);
    const float side = i % 2 == 0 ? 1.0f : -1.0f;
    rays.push_back({vec3(from.x, from.y, side), 0, vec3(to.x, to.y, -side) - vec3(from.x, from.y, side),
                    i % 5 == 0 ? 0.5f : infinity});
  }
  return rays;
}

/// A thread has no room for all lists of a block of rays.
TEST_P(AccelHitLists, MayBeHundredsOfHitsLong) {
  const test::SceneOfViews scene(context(), {stack_of_triangles(700)});
  const Accel accel = build(context(), scene.device());
  ASSERT_NO_FATAL_FAILURE(expect_lists(accel, scene.host(), rays_through_stack(600)));
}

/// A thread has no room for the list of a single ray.
TEST_P(AccelHitLists, MayBeTensOfThousandsOfHitsLong) {
  const test::SceneOfViews scene(context(), {stack_of_triangles(33000)});
  const Accel accel = build(context(), scene.device());
  std::vector<Ray> rays = rays_through_stack(2);
  for (u32 i = 0; i < 40; ++i) rays.push_back({vec3(0, 0, 1), 0, vec3(0, 0, -1), 0.501f + 0.00001f * float(i)});
  ASSERT_NO_FATAL_FAILURE(expect_lists(accel, scene.host(), rays));
}

/// The tree is deeper than the stacks.
TEST_P(AccelHitLists, DoNotDependOnTheDepthOfTheTree) {
  const Mesh mesh = test::chain_mesh(3000);
  const test::SceneOfViews scene(context(), {mesh});
  const test::HostBvh chain = test::build_host_bvh(test::host_view(mesh), 1, test::HostSplit::chain);
  Bvh bvh = build(context(), scene.device(), HplocOptions{.max_leaf_size = 1});
  bvh.nodes.upload(chain.nodes);
  bvh.parents.upload(chain.parents);
  bvh.primitive_ids.upload(chain.primitive_ids);
  bvh.counts.upload(std::vector<BvhCounts>{chain.counts});
  std::vector<Ray> rays;
  for (u32 i = 0; i < 40; ++i) {
    const float x = 0.2f + 0.015f * float(i), sign = i % 3 == 0 ? -1.0f : 1.0f;
    rays.push_back({vec3(x, x, i % 2 == 0 ? 0.5f : -2 * sign), 0, vec3(0, 0.001f, sign), infinity});
  }
  ASSERT_NO_FATAL_FAILURE(expect_lists(accel_of(context(), bvh, scene.device()), scene.host(), rays));
}

/// The rooms of all threads are filled several times.
TEST_P(AccelHitLists, FollowEachOtherThroughAllWaves) {
  const std::vector<Ray> rays = rays_through_stack(9000);
  const Mesh stack = stack_of_triangles(60);
  const ListsOfRays expected({test::host_view(stack)}, rays);
  ASSERT_GT(expected.hits.size(), 3u * 131072);
  for (const u32 workers : {1u, 2u}) {
    Context threads({.backend = Backend::cpu, .workers = workers});
    const test::DeviceMesh mesh(threads, stack);
    const Accel accel = build(threads, mesh.view());
    const HitLists lists = all_hits(threads, accel, Buffer<Ray>(threads, rays).span());
    ASSERT_EQ(lists.offsets.download(), expected.offsets);
    ASSERT_TRUE(test::same_bytes(lists.hits.download(), expected.hits));
  }
}

COPSE_ON_EACH_SIMD_TARGET(AccelHitLists);

}  // namespace
}  // namespace copse
