#include "queries/overlap_queries.h"

#include <gtest/gtest.h>

#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/io/mesh_file.h"
#include "tests/queries/query_oracle.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/values.h"
#include "trace/camera.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::host_view;
using test::nan;
using test::RayMaker;

std::vector<Aabb> boxes_in(const Aabb& around, u32 count, u32 seed) {
  RayMaker make(seed);
  const vec3 size = around.hi - around.lo;
  std::vector<Aabb> boxes;
  for (u32 i = 0; i < count; ++i) {
    const vec3 lo = around.lo + size * make.point(-0.2f, 1.1f);
    boxes.push_back({lo, lo + size * make.point(0, i % 3 == 0 ? 0.5f : 0.05f)});
  }
  boxes.push_back(around);
  boxes.push_back({around.hi, around.lo});
  boxes.push_back({vec3(nan), vec3(1)});
  boxes.push_back({vec3(-infinity), vec3(infinity)});
  return boxes;
}

std::vector<Sphere> spheres_in(const Aabb& around, u32 count, u32 seed) {
  RayMaker make(seed);
  const vec3 size = around.hi - around.lo;
  const float most = std::max({size.x, size.y, size.z});
  std::vector<Sphere> spheres;
  for (u32 i = 0; i < count; ++i) {
    spheres.push_back(
        {around.lo + size * make.point(-0.2f, 1.2f), most * make.uniform(0, i % 3 == 0 ? 0.3f : 0.02f)});
  }
  const vec3 middle = centroid(around);
  for (float radius : {0.0f, -1.0f, nan, infinity}) spheres.push_back({middle, radius});
  spheres.push_back({vec3(nan, 0, 0), 1});
  spheres.push_back({vec3(infinity, 0, 0), infinity});
  return spheres;
}

std::vector<Frustum> frusta_in(const Aabb& around, u32 count, u32 seed) {
  RayMaker make(seed);
  const vec3 size = around.hi - around.lo + vec3(1e-3f);
  std::vector<Frustum> frusta;
  for (u32 i = 0; i < count; ++i) {
    const vec3 eye = around.lo + size * make.point(-0.5f, 1.5f), at = around.lo + size * make.point(0, 1);
    const Camera camera = look_at(eye, at, {0, 1, 0}, make.uniform(1, 60), make.uniform(0.5f, 2));
    frusta.push_back(frustum_of(camera, 0.01f * size.x, i % 2 == 0 ? infinity : size.x));
  }
  Frustum nowhere = frusta[0];
  nowhere.planes[2].normal.y = nan;
  frusta.push_back(nowhere);
  return frusta;
}

/// Compares with brute force: counts, lists in buffers of the right size, and lists in a buffer that is too small.
template <class Region>
void expect_brute_force(Context& context, const BvhView& bvh, const TriangleView& device,
                        const std::vector<Triangle>& host, const std::vector<Region>& regions) {
  const Buffer<Region> queries(context, regions);
  Buffer<u32> counts(context, regions.size());
  count_overlaps<Region>(context, bvh, device, queries.span(), counts.span());
  const std::vector<u32> got_counts = counts.download();
  const OverlapLists lists = all_overlaps<Region>(context, bvh, device, queries.span());
  const std::vector<u64> offsets = lists.offsets.download();
  const std::vector<u32> primitives = lists.primitives.download();
  ASSERT_EQ(offsets.size(), regions.size() + 1);
  ASSERT_EQ(offsets.back(), primitives.size());
  for (size_t i = 0; i < regions.size(); ++i) {
    const std::vector<u32> expected = test::brute_force_overlaps(host, regions[i]);
    std::vector<u32> got(primitives.begin() + i64(offsets[i]), primitives.begin() + i64(offsets[i + 1]));
    std::sort(got.begin(), got.end());
    ASSERT_EQ(got, expected) << i;
    ASSERT_EQ(got_counts[i], expected.size()) << i;
  }

  const u64 room = primitives.size() / 2;
  Buffer<u64> again(context, regions.size() + 1);
  Buffer<u32> some(context, std::vector<u32>(room + 1, 12345));
  find_overlaps<Region>(context, bvh, device, queries.span(), again.span(), some.span().first(room));
  const std::vector<u32> got_some = some.download();
  EXPECT_EQ(again.download(), offsets);
  EXPECT_TRUE(std::equal(got_some.begin(), got_some.begin() + i64(room), primitives.begin()));
  EXPECT_EQ(got_some[room], 12345u);
}

