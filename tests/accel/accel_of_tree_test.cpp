// An Accel over a tree of the caller gives the hits of one that build() makes, bit for bit, whatever made the tree.

#include <gtest/gtest.h>

#include <cstring>

#include "accel/accel.h"
#include "accel/accel_file.h"
#include "accel/accel_queries.h"
#include "builders/bvh/build.h"
#include "builders/bvh/refit.h"
#include "builders/geometry/generate.h"
#include "builders/io/whole_file.h"
#include "scale/sliced_build.h"
#include "tests/accel/accels.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/support/hard_meshes.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::host_view;

Mesh bent(Mesh mesh) {
  for (vec3& p : mesh.positions) p = vec3(p.x + 0.4f * p.y, p.y, 1.5f * p.z - 0.2f * p.x);
  return mesh;
}

std::vector<Hit> hits_of_brute_force(const Mesh& mesh, const std::vector<Ray>& rays) {
  return test::brute_force_hits({host_view(mesh)}, rays);
}

std::vector<AnyBuildOptions> builders_to_try() {
  return {LbvhOptions{.top = Top::sah}, HplocOptions{.max_leaf_size = 2}, SahOptions{.max_leaf_size = 8},
          HplocOptions{.splits = 1.5f}};
}

class AccelOfATree : public test::OnEachBackend {};
COPSE_ON_EACH_BACKEND(AccelOfATree);

TEST_P(AccelOfATree, HasTheHitsOfHardMeshes) {
  for (const test::NamedMesh& each : test::hard_meshes()) {
    const DeviceMesh mesh(context(), each.mesh);
    const Mesh& aim = each.mesh.triangles.empty() ? generate_sphere(0) : each.mesh;
    const std::vector<Ray> rays = test::difficult_rays(aim, 120, 2);
    for (const AnyBuildOptions& builder : builders_to_try()) {
      const Bvh bvh = build(context(), mesh.view(), builder);
      const Accel accel = accel_of(context(), bvh, mesh.view());
      EXPECT_EQ(accel.triangle_count(), each.mesh.triangles.size());
      test::expect_hits(context(), accel, rays, hits_of_brute_force(each.mesh, rays), each.name);
    }
  }
}

TEST_P(AccelOfATree, CanBeRefittedRebuiltAndCompacted) {
  const Mesh rest = generate_random(1500, 0.1f), moved = bent(rest);
  const DeviceMesh mesh(context(), rest), moved_mesh(context(), moved);
  const std::vector<Ray> rays = test::difficult_rays(rest, 400, 3);
  const std::vector<Hit> of_rest = hits_of_brute_force(rest, rays), of_moved = hits_of_brute_force(moved, rays);
  for (const AnyBuildOptions& builder : builders_to_try()) {
    Bvh bvh = build(context(), mesh.view(), builder);
    Accel accel = accel_of(context(), bvh, mesh.view());
    bvh = {};
    test::expect_hits(context(), accel, rays, of_rest, "as it was made");
    refit(context(), accel, moved_mesh.view());
    test::expect_hits(context(), accel, rays, of_moved, "refitted");
    rebuild(context(), accel, mesh.view());
    test::expect_hits(context(), accel, rays, of_rest, "rebuilt");
    compact(context(), accel);
    test::expect_hits(context(), accel, rays, of_rest, "compacted");
  }
}

TEST_P(AccelOfATree, TakesMasksAndGeometriesOfItsViews) {
  const test::SceneOfViews scene(context(), {generate_sphere(3), generate_grid(9)}, {1, 2});
  const Bvh bvh = build(context(), scene.device(), LbvhOptions{});
  const Accel accel = accel_of(context(), bvh, scene.device());
  const std::vector<Ray> rays = test::difficult_rays(generate_sphere(3), 200, 4);
  for (const u32 mask : {1u, 2u, 3u}) {
    std::vector<Hit> expected;
    for (const Ray& ray : rays) expected.push_back(scene.hit(ray, mask));
    test::expect_hits(context(), accel, rays, expected, "mask " + std::to_string(mask), {.mask = mask});
  }
}

TEST_P(AccelOfATree, TakesATreeThatWasBuiltInSlices) {
  Context host({.backend = Backend::cpu});
  const Mesh rest = generate_random(2000, 0.1f);
  const SlicedBuildOptions options{.memory_bytes = sliced_build_sizes(context(), 512).device_bytes};
  ASSERT_GT(sliced_build_sizes(context(), rest.triangles.size(), options).slice_count, 1u);
  const Bvh bvh = build_in_slices(host, context(), host_view(rest), options);
  const Accel accel = accel_of(host, bvh, host_view(rest));
  const std::vector<Ray> rays = test::difficult_rays(rest, 300, 5);
  test::expect_hits(host, accel, rays, hits_of_brute_force(rest, rays), "slices");
}

