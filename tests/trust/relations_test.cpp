// Relations between inputs. If a mesh and its rays change in a way with a known effect, the answers must change by
// exactly that effect. These tests need no oracle.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "builders/bvh/build.h"
#include "builders/geometry/generate.h"
#include "tests/accel/accels.h"

namespace copse {
namespace {

using test::BvhCopy;
using test::DeviceMesh;

/// What a relation is tried on: rays at a mesh in which no two triangles are hit at the same t.
struct Question {
  Mesh mesh = generate_random(1500, 0.12f);
  std::vector<Ray> rays;

  Question() {
    test::RayMaker make(7);
    const Aabb box = bounds(mesh);
    for (u32 i = 0; i < 700; ++i) rays.push_back(make.into(box));
  }
};

std::vector<Hit> answer(Context& context, const Question& question, Quality quality) {
  const DeviceMesh device(context, question.mesh);
  return test::trace(context, build(context, device.view(), {.quality = quality}), question.rays);
}

/// The same hits, if t and the weights may be rounded otherwise.
void expect_near(const Hit& hit, const Hit& expected, float u, float v) {
  ASSERT_EQ(hit.primitive, expected.primitive);
  if (!is_hit(expected)) return;
  EXPECT_NEAR(hit.t, expected.t, 4e-7f * (1 + expected.t));
  EXPECT_NEAR(hit.u, u, 2e-5f);
  EXPECT_NEAR(hit.v, v, 2e-5f);
}

class Relations : public test::OnEachBackend {
 protected:
  /// Calls check(quality, hits) for the question's answers by each quality, some of which are hits and some misses.
  template <class Check>
  void for_each_quality(const Question& question, const Check& check) {
    for (const Quality quality : test::all_qualities) {
      SCOPED_TRACE(name_of(quality));
      const std::vector<Hit> hits = answer(context(), question, quality);
      const auto hit_count = std::count_if(hits.begin(), hits.end(), [](const Hit& hit) { return is_hit(hit); });
      ASSERT_GT(hit_count, 200);
      ASSERT_LT(hit_count, 690);
      check(quality, hits);
    }
  }
};

COPSE_ON_EACH_BACKEND(Relations);

TEST_P(Relations, APowerOfTwoScalesDistancesAndNothingElse) {
  const Question question;
  for_each_quality(question, [&](Quality quality, const std::vector<Hit>& hits) {
    for (const int power : {-12, 12, 24}) {
      const float scale = std::ldexp(1.0f, power);
      Question scaled = question;
      for (vec3& p : scaled.mesh.positions) p *= scale;
      for (Ray& ray : scaled.rays) ray.origin *= scale;
      std::vector<Hit> expected = hits;
      for (Hit& hit : expected) hit.t *= scale;
      const std::vector<Hit> found = answer(context(), scaled, quality);
      for (size_t i = 0; i < found.size(); ++i) ASSERT_TRUE(test::same_bits(found[i], expected[i])) << power;
    }
  });
}

TEST_P(Relations, APowerOfTwoScalesTheBoxesOfATreeAndNothingElse) {
  const Question question;
  const float scale = 4096;
  Mesh scaled = question.mesh;
  for (vec3& p : scaled.positions) p *= scale;
  const DeviceMesh device(context(), question.mesh), device_scaled(context(), scaled);
  for (const AnyBuildOptions& options :
       {AnyBuildOptions(LbvhOptions{}), AnyBuildOptions(HplocOptions{}), AnyBuildOptions(SahOptions{})}) {
    const BvhCopy found(build(context(), device_scaled.view(), options));
    BvhCopy expected(build(context(), device.view(), options));
    for (BvhNode& node : expected.nodes) {
      node.lo *= scale;
      node.hi *= scale;
    }
    EXPECT_TRUE(same_bytes(found, expected)) << "builder " << options.index();
  }
}

TEST_P(Relations, ALongerDirectionShortensDistancesAndNothingElse) {
  const Question question;
  for_each_quality(question, [&](Quality quality, const std::vector<Hit>& hits) {
    Question faster = question;
    for (Ray& ray : faster.rays) ray.direction *= 1024;
    std::vector<Hit> expected = hits;
    for (Hit& hit : expected) hit.t /= 1024;
    const std::vector<Hit> found = answer(context(), faster, quality);
    for (size_t i = 0; i < found.size(); ++i) ASSERT_TRUE(test::same_bits(found[i], expected[i]));
  });
}

TEST_P(Relations, AnotherOrderOfTrianglesRenumbersTheHits) {
  const Question question;
  for_each_quality(question, [&](Quality quality, const std::vector<Hit>& hits) {
    std::vector<u32> order(question.mesh.triangles.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(3));
    Question shuffled = question;
    for (u32 i = 0; i < order.size(); ++i) shuffled.mesh.triangles[i] = question.mesh.triangles[order[i]];
    std::vector<Hit> found = answer(context(), shuffled, quality);
    for (size_t i = 0; i < found.size(); ++i) {
      if (is_hit(found[i])) found[i].primitive = order[found[i].primitive];
      ASSERT_TRUE(test::same_bits(found[i], hits[i])) << test::text(question.rays[i]);
    }
  });
}

TEST_P(Relations, AnotherFirstCornerTurnsTheWeights) {
  const Question question;
  for_each_quality(question, [&](Quality quality, const std::vector<Hit>& hits) {
    Question turned = question;
    for (uvec3& t : turned.mesh.triangles) t = uvec3(t.y, t.z, t.x);
    const std::vector<Hit> found = answer(context(), turned, quality);
    // The new triangle is (b, c, a), and u, v are the weights of its second and third corner.
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_NO_FATAL_FAILURE(expect_near(found[i], hits[i], hits[i].v, 1 - hits[i].u - hits[i].v));
  });
}

TEST_P(Relations, AxesInAnotherOrderChangeNoHit) {
  const Question question;
  for_each_quality(question, [&](Quality quality, const std::vector<Hit>& hits) {
    const auto turn = [](const vec3& p) { return vec3(p.y, p.z, p.x); };
    Question turned = question;
    for (vec3& p : turned.mesh.positions) p = turn(p);
    for (Ray& ray : turned.rays) ray = {turn(ray.origin), ray.t_min, turn(ray.direction), ray.t_max};
    const std::vector<Hit> found = answer(context(), turned, quality);
    for (size_t i = 0; i < found.size(); ++i)
      ASSERT_NO_FATAL_FAILURE(expect_near(found[i], hits[i], hits[i].u, hits[i].v));
  });
}

TEST_P(Relations, ViewsOfTheSameTrianglesRenumberTheHits) {
  const Question question;
  const DeviceMesh device(context(), question.mesh);
  std::vector<TriangleView> views;
  std::vector<u32> begins;
  for (u32 begin = 0, n = u32(question.mesh.triangles.size()); begin < n; begin += 1 + u32(views.size()) * 9) {
    if (!views.empty()) views.back().triangles.size = begin - begins.back();
    views.push_back(device.view(u32(views.size())));
    views.back().triangles = device.triangles.span().subspan(begin, n - begin);
    begins.push_back(begin);
  }
  ASSERT_GT(views.size(), 15u);
  for_each_quality(question, [&](Quality quality, const std::vector<Hit>& hits) {
    const Accel accel = build(context(), views, {.quality = quality});
    std::vector<Hit> found = test::trace(context(), accel, question.rays);
    for (size_t i = 0; i < found.size(); ++i) {
      if (is_hit(found[i])) {
        found[i].primitive += begins[found[i].geometry];
        found[i].geometry = 0;
      }
      ASSERT_TRUE(test::same_bits(found[i], hits[i])) << test::text(question.rays[i]);
    }
  });
}

TEST_P(Relations, AFarMeshHidesNothing) {
  const Question question;
  const u32 near_count = u32(question.mesh.triangles.size());
  Question larger = question;
  const Mesh sphere = generate_sphere(3);
  const u32 first = u32(larger.mesh.positions.size());
  // The sphere is around all of it, and farther away than anything.
  for (const vec3& p : sphere.positions) larger.mesh.positions.push_back(p * 1e6f);
  for (const uvec3& t : sphere.triangles) larger.mesh.triangles.push_back(t + first);
  for_each_quality(question, [&](Quality quality, const std::vector<Hit>& hits) {
    const std::vector<Hit> found = answer(context(), larger, quality);
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_TRUE(is_hit(found[i])) << "a closed sphere is around the ray";
      if (is_hit(hits[i])) {
        ASSERT_TRUE(test::same_bits(found[i], hits[i])) << test::text(question.rays[i]);
      } else {
        ASSERT_GE(found[i].primitive, near_count) << test::text(question.rays[i]);
      }
    }
  });
}

}  // namespace
}  // namespace copse
