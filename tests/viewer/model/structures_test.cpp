// Every structure of the viewer: hits of rays, counts, tints. Their copies on the host must traverse as the device does.

#include "viewer/model/structures/structure.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <map>
#include <set>

#include "tests/viewer/model/look.h"
#include "tests/viewer/model/structures.h"
#include "viewer/model/picture/film.h"

namespace copse::test {
namespace {

using namespace viewer;

COPSE_ON_EACH_BACKEND(Structures);

bool is_of_voxels(StructureKind kind) {
  return kind == StructureKind::voxels || kind == StructureKind::bricks || kind == StructureKind::octree ||
         kind == StructureKind::dag;
}

TEST_P(Structures, PickedRaysHitWhatTheDeviceSees) {
  const std::vector<Ray> rays = some_rays();
  for (const StructureOptions& options : everything()) {
    LiveStructure live = live_over(sphere(), options);
    const Seen seen = look(live, rays);
    u64 hit_count = 0;
    for (u64 i = 0; i < rays.size(); ++i) {
      const Pick pick = live.host_copy().walk(live.host_triangles(), rays[i]);
      EXPECT_EQ(pick.hit.primitive, seen.surfaces[i].id) << in_words(options) << ", ray " << i;
      EXPECT_EQ(pick.hit.t, seen.surfaces[i].t) << in_words(options);
      hit_count += is_hit(pick.hit);
    }
    EXPECT_GT(hit_count, 40u);
    EXPECT_LT(hit_count, 90u);
  }
}

TEST_P(Structures, AllTreesAndGridsSeeTheSame) {
  const std::vector<Ray> rays = some_rays();
  LiveStructure first = live_over(sphere(), tree_on(GetParam()));
  const Seen expected = look(first, rays);
  for (const StructureOptions& options : everything()) {
    if (is_of_voxels(options.kind) || options.kind == StructureKind::points) continue;
    LiveStructure live = live_over(sphere(), options);
    const Seen seen = look(live, rays);
    for (u64 i = 0; i < rays.size(); ++i) {
      EXPECT_EQ(seen.surfaces[i].t, expected.surfaces[i].t) << in_words(options);
      EXPECT_EQ(seen.occluded[i], expected.surfaces[i].id != invalid_id) << in_words(options);
    }
  }
}

TEST_P(Structures, VoxelsStandWhereTheSurfaceIs) {
  const std::vector<Ray> rays = some_rays();
  LiveStructure tree = live_over(sphere(), tree_on(GetParam()));
  const Seen expected = look(tree, rays);
  for (const StructureKind kind :
       {StructureKind::voxels, StructureKind::bricks, StructureKind::octree, StructureKind::dag}) {
    StructureOptions options = tree_on(GetParam());
    options.kind = kind;
    options.voxel_resolution = options.brick_resolution = 200;
    LiveStructure live = live_over(sphere(), options);
    const Seen seen = look(live, rays);
    for (u64 i = 0; i < rays.size(); ++i) {
      if (expected.surfaces[i].id == invalid_id) continue;
      EXPECT_LE(seen.surfaces[i].t, expected.surfaces[i].t + 1e-3f);
      EXPECT_GE(glm::dot(seen.surfaces[i].normal, -rays[i].direction), 0) << "the face that it came through";
      EXPECT_EQ(glm::length(seen.surfaces[i].normal), 1);
      EXPECT_EQ(seen.occluded[i], 1);
    }
  }
}

TEST_P(Structures, LabelsAreTheLeavesOfTheCopy) {
  const std::vector<Ray> rays = some_rays();
  for (const Layout layout : {Layout::bvh2, Layout::cbvh8}) {
    StructureOptions options = tree_on(GetParam());
    options.layout = layout;
    LiveStructure live = live_over(sphere(), options);
    const Seen seen = look(live, rays);
    std::map<u32, u32> leaf_of_label;
    for (u64 i = 0; i < rays.size(); ++i) {
      if (seen.surfaces[i].id == invalid_id) continue;
      const Pick pick = live.host_copy().walk(live.host_triangles(), rays[i]);
      EXPECT_TRUE(layout != Layout::bvh2 || seen.labels[i] == pick.leaf);
      const auto [at, fresh] = leaf_of_label.insert({seen.labels[i], pick.leaf});
      EXPECT_EQ(at->second, pick.leaf) << "one label, one leaf";
    }
    EXPECT_GT(leaf_of_label.size(), 10u);
  }
}

TEST_P(Structures, PicksListTheWayToTheLeafThatHoldsTheHit) {
  const std::vector<Ray> rays = some_rays();
  for (const StructureOptions& options : everything()) {
    LiveStructure live = live_over(sphere(), options);
    for (const Ray& ray : rays) {
      const Pick pick = live.host_copy().walk(live.host_triangles(), ray);
      if (!is_hit(pick.hit)) continue;
      if (options.kind == StructureKind::points) continue;  // balls reach beyond their cells
      ASSERT_FALSE(pick.visited.empty());
      if (live.host_copy().tree() == nullptr) continue;
      EXPECT_EQ(pick.visited.front().depth, 0u) << "from the root on";
      const auto leaf = std::find_if(pick.visited.begin(), pick.visited.end(),
                                     [&](const VisitedNode& node) { return node.node == pick.leaf; });
      ASSERT_NE(leaf, pick.visited.end());
      EXPECT_TRUE(leaf->is_leaf);
      if (is_of_voxels(options.kind)) continue;  // their rays may be off by 1/32 of a voxel, and test no triangles
      EXPECT_LE(leaf->entered, pick.hit.t * 1.0001f);
      EXPECT_GE(pick.primitive_tests, 1u);
    }
  }
}

TEST_P(Structures, VisitsOfATreeAreThoseOfThePick) {
  const std::vector<Ray> rays = some_rays();
  LiveStructure live = live_over(sphere(), tree_on(GetParam()));
  const Seen seen = look(live, rays);
  if (GetParam() != Backend::cpu) GTEST_SKIP() << "the GPU rounds boxes otherwise, and visits a few others";
  for (u64 i = 0; i < rays.size(); ++i) {
    const Pick pick = live.host_copy().walk(live.host_triangles(), rays[i]);
    EXPECT_EQ(seen.visits[i], pick.visited.size() + pick.primitive_tests);
  }
}

TEST_P(Structures, RefittedAndRebuiltSeeTheSameScene) {
  const std::vector<Ray> rays = some_rays();
  for (const StructureOptions& options : everything()) {
    for (const Deformation deformation : {Deformation::twist, Deformation::explode, Deformation::wave}) {
      const Pose pose{deformation, 0.5f, 0.4f};
      LiveStructure refitted = live_over(sphere(), options), built = live_over(sphere(), options, pose);
      refitted.move(pose, UpdateMode::refit, true);
      const Seen a = look(refitted, rays), b = look(built, rays);
      for (u64 i = 0; i < rays.size(); ++i) EXPECT_EQ(a.surfaces[i].t, b.surfaces[i].t) << in_words(options);
    }
  }
}

TEST_P(Structures, StructureThatIsLeftBehindBreaksAndIsMended) {
  const std::vector<Ray> rays = some_rays();
  const Pose pose{Deformation::explode, 1, 0.5f};
  LiveStructure live = live_over(sphere(), tree_on(GetParam())),
                right = live_over(sphere(), tree_on(GetParam()), pose);
  const auto misses = [&] {
    const Seen a = look(live, rays), b = look(right, rays);
    u64 count = 0;
    for (u64 i = 0; i < rays.size(); ++i) count += a.surfaces[i].id != b.surfaces[i].id;
    return count;
  };
  live.move(pose, UpdateMode::nothing, true);
  EXPECT_GT(misses(), 0u);
  live.refit_now();
  EXPECT_EQ(misses(), 0u);
  EXPECT_GT(live.drift(), 1.05);
  live.build_now();
  EXPECT_EQ(misses(), 0u);
  EXPECT_EQ(live.drift(), 1.0);
}

TEST_P(Structures, AutomaticRebuildsWhereARefitWouldHaveGrownByAQuarter) {
  for (const float strength : {0.02f, 0.5f, 4.0f}) {
    const Pose pose{Deformation::explode, strength, 0.25f};
    LiveStructure refitted = live_over(sphere(), tree_on(GetParam())),
                  live = live_over(sphere(), tree_on(GetParam()));
    refitted.move(pose, UpdateMode::refit, true);
    live.move(pose, UpdateMode::automatic, true);
    const bool is_due = refitted.drift() > 1.25;
    EXPECT_EQ(live.times().is_refit, !is_due) << strength << ": " << refitted.drift();
    EXPECT_EQ(live.drift(), is_due ? 1 : refitted.drift()) << strength;
  }
}

TEST_P(Structures, SceneWithoutTrianglesHasThemAll) {
  const std::vector<Ray> rays = some_rays();
  for (const StructureOptions& options : everything()) {
    LiveStructure live = live_over(join_meshes({}), options);
    const Seen seen = look(live, rays);
    for (const SurfaceHit& surface : seen.surfaces) EXPECT_EQ(surface.id, invalid_id) << in_words(options);
    EXPECT_FALSE(is_hit(live.host_copy().walk(live.host_triangles(), rays[0]).hit));
    u64 count = 7;
    EXPECT_TRUE(live.host_copy().cells(10, count).empty());
    EXPECT_EQ(count, 0u);
    live.move({Deformation::explode, 1, 0.5f}, UpdateMode::refit, true);
    live.build_now();
  }
}

TEST_P(Structures, RefusesOptionsThatNoBuilderTakes) {
  StructureOptions options = tree_on(GetParam());
  options.max_leaf_size = 77;
  EXPECT_COPSE_ERROR(live_over(sphere(), options), ErrorCode::invalid_argument, "77");
}

TEST(StructuresWithoutGpu, BackendThatIsNotThereIsAnError) {
  if (gpu_answers()) GTEST_SKIP() << "a GPU answers";
  EXPECT_COPSE_ERROR(live_over(sphere(), tree_on(Backend::cuda)), ErrorCode::no_device, "");
}

}  // namespace
}  // namespace copse::test
