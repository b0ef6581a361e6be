// Queries through scenes find what brute force finds among all triangles of all instances, as they stand in the scene.

#include "scene/scene_queries.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "accel/accel_queries.h"
#include "tests/queries/query_oracle.h"
#include "tests/scene/scenes.h"
#include "tests/support/values.h"

namespace copse {
namespace {

using test::invalid;
using test::Models;

template <class T>
bool same_bits_of(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// All triangles of a scene, by instance and primitive. Records are equal on all backends, so they come from the CPU.
struct SlowQueries {
  struct Placed {
    Triangle triangle;
    SceneOverlap name;
  };
  std::vector<Placed> triangles;
  std::vector<Aabb> boxes;  // of instances

  SlowQueries(const std::vector<Mesh>& meshes, const std::vector<Instance>& instances, u32 mask = ~u32{0}) {
    Context context({.backend = Backend::cpu});
    const Models models(context, meshes);
    const Scene scene = build(context, models.accels, instances);
    context.wait();
    for (u32 i = 0; i < instances.size(); ++i) {
      const detail::PlacedInstance& record = scene.view().parts.instances[i];
      boxes.push_back(record.box());
      if (is_empty(record.box()) || (record.mask & mask) == 0) continue;
      const detail::ScenePlacement placement(record);
      const TriangleView view = test::host_view(meshes[instances[i].accel]);
      for (u32 k = 0; k < view.triangle_count(); ++k) {
        triangles.push_back({placement.placed(load_triangle(view, k)), {i, k}});
      }
    }
  }

  std::vector<SceneNeighbour> neighbours(const vec3& point, float max_distance) const {
    std::vector<SceneNeighbour> found;
    for (const Placed& placed : triangles) {
      const float square = nearest_on_triangle(placed.triangle, point).square;
      if (!(square <= max_distance * max_distance)) continue;
      found.push_back({square, placed.name.primitive, 7, placed.name.instance});
    }
    std::stable_sort(found.begin(), found.end(), [](const SceneNeighbour& a, const SceneNeighbour& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.tie_id() < b.tie_id();
    });
    for (SceneNeighbour& one : found) one.distance = std::sqrt(one.distance);
    return found;
  }

  SceneNearest nearest(const vec3& point, float max_distance) const {
    const std::vector<SceneNeighbour> all = neighbours(point, max_distance);
    if (all.empty()) return {vec3(0), infinity, invalid_id, invalid_id, 0, 0, invalid_id};
    for (const Placed& placed : triangles) {
      if (placed.name.instance != all[0].instance || placed.name.primitive != all[0].primitive) continue;
      const TrianglePoint at = nearest_on_triangle(placed.triangle, point);
      return {point + at.offset, all[0].distance, placed.name.primitive, 7, at.u, at.v, placed.name.instance};
    }
    return {};
  }

  bool inside(const vec3& point) const {
    std::vector<u32> crossings(boxes.size());
    for (const Placed& placed : triangles) {
      detail::AxisRay ray;
      if (!detail::find_way_out(point, boxes[placed.name.instance], ray)) continue;
      crossings[placed.name.instance] += detail::crosses(ray, placed.triangle);
    }
    return std::any_of(crossings.begin(), crossings.end(), [](u32 count) { return count % 2 == 1; });
  }

  template <class Region>
  std::vector<SceneOverlap> overlaps(const Region& region) const {
    std::vector<SceneOverlap> found;
    for (const Placed& placed : triangles) {
      if (!test::brute_force_overlaps({placed.triangle}, region).empty()) found.push_back(placed.name);
    }
    return found;
  }
};

std::vector<Mesh> closed_meshes() {
  return {generate_sphere(2), generate_cube(), {}};
}

std::vector<vec3> points_around(const std::vector<Mesh>& meshes, const std::vector<Instance>& instances,
                                u32 count) {
  Mesh joined;
  for (const Instance& instance : instances) {
    const u32 first = u32(joined.positions.size());
    for (const vec3& p : meshes[instance.accel].positions)
      joined.positions.push_back(vec3(test::placed(instance, p)));
    for (const uvec3& t : meshes[instance.accel].triangles) joined.triangles.push_back(t + first);
  }
  std::vector<vec3> points = test::difficult_points(joined, count, 5);
  points.push_back(vec3(std::numeric_limits<float>::quiet_NaN()));
  return points;
}

/// The list of a region, in the order of names.
std::vector<SceneOverlap> sorted_list(const SceneOverlapLists& lists, u64 region) {
  const std::vector<u64> offsets = lists.offsets.download();
  const std::vector<SceneOverlap> all = lists.overlaps.download();
  std::vector<SceneOverlap> list(all.begin() + i64(offsets[region]), all.begin() + i64(offsets[region + 1]));
  std::sort(list.begin(), list.end(), [](const SceneOverlap& a, const SceneOverlap& b) {
    return a.instance != b.instance ? a.instance < b.instance : a.primitive < b.primitive;
  });
  return list;
}

class SceneQueries : public test::OnEachBackend {
 protected:
  /// Compares all queries about points with brute force, to the last bit.
  void expect_point_answers(const Scene& scene, const SlowQueries& slow, const std::vector<vec3>& host_points,
                            float max_distance = infinity, u32 mask = ~u32{0}) {
    constexpr u32 k = 4;
    const Buffer<vec3> points(context(), host_points);
    Buffer<SceneNearest> nearest(context(), points.size());
    Buffer<SceneNeighbour> neighbours(context(), k * points.size());
    Buffer<u8> inside(context(), points.size());
    nearest_points(context(), scene, points.span(), nearest.span(), max_distance, mask);
    nearest_primitives(context(), scene, points.span(), neighbours.span(), max_distance, mask);
    points_inside(context(), scene, points.span(), inside.span(), mask);
    const std::vector<SceneNearest> found = nearest.download();
    const std::vector<SceneNeighbour> near = neighbours.download();
    const std::vector<u8> is_in = inside.download();
    u32 inside_count = 0;
    for (u32 i = 0; i < host_points.size(); ++i) {
      const SceneNearest expected = slow.nearest(host_points[i], max_distance);
      ASSERT_TRUE(same_bits_of(found[i], expected))
          << i << ": " << found[i].distance << " of instance " << found[i].instance << ", expected "
          << expected.distance << " of " << expected.instance;
      std::vector<SceneNeighbour> all = slow.neighbours(host_points[i], max_distance);
      all.resize(std::max<size_t>(all.size(), k), SceneNeighbour::none());
      for (u32 j = 0; j < k; ++j) ASSERT_TRUE(same_bits_of(near[i * k + j], all[j])) << i << ", " << j;
      ASSERT_EQ(is_in[i], slow.inside(host_points[i])) << i;
      inside_count += is_in[i];
    }
    EXPECT_GT(inside_count, 2u);
  }

  template <class Region>
  void expect_overlaps(const Scene& scene, const SlowQueries& slow, const std::vector<Region>& host_regions) {
    const Buffer<Region> regions(context(), host_regions);
    Buffer<u32> counts(context(), regions.size());
    count_overlaps<Region>(context(), scene, regions.span(), counts.span());
    const SceneOverlapLists lists = all_overlaps<Region>(context(), scene, regions.span());
    const std::vector<u32> found = counts.download();
    u64 total = 0;
    for (u32 i = 0; i < host_regions.size(); ++i) {
      const std::vector<SceneOverlap> expected = slow.overlaps(host_regions[i]);
      ASSERT_EQ(found[i], expected.size()) << i;
      ASSERT_EQ(sorted_list(lists, i), expected) << i;
      total += found[i];
    }
    EXPECT_GT(total, host_regions.size());
  }
};

TEST_P(SceneQueries, AboutPointsAreThoseOfBruteForce) {
  const Models models(context(), closed_meshes());
  const std::vector<Instance> instances = test::random_instances(25, 3, 4, 3);
  const SlowQueries slow(models.meshes, instances);
  const std::vector<vec3> points = points_around(models.meshes, instances, 200);
  const Scene scene = build(context(), models.accels, instances);
  ASSERT_NO_FATAL_FAILURE(expect_point_answers(scene, slow, points));
  ASSERT_NO_FATAL_FAILURE(expect_point_answers(scene, slow, points, 0.3f));
  const Scene opened = build(context(), models.accels, instances, {.opening = 6});
  ASSERT_NO_FATAL_FAILURE(expect_point_answers(opened, slow, points));
  const SlowQueries of_mask(models.meshes, instances, 2);
  ASSERT_NO_FATAL_FAILURE(expect_point_answers(scene, of_mask, points, infinity, 2));
}

TEST_P(SceneQueries, AboutPointsAreThoseOfBruteForceInDistortedScenes) {
  const Models models(context(), closed_meshes());
  std::vector<Instance> instances = test::random_instances(24, 2, 8, 2);
  for (u32 i = 4; i < instances.size(); ++i) {  // from a ball to a sheet, sheared
    const float flat = std::ldexp(1.0f, -int(i));
    for (auto& row : instances[i].rows) row[2] = row[0] * 0.7f + row[2] * flat;
  }
  instances[3] = {};
  const std::vector<vec3> points = points_around(models.meshes, instances, 150);
  ASSERT_NO_FATAL_FAILURE(expect_point_answers(build(context(), models.accels, instances),
                                               SlowQueries(models.meshes, instances), points));
}

TEST_P(SceneQueries, FindOverlapsOfBruteForce) {
  const Models models(context(), closed_meshes());
  const std::vector<Instance> instances = test::random_instances(25, 3, 4, 3);
  const SlowQueries slow(models.meshes, instances);
  std::vector<Aabb> boxes;
  std::vector<Sphere> balls;
  std::vector<Frustum> frusta;
  test::RayMaker random(6);
  for (u32 i = 0; i < 60; ++i) {
    const vec3 at = random.point(-4, 4);
    boxes.push_back({at, at + random.point(0, 1.5f)});
    balls.push_back({at, random.uniform(0.2f, 1.5f)});
    frusta.push_back(frustum_of(look_at(at, random.point(-4, 4), vec3(0, 1, 0), 40, 1), 0.1f, 2));
  }
  for (const float opening : {1.0f, 6.0f}) {
    const Scene scene = build(context(), models.accels, instances, {.opening = opening});
    ASSERT_NO_FATAL_FAILURE(expect_overlaps(scene, slow, boxes));
    ASSERT_NO_FATAL_FAILURE(expect_overlaps(scene, slow, balls));
    ASSERT_NO_FATAL_FAILURE(expect_overlaps(scene, slow, frusta));
  }
}

TEST_P(SceneQueries, HaveTheBitsOfOneAccelWhereTransformsAreExact) {
  Mesh coarse = generate_sphere(2);
  for (vec3& p : coarse.positions) p = glm::round(p * 256.0f) / 256.0f;
  const Models models(context(), {coarse, generate_cube()});
  std::vector<Instance> instances;
  test::RayMaker random(3);
  for (u32 i = 0; i < 30; ++i) {
    Instance instance = Instance::of(glm::mat4x3(std::ldexp(1.0f, int(i % 5) - 2)), i % 2);
    for (auto& row : instance.rows) row[3] = std::round(random.uniform(-8, 8));
    instances.push_back(instance);
  }
  const test::Flattened flat(models, instances);
  const test::SceneOfViews views(context(), flat.parts);  // its geometry ids begin at 10
  const Accel accel = build(context(), views.device());
  const Scene scene = build(context(), models.accels, instances);
  std::vector<vec3> host_points;
  for (u32 i = 0; i < 2000; ++i) host_points.push_back(random.point(-10, 10));
  const Buffer<vec3> points(context(), host_points);
  Buffer<NearestPoint> expected(context(), points.size());
  Buffer<SceneNearest> nearest(context(), points.size());
  nearest_points(context(), accel, points.span(), expected.span());
  nearest_points(context(), scene, points.span(), nearest.span());
  const std::vector<NearestPoint> of_accel = expected.download();
  const std::vector<SceneNearest> of_scene = nearest.download();
  for (u32 i = 0; i < host_points.size(); ++i) {
    NearestPoint flat_one = of_accel[i];
    ASSERT_EQ(of_scene[i].instance + 10, flat_one.geometry) << i;
    flat_one.geometry = 7;
    ASSERT_EQ(std::memcmp(&of_scene[i], &flat_one, sizeof flat_one), 0) << i;
  }
}

TEST_P(SceneQueries, RefuseWhatTheyCannotUse) {
  const Models models(context(), closed_meshes());
  const Scene scene = build(context(), models.accels, std::vector<Instance>(3));
  const Buffer<vec3> points(context(), std::vector<vec3>(5));
  Buffer<SceneNearest> four(context(), 4), five(context(), 5);
  Buffer<u64> offsets(context(), 5);
  Buffer<SceneOverlap> overlaps(context(), 1);
  const Buffer<Sphere> balls(context(), 5);
  EXPECT_COPSE_ERROR(nearest_points(context(), scene, points.span(), four.span()), invalid, "room for 4 results");
  EXPECT_COPSE_ERROR(nearest_points(context(), Scene(), points.span(), five.span()), invalid,
                     "nearest_points: the scene was never built");
  EXPECT_COPSE_ERROR(find_overlaps<Sphere>(context(), scene, balls.span(), offsets.span(), overlaps.span()),
                     invalid, "5 offsets for 5 regions");
  const Scene empty = build(context(), models.accels, std::vector<Instance>{});
  nearest_points(context(), empty, points.span(), five.span());
  EXPECT_FALSE(is_found(five.download()[0]));
}

COPSE_ON_EACH_BACKEND(SceneQueries);

TEST(SceneQueryViews, NeedNoLargeStack) {
  Context context({.backend = Backend::cpu});
  const Models models(context, closed_meshes());
  const std::vector<Instance> instances = test::random_instances(25, 3, 4, 3);
  const Scene scene = build(context, models.accels, instances, {.opening = 6});
  context.wait();
  const SceneView view = scene.view();
  u32 touched = 0;
  for (const vec3& point : points_around(models.meshes, instances, 300)) {
    ASSERT_TRUE(same_bits_of(nearest_point<2>(view, point), nearest_point(view, point)));
    ASSERT_EQ(is_inside<2>(view, point), is_inside(view, point));
    const Sphere ball{point, 0.5f};
    ASSERT_EQ(count_overlaps<2>(view, ball), count_overlaps(view, ball));
    ASSERT_EQ(any_overlap(view, ball, 2), count_overlaps(view, ball, 2u) > 0);
    touched += any_overlap(view, ball);
  }
  EXPECT_GT(touched, 50u);
}

}  // namespace
}  // namespace copse
