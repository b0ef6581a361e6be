// An instance far away from all others leaves the tree over these as good as it was.

#include <gtest/gtest.h>

#include "tests/scene/scenes.h"

namespace copse {
namespace {

using test::Models;

std::vector<Instance> small_balls(u32 count) {
  test::RayMaker random(17);
  std::vector<Instance> instances(count);
  for (Instance& instance : instances) {
    const vec3 at = random.point(-20, 20);
    for (int i = 0; i < 3; ++i) instance.rows[i][i] = 0.5f, instance.rows[i][3] = at[i];
  }
  return instances;
}

/// A ray among the others visits two or three nodes more at the top, where boxes are in steps of the whole scene, and
/// those within the padding of rays, which is 2^-19 of the scene. An order without a grid of its own costs six times as
/// much at 10^5.
TEST(SceneOutliers, CostRaysAmongTheOthersLittle) {
  Context context({.backend = Backend::cpu});
  const Models models(context, {generate_sphere(2)});
  const std::vector<AccelView> accels{models.accels[0].view()};
  std::vector<Ray> rays;
  test::RayMaker random(3);
  for (u32 i = 0; i < 1000; ++i) rays.push_back({random.point(-20, 20), 0, random.point(-1, 1), infinity});
  const auto visits = [&](const std::vector<Instance>& instances, Quality quality) {
    const Scene scene = build(context, models.accels, instances, {.quality = quality});
    context.wait();
    u64 sum = 0;
    for (const Ray& ray : rays) sum += test::visit_count(scene, accels, ray);
    return double(sum);
  };
  const std::vector<Instance> balls = small_balls(1000);
  for (const Quality quality : test::all_qualities) {
    const double without = visits(balls, quality);
    for (const float distance : {1e3f, 1e4f, -1e5f}) {
      std::vector<Instance> with = balls;
      with.insert(with.begin() + 400, balls[0]);
      for (auto& row : with[400].rows) row[3] = distance;
      EXPECT_LT(visits(with, quality), 1.4 * without) << name_of(quality) << ", at " << distance;
    }
  }
}

}  // namespace
}  // namespace copse