class OverlapQueries : public test::OnEachBackend {
 protected:
  void expect_brute_force_on(const Mesh& mesh, u32 count) {
    const DeviceMesh device(context(), mesh);
    const std::vector<Triangle> host = test::all_triangles({host_view(mesh)});
    Aabb box = mesh.triangles.empty() ? Aabb{vec3(0), vec3(1)} : bounds(mesh);
    if (!is_valid(box)) box = {vec3(0), vec3(1)};
    for (u32 leaf_size : {1, 4}) {
      const Bvh bvh = build(context(), device.view(), LbvhOptions{.max_leaf_size = leaf_size});
      expect_brute_force(context(), bvh.view(), device.view(), host, boxes_in(box, count, 1));
      expect_brute_force(context(), bvh.view(), device.view(), host, spheres_in(box, count, 2));
    }
    const Bvh bvh = build(context(), device.view(), HplocOptions{});
    expect_brute_force(context(), bvh.view(), device.view(), host, boxes_in(box, count, 3));
  }
};

TEST_P(OverlapQueries, FindWhatBruteForceFindsOnHardMeshes) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    SCOPED_TRACE(hard.name);
    expect_brute_force_on(hard.mesh, 10);
  }
}
TEST_P(OverlapQueries, FindWhatBruteForceFindsOnTheTestballLarge) {
  expect_brute_force_on(load_mesh("assets/testball.ply"), 60);
}
TEST_P(OverlapQueries, FrustaFindWhatBruteForceFinds) {
  for (const Mesh& mesh : {generate_sphere(3), generate_random(1000, 0.05f)}) {
    const DeviceMesh device(context(), mesh);
    const Bvh bvh = build(context(), device.view(), LbvhOptions{.max_leaf_size = 4});
    expect_brute_force(context(), bvh.view(), device.view(), test::all_triangles({host_view(mesh)}),
                       frusta_in(bounds(mesh), 100, 4));
  }
}
TEST_P(OverlapQueries, ChainsDeeperThanTheStackAreWalkedWhole) {
  const Mesh mesh = generate_random(300, 0.2f);
  const DeviceMesh device(context(), mesh);
  const test::UploadedBvh chain(context(), test::build_host_bvh(host_view(mesh), 1, test::HostSplit::chain));
  const std::vector<Triangle> host = test::all_triangles({host_view(mesh)});
  expect_brute_force(context(), chain.view(), device.view(), host, boxes_in(bounds(mesh), 100, 5));
}

/// With a stack of one entry, second children that it drops are found by the parent links.
TEST(Overlap, AStackOfOneEntryFindsTheSameInTheSameOrder) {
  const Mesh mesh = generate_random(500, 0.2f);
  const test::HostBvh bvh = test::build_host_bvh(host_view(mesh), 2);
  struct Keep {
    std::vector<u32> ids;
    bool operator()(u32 id) {
      ids.push_back(id);
      return false;
    }
  };
  for (const Aabb& box : boxes_in(bounds(mesh), 100, 6)) {
    Keep one, many;
    for_each_overlap<1>(bvh.view(), host_view(mesh), box, one);
    for_each_overlap(bvh.view(), host_view(mesh), box, many);
    ASSERT_EQ(one.ids, many.ids);
    ASSERT_EQ(any_overlap(bvh.view(), host_view(mesh), box), !many.ids.empty());
    ASSERT_EQ(count_overlaps(bvh.view(), host_view(mesh), box), many.ids.size());
  }
}

/// Points that a camera sees are in its frustum. Points behind or beside it are not.
TEST(Frustum, HoldsWhatTheCameraSees) {
  for (const vec3& up : {vec3(0, 1, 0), vec3(0.3f, -1, 0.2f)}) {
    const Camera camera = look_at({1, 2, 3}, {4, 3, -2}, up, 50, 1.5f);
    const Frustum frustum = frustum_of(camera, 0.5f, 20);
    const auto has = [&](const vec3& p) { return touches_box(frustum, p, p); };
    for (u32 x = 0; x < 8; ++x) {
      for (u32 y = 0; y < 8; ++y) {
        const Ray ray = camera_ray(camera, x, y, 8, 8);
        EXPECT_TRUE(has(ray.origin + ray.direction * 2.0f));
        EXPECT_FALSE(has(ray.origin + ray.direction * 0.4f));
        EXPECT_FALSE(has(ray.origin - ray.direction * 2.0f));
        EXPECT_FALSE(has(ray.origin + ray.direction * 40.0f));
      }
    }
    for (float side : {-1.1f, 1.1f}) {
      EXPECT_FALSE(has(camera.eye + (camera.forward + camera.right * side) * 3.0f));
      EXPECT_FALSE(has(camera.eye + (camera.forward + camera.up * side) * 3.0f));
    }
  }
}

