// The frustum grid in the viewer: seen by its own camera, and from elsewhere.

#include <algorithm>
#include <glm/geometric.hpp>

#include "tests/support/backends.h"
#include "tests/viewer/model/look.h"
#include "tests/viewer/scenes.h"
#include "viewer/model/picture/cameras.h"
#include "viewer/model/picture/film.h"

namespace copse::test {
namespace {

using namespace viewer;

constexpr u32 width = 48, height = 32;

Camera camera_at(const vec3& eye, const vec3& target) {
  CameraRig rig;
  rig.set_pose({eye, target, vec3(0, 1, 0), 50});
  return rig.camera(float(width) / height);
}

/// Cameras outside, near the surface, inside, and past the scene.
std::vector<Camera> cameras() {
  return {camera_at({2, 1, 3}, {0, 0, 0}), camera_at({0, 0, 1.05f}, {1, 0.5f, 0}),
          camera_at({0, 0.1f, 0}, {0, 0, 1}), camera_at({3, 0, 0}, {4, 1, 0})};
}

std::vector<Ray> rays_of(const Camera& camera) {
  std::vector<Ray> rays;
  for (u32 i = 0; i < width * height; ++i) rays.push_back(camera_ray(camera, i % width, i / width, width, height));
  return rays;
}

class FrustumStructures : public OnEachBackend {
 protected:
  StructureOptions frustum() const {
    StructureOptions options = tree_on(GetParam());
    options.kind = StructureKind::frustum;
    options.frustum_resolution = uvec3(12, 8, 5);
    return options;
  }
};
COPSE_ON_EACH_BACKEND(FrustumStructures);

TEST_P(FrustumStructures, SeeWhatATreeSees) {
  LiveStructure live = live_over(sphere(), frustum()), tree = live_over(sphere(), tree_on(GetParam()));
  for (const Pose& pose : {Pose{}, Pose{Deformation::twist, 1, 0.4f}, Pose{Deformation::explode, 1, 0.4f}}) {
    live.move(pose, UpdateMode::refit, true);
    tree.move(pose, UpdateMode::rebuild, true);
    for (const Camera& camera : cameras()) {
      EXPECT_TRUE(live.aim(camera, true));
      EXPECT_FALSE(live.aim(camera, true)) << "it is made for it";
      const std::vector<Ray> rays = rays_of(camera);
      const Seen a = look(live, rays), b = look(tree, rays);
      for (u64 i = 0; i < rays.size(); ++i) {
        ASSERT_EQ(a.surfaces[i].t, b.surfaces[i].t) << i;
        ASSERT_EQ(a.surfaces[i].id, b.surfaces[i].id) << i;
      }
      EXPECT_EQ(a.occluded, b.occluded);
    }
  }
}

TEST_P(FrustumStructures, PicksListTheSlabsUpToTheHit) {
  LiveStructure live = live_over(sphere(), frustum());
  const u64 revision = live.form_revision();
  for (const Camera& camera : cameras()) {
    live.aim(camera, true);
    const std::vector<Ray> rays = rays_of(camera);
    const Seen seen = look(live, rays);
    for (u64 i = 0; i < rays.size(); ++i) {
      const Pick pick = live.host_copy().walk(live.host_triangles(), rays[i]);
      ASSERT_EQ(pick.hit.primitive, seen.surfaces[i].id);
      EXPECT_EQ(pick.hit.t, seen.surfaces[i].t);
      EXPECT_EQ(seen.visits[i], pick.visited.size() + pick.primitive_tests);
      if (!is_hit(pick.hit)) continue;
      const bool has_leaf = std::any_of(pick.visited.begin(), pick.visited.end(),
                                        [&](const VisitedNode& visited) { return visited.node == pick.leaf; });
      EXPECT_TRUE(has_leaf);
      EXPECT_EQ(seen.labels[i] / 5, pick.visited[0].node / 5) << "a ray stays in its tile";
      EXPECT_EQ(seen.labels[i] % 5, seen.depths[i]);
    }
  }
  EXPECT_EQ(live.form_revision(), revision + cameras().size());
}

TEST_P(FrustumStructures, CellsAreCountedAndStandInFrontOfTheCamera) {
  LiveStructure live = live_over(sphere(), frustum());
  const Camera camera = cameras()[0];
  live.aim(camera, true);
  u64 count = 0;
  EXPECT_EQ(live.host_copy().cells(3, count).size(), 3u);
  EXPECT_EQ(count, live.statistics().occupied_count);
  EXPECT_LT(*live.statistics().nearest, *live.statistics().farthest);
  EXPECT_EQ(*live.statistics().resolution, uvec3(12, 8, 5));
  for (const CellCorners& corners : live.host_copy().cells(~u64{0}, count)) {
    for (const vec3& corner : corners) EXPECT_GT(glm::dot(corner - camera.eye, camera.forward), 0);
  }
}

TEST_P(FrustumStructures, OneThatDoesNotFollowStaysAndIsSeenFromElsewhereThroughATree) {
  StructureOptions options = frustum();
  options.frustum_follows = false;
  LiveStructure live = live_over(sphere(), options), tree = live_over(sphere(), tree_on(GetParam()));
  const std::vector<Camera> all = cameras();
  EXPECT_TRUE(live.aim(all[0], true)) << "for the first that it is seen from";
  look(live, rays_of(all[0]));
  const u64 occupied = *live.statistics().occupied_count, revision = live.form_revision();
  EXPECT_FALSE(live.aim(all[1], true));
  const std::vector<Ray> rays = rays_of(all[1]);
  const Seen a = look(live, rays), b = look(tree, rays);
  for (u64 i = 0; i < rays.size(); ++i) {
    ASSERT_EQ(a.surfaces[i].id, b.surfaces[i].id);
    const Pick pick = live.host_copy().walk(live.host_triangles(), rays[i]);
    EXPECT_EQ(pick.hit.primitive, a.surfaces[i].id) << "picked without the cells";
    EXPECT_TRUE(pick.visited.empty());
  }
  EXPECT_EQ(live.form_revision(), revision);
  EXPECT_EQ(*live.statistics().occupied_count, occupied);
  EXPECT_FALSE(live.aim(all[0], true)) << "it still stands";
}

TEST_P(FrustumStructures, SceneWithoutTrianglesHasOne) {
  LiveStructure live = live_over(join_meshes({}), frustum());
  live.aim(cameras()[0], true);
  const Seen seen = look(live, rays_of(cameras()[0]));
  for (const SurfaceHit& surface : seen.surfaces) EXPECT_EQ(surface.id, invalid_id);
  u64 count = 7;
  EXPECT_TRUE(live.host_copy().cells(10, count).empty());
  EXPECT_EQ(count, 0u);
}

TEST_P(FrustumStructures, RefuseResolutionsThatNoBuilderTakes) {
  StructureOptions options = frustum();
  options.frustum_resolution = uvec3(513, 1, 1);
  EXPECT_COPSE_ERROR(live_over(sphere(), options), ErrorCode::invalid_argument, "513");
}

TEST(FrustumInASession, IsBuiltAnewForEveryCameraAndShowsTheSamePicture) {
  SmallSession tree, frustum;
  frustum.session.wanted(0).kind = StructureKind::frustum;
  frustum.session.build(0);
  for (u32 turn = 0; turn < 3; ++turn) {
    for (Session* session : {&tree.session, &frustum.session}) {
      session->camera().orbit(0.1f, 0.05f);
      session->view().view = turn == 2 ? View::ambient_occlusion : View::shaded;
      session->view().ambient_samples = 4;
      session->view().smooth_samples = 1;  // rays between those of the grid's camera go through the tree alone
      session->overlay().cells = true;
      session->finish();
    }
    EXPECT_TRUE(same_pixels(tree.session.picture(0).image, frustum.session.picture(0).image));
    EXPECT_FALSE(frustum.session.busy());
  }
  EXPECT_GE(frustum.session.timings(0).build.values().size(), 4u) << "each is in the history";
  const u64 occupied = *frustum.session.statistics(0).occupied_count;
  EXPECT_LT(frustum.session.lines(0).size(), 24 * occupied) << "neighbours share edges";
  EXPECT_GT(frustum.session.lines(0).size(), 6 * occupied) << "a cell of a full grid adds three edges";
  EXPECT_TRUE(frustum.session.messages().list().empty());
  frustum.session.pick(0.5f, 0.5f);
  EXPECT_TRUE(is_hit(frustum.session.picked()->hit));
  EXPECT_FALSE(frustum.session.picked()->visited.empty());
  frustum.session.view().slice.on = true;
  tree.session.view().slice.on = true;
  tree.session.finish();
  frustum.session.finish();
  EXPECT_TRUE(same_pixels(tree.session.picture(0).image, frustum.session.picture(0).image));
}

}  // namespace
}  // namespace copse::test
