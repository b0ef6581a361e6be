#include "trace/camera.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

#include "tests/support/backends.h"
#include "tests/support/values.h"

namespace copse {
namespace {

using test::nan;

/// The place of a point in the image: x and y from -1 to 1, and its depth.
glm::dvec3 project(const Camera& camera, const vec3& point) {
  using glm::dvec3;
  const dvec3 p = dvec3(point) - dvec3(camera.eye), right(camera.right), up(camera.up);
  const double depth = glm::dot(p, dvec3(camera.forward));
  return {glm::dot(p, right) / glm::dot(right, right) / depth, glm::dot(p, up) / glm::dot(up, up) / depth, depth};
}

bool is_finite(const Camera& camera) {
  return copse::is_finite(camera.eye) && copse::is_finite(camera.forward) && copse::is_finite(camera.right) &&
         copse::is_finite(camera.up);
}

void expect_to_see(const Aabb& box, float field_of_view, float aspect) {
  const Camera camera = frame_box(box, field_of_view, aspect);
  ASSERT_TRUE(is_finite(camera));
  double widest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const vec3 p(corner & 1 ? box.hi.x : box.lo.x, corner & 2 ? box.hi.y : box.lo.y,
                 corner & 4 ? box.hi.z : box.lo.z);
    const glm::dvec3 at = project(camera, p);
    EXPECT_GT(at.z, 0);
    EXPECT_LE(std::abs(at.x), 1) << field_of_view << " " << aspect;
    EXPECT_LE(std::abs(at.y), 1) << field_of_view << " " << aspect;
    widest = std::max({widest, std::abs(at.x), std::abs(at.y)});
  }
  EXPECT_GT(widest, 0.5) << "the box is small in the image: " << field_of_view << " " << aspect;
}

TEST(FrameBox, SeesAllOfTheBox) {
  const Aabb boxes[] = {{vec3(-1), vec3(1)},
                        {vec3(5, -3, 100), vec3(6, 40, 101)},
                        {vec3(-1e-3f), vec3(1e-3f)},
                        {vec3(-1e6f, 0, 0), vec3(1e6f, 1, 1)}};
  for (const Aabb& box : boxes) {
    for (float field_of_view : {5.0f, 45.0f, 90.0f}) {
      for (float aspect : {0.2f, 1.0f, 16.0f / 9, 5.0f}) expect_to_see(box, field_of_view, aspect);
    }
  }
}

TEST(FrameBox, SeesFlatBoxes) {
  expect_to_see({vec3(0, 0, 0), vec3(1, 1, 0)}, 45, 1);
  expect_to_see({vec3(0, 0, 0), vec3(1, 0, 1)}, 45, 1);
  expect_to_see({vec3(0, 0, 0), vec3(0, 1, 1)}, 45, 1);
  expect_to_see({vec3(0, 0, 0), vec3(0, 0, 1)}, 45, 1);
}

TEST(FrameBox, LooksFromAbove) {
  const Camera camera = frame_box({vec3(-1), vec3(1)}, 45, 1);
  EXPECT_LT(camera.forward.y, -0.2f);
  EXPECT_GT(camera.up.y, 0);
}

TEST(FrameBox, OfAPointOrNothingIsACamera) {
  for (const Aabb& box : {Aabb{vec3(0), vec3(0)}, Aabb{vec3(1e6f, 2, 3), vec3(1e6f, 2, 3)}, Aabb::empty(),
                          Aabb{vec3(3e38f), vec3(3e38f)}, Aabb{vec3(-3e38f), vec3(3e38f)}}) {
    const Camera camera = frame_box(box, 45, 1);
    EXPECT_TRUE(is_finite(camera));
    EXPECT_NEAR(glm::length(camera.forward), 1, 1e-5f);
  }
  const vec3 point(1e6f, 2, 3);
  EXPECT_NEAR(project(frame_box({point, point}, 45, 1), point).x, 0, 1e-2);
}

TEST(LookAt, PutsTheTargetInTheMiddle) {
  const Camera camera = look_at(vec3(1, 2, 3), vec3(4, -5, 6), vec3(0, 1, 0), 60, 2);
  const glm::dvec3 at = project(camera, vec3(4, -5, 6));
  EXPECT_NEAR(at.x, 0, 1e-6);
  EXPECT_NEAR(at.y, 0, 1e-6);
  EXPECT_NEAR(glm::length(camera.up), std::tan(M_PI / 6), 1e-6);
  EXPECT_NEAR(glm::length(camera.right), 2 * std::tan(M_PI / 6), 1e-6);
  EXPECT_NEAR(glm::dot(camera.right, camera.up), 0, 1e-6);
}

TEST(LookAt, KeepsRightToTheRight) {
  const Camera camera = look_at(vec3(0, 0, 5), vec3(0), vec3(0, 1, 0), 60, 1);
  EXPECT_GT(camera.right.x, 0);
  EXPECT_GT(camera.up.y, 0);
}

TEST(LookAt, ReplacesAnUpAlongTheView) {
  for (const vec3& up : {vec3(0, 1, 0), vec3(0, -3, 0), vec3(0)}) {
    const Camera camera = look_at(vec3(0, 5, 0), vec3(0), up, 60, 1);
    EXPECT_TRUE(is_finite(camera));
    EXPECT_NEAR(glm::length(camera.right), std::tan(M_PI / 6), 1e-6);
    EXPECT_FALSE(can_be_up(up, vec3(0, 5, 0), vec3(0)));
  }
  EXPECT_TRUE(can_be_up(vec3(1e-30f, 0, 0), vec3(0, 5, 0), vec3(0)));
  EXPECT_TRUE(can_be_up(vec3(1e-3f, 1, 0), vec3(0, 5, 0), vec3(0)));
  EXPECT_FALSE(can_be_up(vec3(1, 0, 0), vec3(0), vec3(0))) << "there is no view";
}

TEST(LookAt, RefusesWhatIsNoView) {
  const vec3 eye(0, 0, 5), target(0), up(0, 1, 0);
  for (float angle : {0.0f, -1.0f, 180.0f, 1000.0f, nan}) {
    EXPECT_COPSE_ERROR(look_at(eye, target, up, angle, 1), ErrorCode::invalid_argument, "field of view");
    EXPECT_COPSE_ERROR(frame_box({vec3(0), vec3(1)}, angle, 1), ErrorCode::invalid_argument, "field of view");
  }
  for (float aspect : {0.0f, -1.0f, infinity, nan}) {
    EXPECT_COPSE_ERROR(look_at(eye, target, up, 60, aspect), ErrorCode::invalid_argument, "aspect");
  }
  EXPECT_COPSE_ERROR(look_at(vec3(nan), target, up, 60, 1), ErrorCode::invalid_argument, "eye");
  EXPECT_COPSE_ERROR(look_at(eye, vec3(infinity), up, 60, 1), ErrorCode::invalid_argument, "target");
  EXPECT_COPSE_ERROR(look_at(eye, target, vec3(nan), 60, 1), ErrorCode::invalid_argument, "up");
  EXPECT_COPSE_ERROR(look_at(eye, eye, up, 60, 1), ErrorCode::invalid_argument, "both");
  EXPECT_COPSE_ERROR(frame_box({vec3(-infinity), vec3(infinity)}, 60, 1), ErrorCode::invalid_argument, "box");
}

TEST(CameraRay, GoesThroughThePixelsMiddle) {
  const Camera camera = look_at(vec3(0, 0, 1), vec3(0), vec3(0, 1, 0), 90, 2);
  const Ray top_left = camera_ray(camera, 0, 0, 4, 2);
  EXPECT_NEAR(top_left.direction.x / -top_left.direction.z, -1.5f, 1e-6f);
  EXPECT_NEAR(top_left.direction.y / -top_left.direction.z, 0.5f, 1e-6f);
  const Ray bottom_right = camera_ray(camera, 3, 1, 4, 2);
  EXPECT_NEAR(bottom_right.direction.x / -bottom_right.direction.z, 1.5f, 1e-6f);
  EXPECT_NEAR(bottom_right.direction.y / -bottom_right.direction.z, -0.5f, 1e-6f);
  EXPECT_NEAR(glm::length(top_left.direction), 1, 1e-6f);
}

}  // namespace
}  // namespace copse
