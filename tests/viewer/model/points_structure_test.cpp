// The hash grid over points in the viewer: rays hit balls.

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <random>

#include "tests/support/backends.h"
#include "tests/viewer/model/look.h"
#include "tests/viewer/scenes.h"
#include "viewer/model/picture/film.h"

namespace copse::test {
namespace {

using namespace viewer;

std::vector<vec3> scattered(u32 count, float spread, u32 seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> along(-spread, spread);
  std::vector<vec3> points;
  for (u32 i = 0; i < count; ++i) points.push_back({along(random), along(random), along(random)});
  return points;
}

Geometry points_alone(std::vector<vec3> positions) {
  Mesh mesh;
  mesh.positions = std::move(positions);
  return join_meshes({{"points", std::move(mesh)}});
}

std::vector<Ray> rays_through(float size) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> along(-size, size);
  const auto place = [&] { return vec3(along(random), along(random), along(random)); };
  std::vector<Ray> rays;
  for (u32 i = 0; i < 400; ++i) {
    const vec3 from = (i % 4 == 0 ? 0.5f : 3.0f) * place(), to = 0.5f * place();
    const float length = i % 3 == 0 ? 1.0f : 0.3f;  // directions need not have length 1
    Ray ray{from, i % 5 == 0 ? 0.2f : 0.0f, glm::normalize(to - from) / length, infinity};
    if (i % 7 == 0) ray.direction = vec3(i % 2 ? 1 : -1, 0, 0);
    rays.push_back(ray);
  }
  return rays;
}

/// The ball that a ray enters first, in double precision.
struct Oracle {
  double t;
  bool is_close_call;  // the ray grazes a ball, so that rounding decides
};

Oracle first_ball(const std::vector<vec3>& points, double radius, const Ray& ray) {
  using glm::dvec3;
  const dvec3 o(ray.origin), d(ray.direction);
  Oracle oracle{double(infinity), false};
  for (const vec3& point : points) {
    const dvec3 from = dvec3(point) - o;
    const double dd = glm::dot(d, d), at = glm::dot(from, d) / dd, beside = glm::length(o + at * d - dvec3(point));
    if (std::abs(beside - radius) < 1e-4 * radius) oracle.is_close_call = true;
    if (beside > radius) continue;
    const double half = std::sqrt((radius * radius - beside * beside) / dd);
    for (const double t : {at - half, at + half}) {
      if (std::abs(t - ray.t_min) < 1e-4) oracle.is_close_call = true;
      if (t >= ray.t_min) {
        oracle.t = std::min(oracle.t, t);
        break;
      }
    }
  }
  return oracle;
}

bool is_within(const vec3& point, const vec3& lo, const vec3& hi) {
  constexpr float slack = 1e-5f;
  for (int axis = 0; axis < 3; ++axis) {
    if (point[axis] < lo[axis] - slack || point[axis] > hi[axis] + slack) return false;
  }
  return true;
}

class PointsStructures : public OnEachBackend {
 protected:
  StructureOptions points(float radius, float points_per_cell = 2) const {
    StructureOptions options = tree_on(GetParam());
    options.kind = StructureKind::points;
    options.ball_radius = radius;
    options.points_per_cell = points_per_cell;
    return options;
  }
};
COPSE_ON_EACH_BACKEND(PointsStructures);

TEST_P(PointsStructures, RaysMeetTheFirstBall) {
  // Sizes: none, one, fewer than a row of cells, a few cells, many, far from the origin, in a plane, in a line.
  std::vector<std::vector<vec3>> clouds = {
      {}, {vec3(0.1f)}, scattered(3, 1), scattered(40, 1), scattered(3000, 1)};
  clouds.push_back(scattered(500, 1));
  for (vec3& p : clouds.back()) p.y = 0;
  clouds.push_back(scattered(100, 1));
  for (vec3& p : clouds.back()) p = vec3(p.x, 0.25f, 0.25f);
  clouds.push_back(std::vector<vec3>(50, vec3(0.2f)));
  const std::vector<Ray> rays = rays_through(1.5f);
  for (const std::vector<vec3>& cloud : clouds) {
    const Geometry geometry = points_alone(cloud);
    const float extent = glm::length(geometry->bounds.hi - geometry->bounds.lo);
    const float diagonal = extent > 0 && is_finite(extent) ? extent : 1.0f;
    for (const float per_cell : {0.3f, 2.0f, 40.0f}) {
      LiveStructure live = live_over(geometry, points(0.01f, per_cell));
      const Seen seen = look(live, rays);
      // As large as requested if that is less than half a cell.
      const double cell = live.statistics().cell_size.value_or(1);
      const double radius = std::min(0.01 * diagonal, cloud.empty() ? 1.0 : 0.49 * cell);
      u32 compared = 0;
      for (u64 i = 0; i < rays.size(); ++i) {
        const Oracle oracle = first_ball(cloud, double(float(radius)), rays[i]);
        const Pick pick = live.host_copy().walk(live.host_triangles(), rays[i]);
        EXPECT_EQ(pick.hit.primitive, seen.surfaces[i].id);
        EXPECT_EQ(pick.hit.t, seen.surfaces[i].t);
        EXPECT_EQ(seen.occluded[i], seen.surfaces[i].id != invalid_id);
        if (oracle.is_close_call) continue;
        ++compared;
        ASSERT_EQ(seen.surfaces[i].id != invalid_id, oracle.t < double(infinity))
            << cloud.size() << " points, ray " << i;
        if (seen.surfaces[i].id == invalid_id) continue;
        EXPECT_NEAR(double(seen.surfaces[i].t), oracle.t, 2e-3 * radius + 1e-5 * oracle.t);
        EXPECT_NEAR(glm::length(seen.surfaces[i].normal), 1, 1e-5);
        EXPECT_LE(glm::dot(seen.surfaces[i].normal, rays[i].direction), 0);
      }
      EXPECT_GT(compared, rays.size() * 9 / 10);
    }
  }
}

TEST_P(PointsStructures, PicksListTheCellsOfTheWay) {
  LiveStructure live = live_over(points_alone(scattered(3000, 1)), points(0.02f));
  u32 hit_count = 0;
  for (const Ray& ray : rays_through(1.5f)) {
    const Pick pick = live.host_copy().walk(live.host_triangles(), ray);
    if (!is_hit(pick.hit)) continue;
    ++hit_count;
    EXPECT_GE(pick.primitive_tests, 1u);
    EXPECT_NE(pick.leaf, invalid_id);
    for (u64 k = 1; k < pick.visited.size(); ++k) {
      EXPECT_GE(pick.visited[k].entered, pick.visited[k - 1].entered * 0.999f) << "front to back";
    }
  }
  EXPECT_GT(hit_count, 100u);
}

TEST_P(PointsStructures, CellsOfTheCopyAreThoseWithPoints) {
  LiveStructure live = live_over(points_alone(scattered(200, 1)), points(0.02f));
  u64 count = 0;
  EXPECT_EQ(live.host_copy().cells(5, count).size(), 5u);
  const std::vector<CellCorners> cells = live.host_copy().cells(~u64{0}, count);
  EXPECT_EQ(cells.size(), count);
  EXPECT_GE(count, *live.statistics().occupied_count) << "buckets may hold several cells";
  u32 inside = 0;
  for (const vec3& point : live.host_triangles().positions) {
    for (const CellCorners& cell : cells) inside += is_within(point, cell[0], cell[7]);
  }
  EXPECT_GE(inside, 200u);
}

TEST_P(PointsStructures, LabelsAreTheBucketsOfThePicks) {
  const std::vector<Ray> rays = rays_through(1.5f);
  LiveStructure live = live_over(points_alone(scattered(3000, 1)), points(0.02f));
  const Seen seen = look(live, rays);
  for (u64 i = 0; i < rays.size(); ++i) {
    const Pick pick = live.host_copy().walk(live.host_triangles(), rays[i]);
    EXPECT_EQ(seen.labels[i], is_hit(pick.hit) ? pick.leaf : 0u);
    EXPECT_GE(seen.visits[i], pick.visited.size() + pick.primitive_tests);
  }
}

TEST_P(PointsStructures, CpuAndGpuSeeTheSameBits) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "this is the CPU";
  const std::vector<Ray> rays = rays_through(1.5f);
  StructureOptions options = points(0.03f);
  LiveStructure gpu = live_over(points_alone(scattered(3000, 1)), options);
  options.backend = Backend::cpu;
  LiveStructure cpu = live_over(points_alone(scattered(3000, 1)), options);
  const Seen a = look(gpu, rays), b = look(cpu, rays);
  for (u64 i = 0; i < rays.size(); ++i) {
    EXPECT_EQ(a.surfaces[i].t, b.surfaces[i].t);
    EXPECT_EQ(a.surfaces[i].id, b.surfaces[i].id);
    EXPECT_EQ(a.surfaces[i].normal, b.surfaces[i].normal);
  }
  EXPECT_EQ(a.visits, b.visits);
}

