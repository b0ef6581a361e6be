// Rays that begin where spawn_offset says never hit the triangle that they leave.

#include "scene/scene_spawn_offset.h"

#include <gtest/gtest.h>

#include "scene/nested_scene.h"
#include "scene/nested_view.h"
#include "tests/scene/scenes.h"

namespace copse {
namespace {

/// Directions to both sides of a triangle, some of them nearly or exactly in its plane.
std::vector<vec3> leaving_directions(const Triangle& triangle, test::RayMaker& random) {
  const vec3 edge = triangle.b - triangle.a, other = triangle.c - triangle.a;
  const float length = glm::length(edge) + 1e-30f;
  std::vector<vec3> directions{edge, -edge, other, edge + other};
  for (const float part : {1.0f, 1e-3f, 1e-6f, 1e-8f}) {
    directions.push_back(edge + random.point(-1, 1) * (part * length));
    directions.push_back(random.point(-1, 1) * part);
  }
  return directions;
}

/// Triangles of every shape, size and place.
std::vector<Triangle> hard_triangles(float size) {
  std::vector<Triangle> triangles;
  test::RayMaker random(11);
  for (u32 i = 0; i < 300; ++i) {
    const vec3 far = random.point(-1, 1) * (i % 3 == 0 ? 0.0f : i % 3 == 1 ? 10.0f : 10000.0f);
    Triangle triangle{random.point(-1, 1), random.point(-1, 1), random.point(-1, 1)};
    if (i % 5 == 1) triangle.c = triangle.a + (triangle.b - triangle.a) * 0.4f + random.point(-1e-3f, 1e-3f);
    if (i % 5 == 2) triangle.a.y = triangle.b.y = triangle.c.y = 0.5f;
    for (vec3* corner : {&triangle.a, &triangle.b, &triangle.c}) *corner = (*corner + far) * size;
    triangles.push_back(triangle);
  }
  return triangles;
}

bool hits(const Triangle& triangle, const Ray& ray) {
  TriangleHit hit;
  return is_traceable(ray) && intersect_triangle(make_shear(ray), triangle, ray.t_min, ray.t_max, hit);
}

TEST(SpawnOffset, RaysNeverHitTheTriangleThatTheyLeave) {
  u32 hits_of_less = 0;
  for (const float size : {1e-6f, 1.0f, 1e6f}) {
    test::RayMaker random(3);
    for (const Triangle& triangle : hard_triangles(size)) {
      const float u = random.uniform(0, 1), v = random.uniform(0, 1 - u);
      SpawnOffset spawn = spawn_offset(triangle, u, v);
      for (const vec3& direction : leaving_directions(triangle, random)) {
        const Ray ray{spawn.origin(direction), 0, direction, infinity};
        ASSERT_FALSE(hits(triangle, ray)) << size << ": " << test::text(ray);
      }
      spawn.distance *= 0.005;
      for (const vec3& direction : leaving_directions(triangle, random)) {
        hits_of_less += hits(triangle, {spawn.origin(direction), 0, direction, infinity});
      }
    }
  }
  EXPECT_GT(hits_of_less, 50u);  // so that the distance above is needed
}

TEST(SpawnOffset, IsShort) {
  const Triangle triangle{{1, 2, 3}, {2, 2, 3}, {1, 3, 3}};
  const SpawnOffset spawn = spawn_offset(triangle, 0.25f, 0.25f);
  EXPECT_EQ(vec3(spawn.point), vec3(1.25f, 2.25f, 3));
  EXPECT_EQ(vec3(spawn.normal), vec3(0, 0, 1));
  EXPECT_LT(spawn.distance, 1e-5);
  EXPECT_GT(spawn.origin({0, 0, 1}).z, 3.0f);
  EXPECT_LT(spawn.origin({0, 1, -1e-20f}).z, 3.0f);
  const SpawnOffset none = spawn_offset({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, 0.5f, 0.25f);
  EXPECT_EQ(none.origin({1, 0, 0}), vec3(1));
}

TEST(SpawnOffset, RaysNeverHitTheTriangleThatTheyLeaveInAScene) {
  Context context({.backend = Backend::cpu});
  const test::Models models(context, test::some_meshes());
  for (const float size : {1e-6f, 1.0f, 1e6f}) {
    std::vector<Instance> instances = test::random_instances(40, 3, 5, 50);
    for (u32 i = 0; i < instances.size(); ++i) {
      const float flat = std::ldexp(1.0f, -int(i % 10));  // from a mesh to a sheet, sheared
      for (auto& row : instances[i].rows) {
        row[2] = row[0] * 0.7f + row[2] * flat;
        for (float& number : row) number *= size;
      }
    }
    const Scene scene = build(context, models.accels, instances);
    test::RayMaker random(7);
    u32 hit_count = 0;
    for (const Instance& instance : instances) {
      const Mesh& mesh = models.meshes[instance.accel];
      for (u32 k = 0; k < 20; ++k) {
        const u32 primitive = u32(random.uniform(0, float(mesh.triangles.size()) - 0.01f));
        const uvec3 ids = mesh.triangles[primitive];
        const Triangle triangle{mesh.positions[ids.x], mesh.positions[ids.y], mesh.positions[ids.z]};
        const u32 number = u32(&instance - instances.data());
        const SceneHit hit{1, primitive, 7, random.uniform(0, 0.5f), random.uniform(0, 0.5f), number};
        const SpawnOffset spawn = spawn_offset(scene.view(), triangle, hit);
        const Triangle in_scene{vec3(test::placed(instance, triangle.a)), vec3(test::placed(instance, triangle.b)),
                                vec3(test::placed(instance, triangle.c))};
        for (const vec3& direction : leaving_directions(in_scene, random)) {
          const Ray ray{spawn.origin(direction), 0, direction, infinity};
          const Ray in_mesh = scene.view().parts.instances[number].into_mesh(ray, infinity);
          ASSERT_FALSE(hits(triangle, in_mesh)) << size << ", instance " << number << ": " << test::text(ray);
        }
        ++hit_count;
      }
    }
    EXPECT_EQ(hit_count, 800u);
  }
}

/// Instances that are sheared, from meshes to sheets.
std::vector<Instance> sheared_instances(u32 seed, float size) {
  std::vector<Instance> instances = test::random_instances(5, 3, seed, 20);
  for (u32 i = 0; i < instances.size(); ++i) {
    const float flat = std::ldexp(1.0f, -int(i));
    for (auto& row : instances[i].rows) {
      row[2] = row[0] * 0.7f + row[2] * flat;
      for (float& number : row) number *= size;
    }
  }
  return instances;
}

TEST(SpawnOffset, RaysNeverHitTheTriangleThatTheyLeaveInASceneOfScenes) {
  Context context({.backend = Backend::cpu});
  const test::Models models(context, test::some_meshes());
  for (const float size : {1e-3f, 1.0f, 1e3f}) {
    const std::vector<Instance> levels[3] = {sheared_instances(7, size), sheared_instances(6, 1 / size),
                                             sheared_instances(5, size)};
    const Scene low = build(context, models.accels, levels[2]);
    const NestedScene middle = build_nested(context, {low, low, low}, levels[1]);
    const NestedScene high = build_nested(context, {middle, middle, middle}, levels[0]);
    context.wait();
    const NestedSceneView view = high.view();
    test::RayMaker random(7);
    u32 hits_of_less = 0;
    for (u32 k = 0; k < 1000; ++k) {
      NestedHit hit = NestedHit::miss(1);
      hit.path[0] = k % 5, hit.path[1] = k / 5 % 5, hit.path[2] = k / 25 % 5;
      hit.u = random.uniform(0, 0.5f), hit.v = random.uniform(0, 0.5f);
      const Mesh& mesh = models.meshes[view.accel_of(hit)];
      const uvec3 ids = mesh.triangles[u32(random.uniform(0, float(mesh.triangles.size()) - 0.01f))];
      const Triangle triangle{mesh.positions[ids.x], mesh.positions[ids.y], mesh.positions[ids.z]};
      Triangle in_scene = triangle;
      for (u32 level = 3; level-- > 0;) {
        for (vec3* corner : {&in_scene.a, &in_scene.b, &in_scene.c}) {
          *corner = vec3(test::placed(levels[level][hit.path[level]], *corner));
        }
      }
      const auto hits_again = [&](const Ray& ray) {
        Ray below = ray;
        for (u32 level = 0; level < 3; ++level) below = view.record_of(hit.path, level).into_mesh(below, infinity);
        return hits(triangle, below);
      };
      SpawnOffset spawn = spawn_offset(view, triangle, hit);
      for (const vec3& direction : leaving_directions(in_scene, random)) {
        const Ray ray{spawn.origin(direction), 0, direction, infinity};
        ASSERT_FALSE(hits_again(ray)) << size << ", " << k << ": " << test::text(ray);
      }
      spawn.distance *= 1e-4;
      for (const vec3& direction : leaving_directions(in_scene, random)) {
        hits_of_less += hits_again({spawn.origin(direction), 0, direction, infinity});
      }
    }
    EXPECT_GT(hits_of_less, 50u) << size;  // so that the distance above is needed
  }
}

}  // namespace
}  // namespace copse
