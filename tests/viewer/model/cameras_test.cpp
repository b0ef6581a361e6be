// Cameras that keys and mouse move.

#include "viewer/model/picture/cameras.h"

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/vec4.hpp>

#include "tests/support/backends.h"

namespace copse::test {
namespace {

using namespace viewer;

float distance_of(const CameraRig& rig) {
  return glm::distance(rig.pose().eye, rig.pose().target);
}

TEST(CameraRig, OrbitKeepsTheDistanceAndTheTarget) {
  CameraRig rig;
  const vec3 target = rig.pose().target;
  const float before = distance_of(rig);
  for (int i = 0; i < 50; ++i) rig.orbit(0.13f, 0.02f);
  EXPECT_NEAR(distance_of(rig), before, 1e-4f);
  EXPECT_EQ(rig.pose().target, target);
}

TEST(CameraRig, OrbitStopsBeforeThePoles) {
  CameraRig rig;
  for (const float way : {10.0f, -20.0f}) {
    rig.orbit(0, way);
    const vec3 direction = glm::normalize(rig.pose().eye - rig.pose().target);
    EXPECT_LT(std::abs(direction.y), 0.99999f);
    EXPECT_GT(std::abs(direction.y), 0.99f);
    EXPECT_NO_THROW(rig.camera(1.5f));
  }
}

TEST(CameraRig, FrameSeesTheWholeBoxInAnyWindow) {
  const Aabb box{vec3(-3, 1, 2), vec3(5, 2, 90)};
  for (const float aspect : {0.4f, 1.0f, 2.5f}) {
    CameraRig rig;
    rig.frame(box, aspect);
    const glm::mat4 matrix = view_projection(rig.camera(aspect), 0.1f, 1000);
    for (int k = 0; k < 8; ++k) {
      const vec3 corner(k & 1 ? box.hi.x : box.lo.x, k & 2 ? box.hi.y : box.lo.y, k & 4 ? box.hi.z : box.lo.z);
      const glm::vec4 clip = matrix * glm::vec4(corner, 1);
      EXPECT_GT(clip.w, 0);
      EXPECT_LE(std::abs(clip.x), clip.w);
      EXPECT_LE(std::abs(clip.y), clip.w);
    }
  }
}

/// The number of corners of a box that a picture of this aspect shows.
int seen_corners(const CameraRig& rig, const Aabb& box, float aspect) {
  const glm::mat4 matrix = view_projection(rig.camera(aspect), 0.1f, 10000);
  int count = 0;
  for (int k = 0; k < 8; ++k) {
    const vec3 corner(k & 1 ? box.hi.x : box.lo.x, k & 2 ? box.hi.y : box.lo.y, k & 4 ? box.hi.z : box.lo.z);
    const glm::vec4 clip = matrix * glm::vec4(corner, 1);
    count += clip.w > 0 && std::abs(clip.x) <= clip.w * 1.00001f && std::abs(clip.y) <= clip.w * 1.00001f;
  }
  return count;
}

TEST(CameraRig, KeepsABoxFramedUntilItIsMoved) {
  const Aabb box{vec3(-30, -1, -2), vec3(30, 1, 2)};
  CameraRig rig;
  rig.frame(box, 1.9f);
  EXPECT_LT(seen_corners(rig, box, 0.5f), 8);
  rig.keep_framed(box, 0.5f);
  EXPECT_EQ(seen_corners(rig, box, 0.5f), 8);
  EXPECT_TRUE(rig.is_framed());
  rig.orbit(0.1f, 0);
  const CameraPose moved = rig.pose();
  rig.keep_framed(box, 0.3f);
  EXPECT_EQ(rig.pose(), moved);
}

TEST(CameraRig, StepsBackUntilANarrowPictureShowsWhatAWideOneDid) {
  const Aabb box{vec3(-30, -1, -20), vec3(30, 6, 20)};
  for (const float turn : {0.0f, 0.1f, 0.33f, -0.4f}) {
    CameraRig rig;
    rig.frame(box, 1.9f);
    rig.orbit(turn, 0.05f);
    const vec3 target = rig.pose().target;
    const int before = seen_corners(rig, box, 1.9f);
    rig.step_back(box, 1.9f, 0.5f);
    EXPECT_GE(seen_corners(rig, box, 0.5f), before) << turn;
    EXPECT_EQ(rig.pose().target, target);
    const CameraPose pose = rig.pose();
    rig.step_back(box, 0.5f, 1.9f);
    EXPECT_EQ(rig.pose(), pose) << "a wider picture shows it anyway";
  }
}

TEST(CameraRig, EmptyAndPointScenesCanBeFramed) {
  for (const Aabb& box : {Aabb::empty(), Aabb{vec3(7), vec3(7)}}) {
    CameraRig rig;
    rig.frame(box);
    EXPECT_NO_THROW(rig.camera(1));
    rig.dolly(3);
    rig.move(1, 0, 1, 0.1);
    EXPECT_NO_THROW(rig.camera(1));
  }
}

TEST(CameraRig, DollyComesCloserAndNeverArrives) {
  CameraRig rig;
  const float before = distance_of(rig);
  rig.dolly(1);
  EXPECT_NEAR(distance_of(rig), 0.9f * before, 1e-4f);
  for (int i = 0; i < 100; ++i) rig.dolly(50);
  EXPECT_GT(distance_of(rig), 0);
  for (int i = 0; i < 100; ++i) rig.dolly(-50);
  EXPECT_NO_THROW(rig.camera(1));
}

TEST(CameraRig, LooksAlongNoAxisOnWhichTheEyeWouldMeetItsTarget) {
  CameraRig rig;
  rig.frame({vec3(1e7f, -0.5f, -0.5f), vec3(1e7f + 1, 0.5f, 0.5f)});
  rig.look_along(2, false);
  for (int i = 0; i < 100; ++i) rig.dolly(5);
  for (u32 axis = 0; axis < 3; ++axis) {
    for (const bool negative : {false, true}) {
      rig.look_along(axis, negative);
      EXPECT_NE(rig.pose().eye, rig.pose().target);
      EXPECT_NO_THROW(rig.camera(1));
    }
  }
}

TEST(CameraRig, FirstPersonWalksOnItsPlane) {
  CameraRig rig;
  rig.mode = CameraMode::first_person;
  rig.look(0.2f, -0.3f);
  const float height = rig.pose().eye.y;
  rig.move(0.5f, 0, 1, 2);
  EXPECT_NEAR(rig.pose().eye.y, height, 1e-4f);
  rig.mode = CameraMode::fly;
  rig.move(0, 0, 1, 2);
  EXPECT_GT(std::abs(rig.pose().eye.y - height), 0.01f);
}

TEST(CameraRig, NoMotionGivesAPoseThatCannotBeRendered) {
  CameraRig rig;
  rig.frame({vec3(-1), vec3(1)});
  for (const float way : {1e30f, -1e38f, std::numeric_limits<float>::quiet_NaN()}) {
    rig.pan(way, way);
    rig.orbit(way, way);
    rig.look(way, way);
    rig.dolly(way);
    rig.move(way, way, way, 1e9);
    rig.set_field_of_view(way);
    EXPECT_NO_THROW(rig.camera(1.7f));
  }
}

TEST(CameraRig, LooksAlongEveryAxis) {
  for (u32 axis = 0; axis < 3; ++axis) {
    for (const bool negative : {false, true}) {
      CameraRig rig;
      rig.look_along(axis, negative);
      const Camera camera = rig.camera(1);
      EXPECT_NEAR(glm::normalize(camera.forward)[int(axis)], negative ? -1 : 1, 1e-6f);
      if (axis == 1) {
        EXPECT_GT(camera.right.x, 0) << "x is to the right, from above and from below";
      }
    }
  }
}

TEST(CameraRig, RefusesPosesThatCannotBeRendered) {
  CameraRig rig;
  CameraPose pose = rig.pose();
  pose.eye = pose.target;
  EXPECT_COPSE_ERROR(rig.set_pose(pose), ErrorCode::invalid_argument, "eye and target");
  pose = rig.pose();
  pose.field_of_view = 200;
  EXPECT_COPSE_ERROR(rig.set_pose(pose), ErrorCode::invalid_argument, "200");
}

TEST(ViewProjection, PutsPointsWhereTheirRaysAre) {
  CameraRig rig;
  rig.frame({vec3(-1, -2, -3), vec3(3, 2, 1)});
  constexpr u32 width = 200, height = 120;
  const Camera camera = rig.camera(float(width) / height);
  const glm::mat4 matrix = view_projection(camera, 0.01f, 100);
  for (const u32 x : {0u, 57u, 199u}) {
    for (const u32 y : {0u, 33u, 119u}) {
      const Ray ray = camera_ray(camera, x, y, width, height);
      const glm::vec4 clip = matrix * glm::vec4(ray.origin + 3.7f * ray.direction, 1);
      EXPECT_NEAR((clip.x / clip.w + 1) / 2 * width, x + 0.5f, 0.01f);
      EXPECT_NEAR((1 - clip.y / clip.w) / 2 * height, y + 0.5f, 0.01f);
    }
  }
}

TEST(ViewProjection, DepthGrowsFromNearToFar) {
  CameraRig rig;
  const Camera camera = rig.camera(1);
  const glm::mat4 matrix = view_projection(camera, 1, 10);
  const glm::vec4 near = matrix * glm::vec4(camera.eye + camera.forward, 1);
  const glm::vec4 far = matrix * glm::vec4(camera.eye + 10.0f * camera.forward, 1);
  EXPECT_NEAR(near.z / near.w, -1, 1e-4f);
  EXPECT_NEAR(far.z / far.w, 1, 1e-4f);
}

}  // namespace
}  // namespace copse::test
