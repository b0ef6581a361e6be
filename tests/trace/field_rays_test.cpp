#include "trace/field_rays.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <glm/geometric.hpp>

#include "builders/geometry/generate.h"
#include "builders/grid/distance_field.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/trace/oracle.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::RayMaker;

std::vector<FieldHit> trace(Context& context, const DistanceField& field, const std::vector<Ray>& rays) {
  const Buffer<Ray> on_device(context, rays);
  Buffer<FieldHit> hits(context, rays.size());
  first_surfaces(context, field.view(), on_device.span(), hits.span());
  return hits.download();
}

class FieldRays : public test::OnEachBackend {
 protected:
  DistanceField field_of(const Mesh& mesh, const DistanceFieldOptions& options) {
    const DeviceMesh device(context(), mesh);
    DistanceField field = build_distance_field(context(), device.view(), options);
    context().wait();
    return field;
  }
};

/// Rays at a sphere from outside, from inside, past it, and that end before it.
TEST_P(FieldRays, MeetASphereWhereItIs) {
  const DistanceField field = field_of(generate_sphere(5), {.resolution = 60});
  const double edge = 1 / field.bricks.shape.cells_per_unit.x;
  std::vector<Ray> rays;
  RayMaker make(7);
  for (int i = 0; i < 4000; ++i) rays.push_back(make.into({vec3(-1.3f), vec3(1.3f)}));
  for (int i = 0; i < 500; ++i) {
    Ray ray = make.into({vec3(-0.5f), vec3(0.5f)});
    ray.origin = make.point(-0.5f, 0.5f);
    ray.t_min = 0, ray.t_max = i % 2 == 0 ? infinity : 0.3f / glm::length(ray.direction);
    rays.push_back(ray);
  }
  const std::vector<FieldHit> hits = trace(context(), field, rays);
  u64 hit_count = 0, unclear = 0;
  for (size_t i = 0; i < rays.size(); ++i) {
    const Ray& ray = rays[i];
    const glm::dvec3 o(ray.origin), d = glm::normalize(glm::dvec3(ray.direction));
    const double speed = glm::length(glm::dvec3(ray.direction)), along = glm::dot(o, d);
    const double closest = std::sqrt(std::max(glm::dot(o, o) - along * along, 0.0));
    const double half = std::sqrt(std::max(1 - closest * closest, 0.0));
    double expected = INFINITY;
    bool is_close = std::abs(closest - 1) < edge;
    for (const double s : {-along + half, -along - half}) {
      is_close |= std::abs(s - ray.t_min * speed) < edge || std::abs(s - ray.t_max * speed) < edge;
      if (closest < 1 && s > ray.t_min * speed && s < ray.t_max * speed) expected = s;
    }
    unclear += is_close;
    if (is_close) continue;
    ASSERT_EQ(is_hit(hits[i]), expected < INFINITY) << test::text(ray);
    if (!is_hit(hits[i])) {
      ASSERT_EQ(hits[i].t, ray.t_max);
      continue;
    }
    ++hit_count;
    ASSERT_NEAR(hits[i].t * speed, expected, edge / 5) << test::text(ray);
    const glm::dvec3 normal = glm::normalize(o + d * expected);
    ASSERT_GT(glm::dot(normal, glm::dvec3(hits[i].normal)), 0.99) << test::text(ray);
    ASSERT_NEAR(glm::length(hits[i].normal), 1, 1e-5);
  }
  EXPECT_GT(hit_count, 1000u);
  EXPECT_LT(unclear, rays.size() / 4);
}

/// The faces of a cube, at right angles and at a slant, and rays that cannot be traced.
TEST_P(FieldRays, MeetACube) {
  const DistanceField field = field_of(generate_cube(), {.resolution = 40, .band = 2});
  const std::vector<FieldHit> hits = trace(context(), field,
                                           {{vec3(0.5f, 0.5f, 5), 0, vec3(0, 0, -1), infinity},
                                            {vec3(0.5f, 0.5f, 0.5f), 0, vec3(0, 2, 0), infinity},
                                            {vec3(-3, 0.3f, 0.6f), 0, vec3(1, 0.01f, 0.02f), infinity},
                                            {vec3(-3, 0.3f, 0.6f), 0, vec3(1, 0, 0), 2.9f},
                                            {vec3(-3, 1.3f, 0.6f), 0, vec3(1, 0, 0), infinity},
                                            {vec3(-3, 0.3f, 0.6f), 0, vec3(0, 0, 0), infinity},
                                            {vec3(NAN, 0.3f, 0.6f), 0, vec3(1, 0, 0), infinity}});
  EXPECT_NEAR(hits[0].t, 4, 1e-3);
  EXPECT_NEAR(hits[0].normal.z, 1, 1e-3);
  EXPECT_NEAR(hits[1].t, 0.25, 1e-3);
  EXPECT_NEAR(hits[1].normal.y, 1, 1e-3);
  EXPECT_NEAR(hits[2].t, 3, 1e-3);
  for (size_t i = 3; i < hits.size(); ++i) EXPECT_FALSE(is_hit(hits[i])) << i;
}

TEST_P(FieldRays, RefuseRoomForTooFewHits) {
  const DistanceField field = field_of(generate_cube(), {.resolution = 8});
  const Buffer<Ray> rays(context(), 3);
  Buffer<FieldHit> hits(context(), 2);
  EXPECT_COPSE_ERROR(first_surfaces(context(), field.view(), rays.span(), hits.span()),
                     ErrorCode::invalid_argument, "room for 2 results");
}

COPSE_ON_EACH_BACKEND(FieldRays);

TEST(FieldRaysOnBoth, MeetTheSamePlaces) {
  COPSE_SKIP_WITHOUT_GPU();
  Context cpu({.backend = Backend::cpu}), cuda({.backend = Backend::cuda});
  for (const Mesh& mesh : {generate_sphere(4), generate_hairball(20, 20)}) {
    const DeviceMesh a(cpu, mesh), b(cuda, mesh);
    const DistanceField on_cpu = build_distance_field(cpu, a.view(), {.resolution = 90});
    const DistanceField on_cuda = build_distance_field(cuda, b.view(), {.resolution = 90});
    const std::vector<Ray> rays = test::difficult_rays(mesh, 5000, 3);
    const std::vector<FieldHit> first = trace(cpu, on_cpu, rays), second = trace(cuda, on_cuda, rays);
    EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(FieldHit)), 0);
  }
}

}  // namespace
}  // namespace copse