/// A mesh whose records have odd lengths and begin at odd addresses, as those of files.
struct OddRecords {
  std::string bytes;
  TriangleRecords records;

  explicit OddRecords(const Mesh& mesh) : bytes(1 + mesh.positions.size() * 15 + mesh.triangles.size() * 13, 'x') {
    char* const positions = bytes.data() + 1;
    char* const triangles = positions + mesh.positions.size() * 15;
    for (u64 i = 0; i < mesh.positions.size(); ++i) std::memcpy(positions + i * 15, &mesh.positions[i], 12);
    for (u64 i = 0; i < mesh.triangles.size(); ++i) std::memcpy(triangles + i * 13, &mesh.triangles[i], 12);
    records.positions = positions;
    records.vertex_count = mesh.positions.size();
    records.position_stride = 15;
    records.triangles = triangles;
    records.triangle_count = mesh.triangles.size();
    records.triangle_stride = 13;
  }
};

TEST(AccelOfRecords, IsThatOfTheMesh) {
  const test::TemporaryFolder folder;
  Context host({.backend = Backend::cpu});
  for (const test::NamedMesh& each : test::hard_meshes()) {
    SCOPED_TRACE(each.name);
    const OddRecords odd(each.mesh);
    for (const AnyBuildOptions& builder : builders_to_try()) {
      const Bvh bvh = build(host, host_view(each.mesh), builder);
      const Accel of_mesh = accel_of(host, bvh, host_view(each.mesh)),
                  of_records = accel_of(host, bvh, odd.records);
      EXPECT_EQ(of_mesh.triangle_count(), of_records.triangle_count());
      save_accel(folder / "mesh.copse", host, each.mesh, of_mesh);
      save_accel(folder / "records.copse", host, odd.records, of_records);
      const detail::FileBytes written = detail::read_whole_file(folder / "mesh.copse");
      EXPECT_TRUE(written.text() == detail::read_whole_file(folder / "records.copse").text());
    }
  }
}

TEST(AccelOfRecords, RefusesATreeOfOthersAndIndicesPastTheEnd) {
  Context host({.backend = Backend::cpu, .validate = true});
  Mesh mesh = generate_sphere(1);
  const Bvh bvh = build(host, host_view(mesh), LbvhOptions{});
  EXPECT_COPSE_ERROR(accel_of(host, bvh, TriangleRecords(generate_sphere(2))), ErrorCode::invalid_argument,
                     "accel_of: 320 triangles, but the tree was built over 80 primitives");
  mesh.triangles[7].y = 42;
  EXPECT_COPSE_ERROR(accel_of(host, bvh, OddRecords(mesh).records), ErrorCode::invalid_argument,
                     "triangle 7 has vertex 42 of 42");
}

TEST_P(AccelOfATree, RefusesRecordsOnAGpu) {
  const DeviceMesh mesh(context(), generate_sphere(1));
  const Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  if (context().backend() == Backend::cpu) return;
  EXPECT_COPSE_ERROR(accel_of(context(), bvh, TriangleRecords(generate_sphere(1))), ErrorCode::invalid_argument,
                     "records are for a context of the CPU");
}

TEST_P(AccelOfATree, RefusesATreeOfOtherTrianglesAndNone) {
  const DeviceMesh mesh(context(), generate_sphere(2)), other(context(), generate_sphere(3));
  const Bvh bvh = build(context(), mesh.view(), LbvhOptions{});
  EXPECT_COPSE_ERROR(accel_of(context(), bvh, other.view()), ErrorCode::invalid_argument,
                     "accel_of: 1280 triangles, but the tree was built over 320 primitives");
  EXPECT_COPSE_ERROR(accel_of(context(), Bvh{}, TriangleView{}), ErrorCode::invalid_argument,
                     "accel_of: the tree was never made");
  const Accel empty = accel_of(context(), build(context(), TriangleView{}, LbvhOptions{}), TriangleView{});
  EXPECT_FALSE(is_hit(test::trace(context(), empty, {{vec3(0), 0, vec3(1), infinity}})[0]));
}

}  // namespace
}  // namespace copse