TEST_P(PointsStructures, PointsWithoutNumbersAreLeftOut) {
  std::vector<vec3> cloud = scattered(20, 1);
  cloud[3].x = std::nanf("");
  cloud[5].z = infinity;
  LiveStructure live = live_over(points_alone(cloud), points(0.05f));
  EXPECT_EQ(live.statistics().primitive_count, 18u);
  EXPECT_EQ(live.statistics().invalid_count, 2u);
  for (const SurfaceHit& surface : look(live, rays_through(1.5f)).surfaces) {
    EXPECT_TRUE(surface.id == invalid_id || (surface.id != 3 && surface.id != 5));
  }
}

TEST(PointsInASession, GridThatStaysBehindMayHoldPointsThatAreNoMore) {
  SmallSession s;
  s.session.wanted(0).kind = StructureKind::points;
  s.session.wanted(0).ball_radius = 0.02f;
  s.session.playback().deformation = Deformation::explode;
  s.session.playback().phase = 0.3f;
  s.session.build(0);
  s.session.finish();
  EXPECT_EQ(s.session.statistics(0).primitive_count, 3 * 1280u) << "each triangle has corners of its own";
  s.session.update_mode() = UpdateMode::nothing;
  s.session.playback().deformation = Deformation::none;
  s.session.view().view = View::leaves;
  s.session.finish();
  EXPECT_EQ(s.session.picture(0).image.width, 96u);
  EXPECT_TRUE(s.session.messages().list().empty());
}

