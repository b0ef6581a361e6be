// The deformations of scenes.

#include "viewer/model/scene/deform.h"

#include <cmath>
#include <glm/geometric.hpp>

#include "tests/support/backends.h"
#include "tests/viewer/scenes.h"
#include "viewer/model/inspect/host_copy.h"
#include "viewer/model/scene/device_scene.h"
#include "viewer/model/scene/turn.h"

namespace copse::test {
namespace {

using namespace viewer;

class Deform : public OnEachBackend {
 protected:
  HostTriangles posed(const Geometry& geometry, const Pose& pose) {
    DeviceScene scene(context(), geometry);
    scene.set_pose(pose);
    return download_triangles(context(), scene.view());
  }
};
COPSE_ON_EACH_BACKEND(Deform);

constexpr Deformation all[] = {Deformation::twist, Deformation::explode, Deformation::wave};

float longest_way(const HostTriangles& a, const HostTriangles& b) {
  float longest = 0;
  for (u64 i = 0; i < a.count(); ++i) {
    const Triangle s = load_triangle(a.view(), i), t = load_triangle(b.view(), i);
    longest = std::max({longest, glm::distance(s.a, t.a), glm::distance(s.b, t.b), glm::distance(s.c, t.c)});
  }
  return longest;
}

TEST_P(Deform, PhaseZeroIsTheSceneAtRest) {
  const HostTriangles rest = posed(sphere(), {});
  for (const Deformation deformation : all) {
    EXPECT_LT(longest_way(rest, posed(sphere(), {deformation, 1, 0})), 1e-5f) << name_of(deformation);
    EXPECT_GT(longest_way(rest, posed(sphere(), {deformation, 1, 0.25f})), 0.05f) << name_of(deformation);
  }
}

TEST_P(Deform, StrengthZeroMovesNothing) {
  const HostTriangles rest = posed(sphere(), {});
  for (const Deformation deformation : all) {
    EXPECT_LT(longest_way(rest, posed(sphere(), {deformation, 0, 0.4f})), 1e-5f) << name_of(deformation);
  }
}

TEST_P(Deform, TwistKeepsHeightsAndDistancesFromTheAxis) {
  const HostTriangles rest = posed(sphere(), {}), twisted = posed(sphere(), {Deformation::twist, 1, 0.25f});
  ASSERT_EQ(rest.positions.size(), twisted.positions.size());
  bool turned = false;
  for (u64 i = 0; i < rest.positions.size(); ++i) {
    const vec3 p = rest.positions[i], q = twisted.positions[i];
    EXPECT_EQ(p.y, q.y);
    EXPECT_NEAR(p.x * p.x + p.z * p.z, q.x * q.x + q.z * q.z, 1e-4f);
    turned |= glm::distance(p, q) > 0.2f;
  }
  EXPECT_TRUE(turned);
}

TEST_P(Deform, WaveMovesOnlyUpAndDown) {
  const HostTriangles rest = posed(sphere(), {}), waved = posed(sphere(), {Deformation::wave, 1, 0.3f});
  for (u64 i = 0; i < rest.positions.size(); ++i) {
    EXPECT_EQ(rest.positions[i].x, waved.positions[i].x);
    EXPECT_EQ(rest.positions[i].z, waved.positions[i].z);
  }
}

TEST_P(Deform, ExplodeKeepsTrianglesWholeAndPullsThemApart) {
  const HostTriangles rest = posed(sphere(), {}), apart = posed(sphere(), {Deformation::explode, 1, 0.5f});
  ASSERT_EQ(apart.count(), rest.count());
  for (u64 i = 0; i < rest.count(); ++i) {
    const Triangle s = load_triangle(rest.view(), i), t = load_triangle(apart.view(), i);
    EXPECT_NEAR(glm::distance(s.a, s.b), glm::distance(t.a, t.b), 1e-5f);
    EXPECT_NEAR(glm::distance(s.b, s.c), glm::distance(t.b, t.c), 1e-5f);
    EXPECT_GT(glm::length(t.a), glm::length(s.a));
  }
}

TEST_P(Deform, BackendsAgreeBitForBit) {
  Context cpu({.backend = Backend::cpu});
  for (const Deformation deformation : all) {
    const Pose pose{deformation, 1.3f, 0.37f};
    DeviceScene there(cpu, testball());
    there.set_pose(pose);
    const HostTriangles expected = download_triangles(cpu, there.view()), got = posed(testball(), pose);
    EXPECT_EQ(expected.positions, got.positions) << name_of(deformation);
  }
}

TEST_P(Deform, SceneWithoutTrianglesDeforms) {
  for (const Deformation deformation : all) {
    EXPECT_EQ(posed(join_meshes({}), {deformation, 1, 0.4f}).count(), 0u);
  }
}

TEST_P(Deform, RefusesAnotherNumberOfVertices) {
  Buffer<vec3> rest(context(), 4), out(context(), 4);
  Buffer<uvec3> triangles(context(), 2);
  EXPECT_COPSE_ERROR(deform(context(), {Deformation::explode, 1, 0.5f}, {vec3(0), vec3(1)}, rest.span(),
                            triangles.span(), out.span()),
                     ErrorCode::invalid_argument, "6");
}

TEST(SineOfTurns, IsTheSine) {
  for (float turns = -3; turns < 3; turns += 0.0137f) {
    EXPECT_NEAR(sine_of_turns(turns), std::sin(double(turns) * 6.283185307179586), 6e-6) << turns;
    EXPECT_NEAR(cosine_of_turns(turns), std::cos(double(turns) * 6.283185307179586), 6e-6) << turns;
  }
}

}  // namespace
}  // namespace copse::test