TEST_P(OverlapQueries, RefuseSpansThatDoNotFit) {
  const Mesh mesh = generate_cube();
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  const Buffer<Sphere> spheres(context(), std::vector<Sphere>(4, {vec3(0), 1}));
  Buffer<u32> counts(context(), 3);
  Buffer<u64> offsets(context(), 4);
  EXPECT_COPSE_ERROR(count_overlaps<Sphere>(context(), bvh.view(), device.view(), spheres.span(), counts.span()),
                     ErrorCode::invalid_argument, "3 results, but the number of regions is 4");
  EXPECT_COPSE_ERROR(
      find_overlaps<Sphere>(context(), bvh.view(), device.view(), spheres.span(), offsets.span(), counts.span()),
      ErrorCode::invalid_argument, "4 offsets for 4 regions");
  const BufferSpan<u32> over(reinterpret_cast<u32*>(offsets.data()), 2);
  EXPECT_COPSE_ERROR(
      find_overlaps<Sphere>(context(), bvh.view(), device.view(), spheres.span().first(3), offsets.span(), over),
      ErrorCode::invalid_argument, "overlap");
  EXPECT_COPSE_ERROR(all_overlaps<Sphere>(context(), BvhView{}, device.view(), spheres.span()),
                     ErrorCode::invalid_argument, "0 nodes");
}

TEST_P(OverlapQueries, AreAskedAgainByACapturedGraph) {
  const Mesh mesh = generate_sphere(2);
  const DeviceMesh device(context(), mesh);
  const Bvh bvh = build(context(), device.view(), LbvhOptions{});
  Buffer<Sphere> spheres(context(), spheres_in(bounds(mesh), 50, 1));
  Buffer<u64> offsets(context(), spheres.size() + 1);
  Buffer<u32> primitives(context(), 100000);
  const auto work = [&] {
    find_overlaps<Sphere>(context(), bvh.view(), device.view(), spheres.span(), offsets.span(), primitives.span());
  };
  work();
  Graph graph = context().capture(work);
  const std::vector<Sphere> other = spheres_in(bounds(mesh), 50, 2);
  spheres.upload(other);
  graph.launch();
  const OverlapLists expected = all_overlaps<Sphere>(context(), bvh.view(), device.view(), spheres.span());
  EXPECT_EQ(offsets.download(), expected.offsets.download());
  EXPECT_EQ(primitives.download(expected.primitives.size()), expected.primitives.download());
}

COPSE_ON_EACH_BACKEND(OverlapQueries);

template <class Region>
void expect_same_bytes(const Mesh& mesh, const std::vector<Region>& regions) {
  std::vector<u64> offsets[2];
  std::vector<u32> primitives[2];
  for (Backend backend : {Backend::cpu, Backend::cuda}) {
    Context context({.backend = backend});
    const DeviceMesh device(context, mesh);
    const Bvh bvh = build(context, device.view(), LbvhOptions{.max_leaf_size = 4});
    const Buffer<Region> queries(context, regions);
    const OverlapLists lists = all_overlaps<Region>(context, bvh.view(), device.view(), queries.span());
    offsets[backend == Backend::cuda] = lists.offsets.download();
    primitives[backend == Backend::cuda] = lists.primitives.download();
  }
  EXPECT_EQ(offsets[0], offsets[1]);
  EXPECT_EQ(primitives[0], primitives[1]);
}

TEST(OverlapQueriesOnBoth, GiveTheSameBytesOnCpuAndCuda) {
  COPSE_SKIP_WITHOUT_GPU();
  for (const Mesh& mesh : {generate_random(3000, 0.1f), load_mesh("assets/testball.ply")}) {
    expect_same_bytes(mesh, boxes_in(bounds(mesh), 2000, 1));
    expect_same_bytes(mesh, spheres_in(bounds(mesh), 2000, 2));
    expect_same_bytes(mesh, frusta_in(bounds(mesh), 200, 3));
  }
}

}  // namespace
}  // namespace copse
