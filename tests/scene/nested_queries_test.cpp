// Queries through scenes of scenes find what brute force finds among all triangles, placed level by level.

#include "scene/nested_queries.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "primitives/core/graph.h"
#include "scene/scene_queries.h"
#include "tests/queries/query_oracle.h"
#include "tests/scene/scenes.h"

namespace copse {
namespace {

using test::Models;

template <class T>
bool equal_bytes(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Three levels of instances: rooms of closed meshes, houses of rooms, and a town of houses, rooms and meshes. Some
/// instances stand where others do.
struct Town {
  Models models;
  Scene room;
  NestedScene house, town;

  explicit Town(Context& context, float opening = 1) : models(context, {generate_sphere(1), generate_cube(), {}}) {
    const SceneOptions options{.opening = opening};
    room = build(context, models.accels, doubled(test::random_instances(5, 3, 5, 2)), options);
    house = build_nested(context, {room, models.accels[1]}, doubled(test::random_instances(4, 2, 6, 3)), options);
    town = build_nested(context, {house, room, models.accels[0]}, doubled(test::random_instances(5, 3, 7, 5)),
                        options);
  }

  static std::vector<Instance> doubled(std::vector<Instance> instances) {
    instances[0].mask = ~u32{0};
    instances.push_back(instances[0]);
    return instances;
  }
};

/// All triangles of a scene on the CPU, as they stand in the outermost scene, and the meshes by their paths.
struct SlowTown {
  struct Body {
    NestedOverlap name;
    std::vector<Triangle> triangles;
    Aabb box;
  };
  std::vector<Body> bodies;

  explicit SlowTown(u32 mask = ~u32{0}) {
    Context context({.backend = Backend::cpu});
    const Town town(context);
    context.wait();
    NestedOverlap name{0, {}};
    for (u32& instance : name.path) instance = invalid_id;
    add(town.town.view(), 0, mask, {}, name);
  }

  void add(const NestedSceneView& scene, u32 level, u32 mask, std::vector<detail::ScenePlacement> above,
           NestedOverlap name) {
    const u32 count = level == 1 && scene.parts != nullptr ? 5 : 6;  // a house has 5 instances
    for (u32 i = 0; i < count; ++i) {
      const detail::PlacedInstance& record = scene.top.parts.instances[i];
      if (is_empty(record.box()) || (record.mask & mask) == 0) continue;
      std::vector<detail::ScenePlacement> placements = above;
      Aabb box = record.box();
      for (size_t k = above.size(); k-- > 0;) box = above[k].placed_box(box.lo, box.hi);
      placements.emplace_back(record);
      name.path[level] = i;
      if (record.triangles == nullptr) {
        add(scene.parts[record.accel], level + 1, mask, placements, name);
        continue;
      }
      const AccelView& accel = scene.top.parts.accels[record.accel];
      Body body{name, std::vector<Triangle>(accel.triangles.size()), box};
      const auto triangles = detail::triangles_of(accel.triangles);
      for (u32 at = 0; at < accel.triangles.size(); ++at) {
        Triangle triangle = triangles.triangle(at);
        for (size_t k = placements.size(); k-- > 0;) triangle = placements[k].placed(triangle);
        body.triangles[triangles.primitive(at)] = triangle;
      }
      bodies.push_back(std::move(body));
    }
  }

  std::vector<NestedNeighbour> neighbours(const vec3& point, float max_distance) const {
    std::vector<NestedNeighbour> found;
    for (const Body& body : bodies) {
      for (u32 k = 0; k < body.triangles.size(); ++k) {
        NestedNeighbour neighbour{nearest_on_triangle(body.triangles[k], point).square, k, 7, {}};
        std::copy_n(body.name.path, max_instance_levels, neighbour.path);
        if (neighbour.distance <= max_distance * max_distance) found.push_back(neighbour);
      }
    }
    std::stable_sort(found.begin(), found.end(), [](const NestedNeighbour& a, const NestedNeighbour& b) {
      return a.distance != b.distance ? a.distance < b.distance : a < b;
    });
    for (NestedNeighbour& one : found) one.distance = std::sqrt(one.distance);
    return found;
  }

  NestedNearest nearest(const vec3& point, const std::vector<NestedNeighbour>& all) const {
    NestedNearest nearest = NestedNearest::none();
    if (all.empty()) return nearest;
    for (const Body& body : bodies) {
      if (detail::compare_paths(body.name.path, all[0].path) != 0) continue;
      const TrianglePoint at = nearest_on_triangle(body.triangles[all[0].primitive], point);
      nearest = {point + at.offset, all[0].distance, all[0].primitive, 7, at.u, at.v, {}};
      std::copy_n(all[0].path, max_instance_levels, nearest.path);
    }
    return nearest;
  }

  bool inside(const vec3& point) const {
    return std::any_of(bodies.begin(), bodies.end(), [&](const Body& body) {
      detail::AxisRay ray;
      if (!detail::find_way_out(point, body.box, ray)) return false;
      u32 count = 0;
      for (const Triangle& triangle : body.triangles) count += detail::crosses(ray, triangle);
      return count % 2 == 1;
    });
  }

  template <class Region>
  std::vector<NestedOverlap> overlaps(const Region& region) const {
    std::vector<NestedOverlap> found;
    for (const Body& body : bodies) {
      for (const u32 k : test::brute_force_overlaps(body.triangles, region)) {
        found.push_back(body.name);
        found.back().primitive = k;
      }
    }
    return found;
  }

  std::vector<vec3> points(u32 count) const {
    Mesh all;
    for (const Body& body : bodies) {
      for (const Triangle& t : body.triangles) {
        const u32 first = u32(all.positions.size());
        all.positions.insert(all.positions.end(), {t.a, t.b, t.c});
        all.triangles.push_back(uvec3(first, first + 1, first + 2));
      }
    }
    std::vector<vec3> points = test::difficult_points(all, count, 5);
    points.push_back(vec3(std::numeric_limits<float>::quiet_NaN()));
    return points;
  }
};

class NestedQueries : public test::OnEachBackend {
 protected:
  void expect_point_answers(const NestedScene& scene, const SlowTown& slow, const std::vector<vec3>& host_points,
                            float max_distance = infinity, u32 mask = ~u32{0}) {
    constexpr u32 k = 4;
    const Buffer<vec3> points(context(), host_points);
    Buffer<NestedNearest> nearest(context(), points.size());
    Buffer<NestedNeighbour> neighbours(context(), k * points.size());
    Buffer<u8> inside(context(), points.size());
    nearest_points(context(), scene, points.span(), nearest.span(), max_distance, mask);
    nearest_primitives(context(), scene, points.span(), neighbours.span(), max_distance, mask);
    points_inside(context(), scene, points.span(), inside.span(), mask);
    const std::vector<NestedNearest> found = nearest.download();
    const std::vector<NestedNeighbour> near = neighbours.download();
    const std::vector<u8> is_in = inside.download();
    u32 inside_count = 0, deep = 0;
    for (u32 i = 0; i < host_points.size(); ++i) {
      std::vector<NestedNeighbour> all = slow.neighbours(host_points[i], max_distance);
      const NestedNearest expected = slow.nearest(host_points[i], all);
      ASSERT_TRUE(equal_bytes(found[i], expected))
          << i << ": " << found[i].distance << " at " << found[i].path[0] << ", expected " << expected.distance
          << " at " << expected.path[0];
      all.resize(std::max<size_t>(all.size(), k), NestedNeighbour::none());
      for (u32 j = 0; j < k; ++j) ASSERT_TRUE(equal_bytes(near[i * k + j], all[j])) << i << ", " << j;
      ASSERT_EQ(is_in[i], slow.inside(host_points[i])) << i;
      inside_count += is_in[i];
      deep += path_length(found[i].path) == 3;
    }
    EXPECT_GT(inside_count, 2u);
    EXPECT_GT(deep, 10u);
  }

  template <class Region>
  void expect_overlaps(const NestedScene& scene, const SlowTown& slow, const std::vector<Region>& host_regions) {
    const Buffer<Region> regions(context(), host_regions);
    Buffer<u32> counts(context(), regions.size());
    count_overlaps<Region>(context(), scene, regions.span(), counts.span());
    const NestedOverlapLists lists = all_overlaps<Region>(context(), scene, regions.span());
    const std::vector<u32> found = counts.download();
    const std::vector<u64> offsets = lists.offsets.download();
    const std::vector<NestedOverlap> listed = lists.overlaps.download();
    u64 total = 0;
    for (u32 i = 0; i < host_regions.size(); ++i) {
      std::vector<NestedOverlap> list(listed.begin() + i64(offsets[i]), listed.begin() + i64(offsets[i + 1]));
      std::sort(list.begin(), list.end(), [](const NestedOverlap& a, const NestedOverlap& b) {
        const i32 order = detail::compare_paths(a.path, b.path);
        return order == 0 ? a.primitive < b.primitive : order < 0;
      });
      ASSERT_EQ(list, slow.overlaps(host_regions[i])) << i;
      ASSERT_EQ(found[i], list.size()) << i;
      total += found[i];
    }
    EXPECT_GT(total, host_regions.size());
  }
};

TEST_P(NestedQueries, AnswerAsBruteForceDownAllPaths) {
  const SlowTown slow;
  const std::vector<vec3> points = slow.points(100);
  std::vector<Aabb> boxes;
  std::vector<Sphere> balls;
  std::vector<Frustum> frusta;
  test::RayMaker random(6);
  for (u32 i = 0; i < 30; ++i) {
    const vec3 at = random.point(-6, 6);
    boxes.push_back({at, at + random.point(0, 2)});
    balls.push_back({at, random.uniform(0.2f, 2)});
    frusta.push_back(frustum_of(look_at(at, random.point(-4, 4), vec3(0, 1, 0), 40, 1), 0.1f, 3));
  }
  for (const float opening : {1.0f, 6.0f}) {
    const Town town(context(), opening);
    EXPECT_EQ(town.town.level_count(), 3u);
    ASSERT_NO_FATAL_FAILURE(expect_point_answers(town.town, slow, points)) << opening;
    ASSERT_NO_FATAL_FAILURE(expect_point_answers(town.town, slow, points, 1.5f)) << opening;
    ASSERT_NO_FATAL_FAILURE(expect_overlaps(town.town, slow, boxes));
    ASSERT_NO_FATAL_FAILURE(expect_overlaps(town.town, slow, balls));
    ASSERT_NO_FATAL_FAILURE(expect_overlaps(town.town, slow, frusta));
  }
}

TEST_P(NestedQueries, CompareMasksOnEachLevel) {
  const SlowTown slow(2);
  const Town town(context());
  ASSERT_NO_FATAL_FAILURE(expect_point_answers(town.town, slow, slow.points(100), infinity, 2));
}

TEST_P(NestedQueries, HaveTheBitsOfASceneOfAccels) {
  const Models models(context(), {generate_sphere(2), generate_cube()});
  const std::vector<Instance> instances = test::random_instances(25, 2, 4, 3);
  const Scene scene = build(context(), models.accels, instances);
  const NestedScene nested = build_nested(context(), {models.accels[0], models.accels[1]}, instances);
  test::RayMaker random(3);
  std::vector<vec3> host_points;
  for (u32 i = 0; i < 1 << 14; ++i) host_points.push_back(random.point(-5, 5));  // enough to be ordered
  const Buffer<vec3> points(context(), host_points);
  Buffer<SceneNearest> expected(context(), points.size());
  Buffer<NestedNearest> nearest(context(), points.size());
  Buffer<u8> inside(context(), points.size()), inside_scene(context(), points.size());
  nearest_points(context(), scene, points.span(), expected.span());
  points_inside(context(), scene, points.span(), inside_scene.span());
  const auto ask = [&] {
    nearest_points(context(), nested, points.span(), nearest.span());
    points_inside(context(), nested, points.span(), inside.span());
  };
  ask();
  Graph graph = context().capture(ask);
  graph.launch();
  const std::vector<SceneNearest> of_scene = expected.download();
  const std::vector<NestedNearest> of_nested = nearest.download();
  for (u32 i = 0; i < host_points.size(); ++i) {
    ASSERT_EQ(std::memcmp(&of_scene[i], &of_nested[i], sizeof(SceneNearest)), 0) << i;  // the path begins so
    ASSERT_EQ(path_length(of_nested[i].path), 1u) << i;
    if (context().backend() != Backend::cpu) continue;  // the host reads the view of the CPU alone
    ASSERT_EQ(nested.view().accel_of(of_nested[i].path), instances[of_nested[i].path[0]].accel) << i;
  }
  EXPECT_EQ(inside.download(), inside_scene.download());
}

TEST_P(NestedQueries, RefuseWhatTheyCannotUse) {
  const Buffer<vec3> points(context(), std::vector<vec3>(5));
  Buffer<NestedNearest> four(context(), 4), five(context(), 5);
  const Models models(context(), {generate_cube()});
  const NestedScene empty = build_nested(context(), {models.accels[0]}, std::vector<Instance>{});
  EXPECT_COPSE_ERROR(nearest_points(context(), empty, points.span(), four.span()), ErrorCode::invalid_argument,
                     "room for 4 results");
  EXPECT_COPSE_ERROR(nearest_points(context(), NestedScene(), points.span(), five.span()),
                     ErrorCode::invalid_argument, "nearest_points: the scene was never built");
  nearest_points(context(), empty, points.span(), five.span());
  EXPECT_FALSE(is_found(five.download()[0]));
}

COPSE_ON_EACH_BACKEND(NestedQueries);

TEST(NestedQueryViews, NeedNoLargeStack) {
  Context context({.backend = Backend::cpu});
  const Town town(context, 6);
  context.wait();
  const NestedSceneView view = town.town.view();
  u32 touched = 0;
  for (const vec3& point : SlowTown().points(100)) {
    ASSERT_TRUE(equal_bytes(nearest_point<1>(view, point), nearest_point(view, point)));
    ASSERT_EQ(is_inside<1>(view, point), is_inside(view, point));
    const Sphere ball{point, 0.5f};
    ASSERT_EQ(count_overlaps<1>(view, ball), count_overlaps(view, ball));
    ASSERT_EQ(any_overlap(view, ball, 2), count_overlaps(view, ball, 2u) > 0);
    touched += any_overlap(view, ball);
  }
  EXPECT_GT(touched, 20u);
}

}  // namespace
}  // namespace copse