TEST(PointsInASession, AreShownPlayedAndCompared) {
  SmallSession s;
  s.session.wanted(0).kind = StructureKind::points;
  s.session.wanted(0).ball_radius = 0.02f;
  s.session.wanted(1).kind = StructureKind::frustum;
  s.session.comparison() = Comparison::side_by_side;
  s.session.build(0);
  s.session.overlay().cells = true;
  s.session.finish();
  EXPECT_EQ(s.session.built(0).kind, StructureKind::points);
  EXPECT_EQ(s.session.statistics(0).primitive_count, 642u);
  EXPECT_TRUE(s.session.statistics(0).bucket_count);
  EXPECT_GT(s.session.lines(0).size(), 0u);
  s.session.pick(0.5f, 0.5f);
  ASSERT_TRUE(s.session.picked());
  EXPECT_EQ(s.session.picked()->target, Target::point);
  for (u32 view = 0; view < names<View>().size(); ++view) {
    s.session.view().view = View(view);
    s.session.playback().deformation = view % 2 == 0 ? Deformation::explode : Deformation::wave;
    s.session.playback().phase = 0.1f * float(view);
    s.session.finish();
  }
  EXPECT_TRUE(s.session.messages().list().empty());
  EXPECT_NE(s.session.statistics_json().find("\"shared_buckets\""), std::string::npos);
}

}  // namespace
}  // namespace copse::test
