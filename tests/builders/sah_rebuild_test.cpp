// Trees by the surface area heuristic that are refitted, rebuilt in place, and rebuilt by a graph.

#include "builders/bvh/lbvh.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/sah.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"

namespace copse::test {

class SahRebuild : public OnEachBackend {};
COPSE_ON_EACH_BACKEND(SahRebuild);

TEST_P(SahRebuild, RefitChangesNothingWhereNothingMovedAndFitsWhatDid) {
  const Mesh host = generate_random(5000, 0.05f);
  DeviceMesh mesh(context(), host);
  Bvh bvh = build_sah(context(), mesh.view(), {.max_leaf_size = 2});
  const BvhCopy before(bvh);
  refit(context(), bvh, mesh.view());
  EXPECT_TRUE(same_bytes(before, BvhCopy(bvh)));
  Mesh moved = host;
  for (vec3& p : moved.positions) p = vec3(p.x + p.y * p.z, p.y * 1.5f - p.x, p.z);
  mesh.positions.upload(moved.positions);
  refit(context(), bvh, mesh.view());
  EXPECT_TRUE(validate(context(), bvh, mesh.view()).ok());
}

TEST_P(SahRebuild, RebuildsInPlaceWithoutAllocating) {
  const DeviceMesh large(context(), generate_random(4000, 0.05f)), small(context(), generate_sphere(2));
  Bvh bvh = build_lbvh(context(), large.view());
  rebuild_sah(context(), bvh, large.view());
  const u64 warm = context().scratch_bytes();
  const BvhNode* memory = bvh.nodes.data();
  rebuild_sah(context(), bvh, small.view());
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build_sah(context(), small.view()))));
  EXPECT_TRUE(validate(context(), bvh, small.view()).ok());
  rebuild_sah(context(), bvh, large.view());
  EXPECT_EQ(bvh.nodes.data(), memory);
  EXPECT_EQ(context().scratch_bytes(), warm);
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build_sah(context(), large.view()))));
}

TEST_P(SahRebuild, CapturedRebuildFollowsItsInput) {
  const Mesh before = generate_random(6000, 0.05f);
  Mesh after = before;
  for (vec3& p : after.positions) p = vec3(p.y, p.z * 2, p.x);
  for (u32 leaf : {1, 4}) {
    DeviceMesh mesh(context(), before);
    const SahOptions options{.max_leaf_size = leaf};
    Bvh bvh = build_sah(context(), mesh.view(), options);
    Graph graph = context().capture([&] { rebuild_sah(context(), bvh, mesh.view(), options); });
    mesh.positions.upload(after.positions);
    for (int repeat = 0; repeat < 2; ++repeat) {
      graph.launch();
      EXPECT_TRUE(validate(context(), bvh, mesh.view()).ok());
      EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(build_sah(context(), mesh.view(), options))));
    }
  }
}

TEST_P(SahRebuild, TwoContextsBuildAtOnce) {
  Context other({.backend = GetParam()});
  const Mesh host = generate_random(20000, 0.02f);
  const DeviceMesh mesh(context(), host), other_mesh(other, host);
  context().wait();
  other.wait();
  Bvh bvh = build_sah(context(), mesh.view()), other_bvh = build_sah(other, other_mesh.view());
  for (int repeat = 0; repeat < 5; ++repeat) {
    rebuild_sah(context(), bvh, mesh.view());
    rebuild_sah(other, other_bvh, other_mesh.view());
  }
  EXPECT_TRUE(same_bytes(BvhCopy(bvh), BvhCopy(other_bvh)));
}

}  // namespace copse::test
