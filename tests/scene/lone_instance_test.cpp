// A scene of one instance is traced by the kernels of its accel. Its hits have the bits of those that rays through the tree
// over the instances find. A second accel, which no instance has, makes rays take that way.

#include <gtest/gtest.h>

#include "tests/scene/scenes.h"

namespace copse {
namespace {

using test::Flattened;
using test::Models;

class LoneInstance : public test::OnEachBackend {
 protected:
  /// Expects the same hits of all rays, and of those that look for any hit.
  void expect_same(const Scene& lone, const Scene& usual, const std::vector<Ray>& rays, const std::string& name) {
    const std::vector<SceneHit> expected = test::trace(context(), usual, rays),
                                hits = test::trace(context(), lone, rays);
    const std::vector<u8> dark = test::trace_any(context(), lone, rays);
    for (size_t i = 0; i < rays.size(); ++i) {
      ASSERT_TRUE(test::same_bits(hits[i], expected[i]))
          << name << ", " << test::text(rays[i]) << ": " << test::text(hits[i]) << ", expected "
          << test::text(expected[i]);
      ASSERT_EQ(dark[i], is_hit(expected[i]) ? 1 : 0) << name << ", " << test::text(rays[i]);
    }
  }

  Scene lone(const Accel& accel, const Instance& instance) {
    return build(context(), accel, std::vector{instance});
  }
  Scene usual(const Accel& accel, const Instance& instance) {
    const std::vector<const Accel*> twice{&accel, &accel};
    return build(context(), std::span<const Accel* const>(twice), std::vector{instance});
  }
};

std::vector<std::pair<std::string, Instance>> placements() {
  std::vector<std::pair<std::string, Instance>> all{{"identity", {}}};
  const auto add = [&](const std::string& name, auto change) {
    Instance instance;
    change(instance);
    all.emplace_back(name, instance);
  };
  add("moved", [](Instance& i) { i.rows[0][3] = 3.7f, i.rows[2][3] = -0.1f; });
  add("mirrored", [](Instance& i) { i.rows[1][1] = -1; });
  add("tiny", [](Instance& i) { i.rows[0][0] = i.rows[1][1] = i.rows[2][2] = 1e-12f; });
  add("flat and sheared", [](Instance& i) { i.rows[1][1] = 1e-5f, i.rows[0][1] = 0.9f, i.rows[2][0] = -3; });
  add("singular", [](Instance& i) { i.rows[1][1] = 0; });
  add("not a number", [](Instance& i) { i.rows[1][2] = std::numeric_limits<float>::quiet_NaN(); });
  add("past the largest float", [](Instance& i) { i.rows[0][0] = 3e38f, i.rows[0][3] = 3e38f; });
  add("without a mask", [](Instance& i) { i.mask = 0; });
  for (const Instance& instance : test::random_instances(6, 1, 17)) all.emplace_back("at random", instance);
  return all;
}

TEST_P(LoneInstance, HasTheHitsOfATreeOverInstances) {
  for (const Mesh& mesh : {generate_sphere(2), generate_cube(), generate_random(200, 0.3f)}) {
    const Models models(context(), {mesh});
    for (const auto& [name, instance] : placements()) {
      std::vector<Ray> rays = test::difficult_rays(Flattened(models, {instance}).joined(), 200, 5);
      const std::vector<Ray> of_mesh = test::difficult_rays(mesh, 100, 6);
      rays.insert(rays.end(), of_mesh.begin(), of_mesh.end());
      const Accel& accel = models.accels.front();
      ASSERT_NO_FATAL_FAILURE(expect_same(lone(accel, instance), usual(accel, instance), rays, name));
    }
  }
}

TEST_P(LoneInstance, OfAnAccelWithoutTrianglesIsMissed) {
  const Models models(context(), {Mesh{}});
  const std::vector<Ray> rays{{vec3(0), 0, vec3(1), infinity}};
  const Scene scene = lone(models.accels.front(), {});
  EXPECT_FALSE(is_hit(test::trace(context(), scene, rays)[0]));
  EXPECT_EQ(test::trace_any(context(), scene, rays)[0], 0);
}

// The records are read as the rays are traced: a refit or a rebuild by device memory changes the hits.
TEST_P(LoneInstance, MovesHidesAndGetsCompany) {
  const Models models(context(), {generate_sphere(3)});
  const Accel& accel = models.accels.front();
  Scene scene = build(context(), accel, std::vector<Instance>(1), {.capacity = 2});
  const std::vector<Ray> rays = test::difficult_rays(generate_sphere(3), 300, 8);
  for (const auto& [name, instance] : placements()) {
    const Buffer<Instance> records(context(), std::vector{instance});
    rebuild(context(), scene, InstanceView::of(records.span()));
    ASSERT_NO_FATAL_FAILURE(expect_same(scene, usual(accel, instance), rays, name + ", rebuilt"));
    if (scene.tree().counts.download()[0].invalid_count > 0)
      continue;  // a refit leaves out what the build left out
    Instance moved = instance;
    moved.rows[1][3] += 0.25f;
    const Buffer<Instance> moved_records(context(), std::vector{moved});
    refit(context(), scene, InstanceView::of(moved_records.span()));
    ASSERT_NO_FATAL_FAILURE(expect_same(scene, usual(accel, moved), rays, name + ", refitted"));
  }
  Instance beside;
  beside.rows[0][3] = 1.5f;
  const Buffer<Instance> both(context(), std::vector{Instance{}, beside});
  rebuild(context(), scene, InstanceView::of(both.span()));
  const std::vector<SceneHit> hits = test::trace(context(), scene, {{{1.5f, 0, 5}, 0, {0, 0, -1}, infinity}});
  EXPECT_EQ(hits[0].instance, 1u);
}

// Enough rays for every kernel, and for automatic to try them all.
TEST_P(LoneInstance, LargeBatchesHaveTheHitsOfATreeOverInstances) {
  const Models models(context(), {generate_random(3000, 0.1f)});
  Instance instance;
  instance.rows[0][3] = 0.3f, instance.rows[1][0] = 0.4f;
  const Scene scene = lone(models.accels.front(), instance), other = usual(models.accels.front(), instance);
  test::RayMaker random(2);
  std::vector<Ray> rays;
  for (u32 i = 0; i < 300'000; ++i) rays.push_back({random.point(-2, 2), 0, random.point(-1, 1), infinity});
  for (u32 trial = 0; trial < (GetParam() == Backend::cuda ? 8u : 1u); ++trial) {
    ASSERT_NO_FATAL_FAILURE(expect_same(scene, other, rays, "trial " + std::to_string(trial)));
  }
}

COPSE_ON_EACH_BACKEND(LoneInstance);

}  // namespace
}  // namespace copse
