// A user's kernel in which each thread takes a way of its own: in one warp, threads are in walks of other kinds, through other
// trees, and in more or fewer of them. What a walk finds decides on the next one.

#include <set>

#include "accel/accel_hit_view.h"
#include "builders/geometry/generate.h"
#include "tests/accel/accels.h"
#include "tests/support/body_test.h"
#include "tests/support/host_bvh.h"

namespace copse::detail {
namespace {

constexpr u32 tree_count = 3, ray_count = 25;

/// A tree, and a ray: the origin of one ray, and the direction of another, whose axes are turned.
struct Question {
  u32 tree, origin, direction, turns;

  COPSE_HD Ray ray(const Ray* rays) const {
    Ray ray = rays[direction];
    ray.origin = rays[origin].origin;
    const vec3 d = ray.direction;
    if (turns == 1) ray.direction = vec3(d.y, d.z, d.x);
    if (turns == 2) ray.direction = vec3(d.z, d.x, d.y);
    return ray;
  }
};

/// Goes from question to question. Returns a number that depends on all answers.
///   walks: has closest(question), any(question) and count(question)
template <class Walks>
COPSE_HD u32 wander(const Walks& walks, u32 thread) {
  u32 words = thread * 2654435761u;
  Question question{0, thread % ray_count, thread / 5 % ray_count, 0};
  for (u32 step = 0; step < 1 + (thread * 7 + thread / 32) % 9; ++step) {
    question.tree = (words >> 5) % tree_count;
    question.turns = step % 3;
    const u32 kind = (words >> 9) % 4;
    if (kind == 0) {
      words = words * 1664525 + (walks.any(question) ? 1013904223 : 12345);
    } else if (kind == 1) {
      words = words * 1664525 + walks.count(question) * 69069 + 1;
    } else {
      const Hit hit = walks.closest(question);
      words = words * 1664525 + hit.primitive * 22695477 + bits_of(hit.t);
    }
    words ^= words >> 7;
    question.origin = (words >> 3) % ray_count;
  }
  return words;
}

struct ViewWalks {
  AccelView accels[tree_count];
  const Ray* rays;
  COPSE_HD Hit closest(const Question& q) const { return closest_hit(accels[q.tree], q.ray(rays)); }
  COPSE_HD bool any(const Question& q) const { return any_hit(accels[q.tree], q.ray(rays)); }
  COPSE_HD u32 count(const Question& q) const { return count_hits(accels[q.tree], q.ray(rays)); }
};

/// Answers that a test of all triangles gave.
struct TableWalks {
  static constexpr u32 question_count = tree_count * ray_count * ray_count * 3;

  const Hit* hits;
  const u32* counts;
  COPSE_HD static u32 place(const Question& q) {
    return ((q.tree * ray_count + q.origin) * ray_count + q.direction) * 3 + q.turns;
  }
  COPSE_HD Hit closest(const Question& q) const { return hits[place(q)]; }
  COPSE_HD bool any(const Question& q) const { return counts[place(q)] > 0; }
  COPSE_HD u32 count(const Question& q) const { return counts[place(q)]; }
};

struct Wander {
  ViewWalks walks;
  u32* found;
  COPSE_HD void operator()(u64 i) const { found[i] = wander(walks, u32(i)); }
};

u32 brute_force_count(const Mesh& mesh, const Ray& ray) {
  u32 count = 0;
  Mesh one{mesh.positions, {uvec3(0)}};
  for (const uvec3& triangle : mesh.triangles) {
    one.triangles[0] = triangle;
    count += is_hit(test::brute_force_hit({test::host_view(one)}, ray)) ? 1 : 0;
  }
  return count;
}

template <class Executor>
struct DivergentWalks : test::BodyTest<Executor> {};
TYPED_TEST_SUITE(DivergentWalks, TheBackend, BackendName);

TYPED_TEST(DivergentWalks, FindWhatATestOfAllTrianglesFinds) {
  Context& context = this->context();
  const Mesh meshes[tree_count] = {generate_sphere(2), generate_random(150, 0.4f), generate_hairball(6, 8)};
  std::vector<Ray> rays = test::difficult_rays(meshes[1], ray_count, 7);
  const std::vector<Ray> none = test::rays_that_are_none(rays[0]);
  for (u32 i = 0; i < 4; ++i) rays[6 * i] = none[5 * i];
  const Buffer<Ray> device_rays(context, rays);

  std::vector<Hit> hits(TableWalks::question_count);
  std::vector<u32> counts(TableWalks::question_count);
  std::vector<test::DeviceMesh> placed;
  std::vector<Accel> accels;
  Wander wanderer{};
  wanderer.walks.rays = device_rays.data();
  for (u32 tree = 0; tree < tree_count; ++tree) {
    const TriangleView view = test::host_view(meshes[tree]);
    for (u32 i = 0; i < TableWalks::question_count / tree_count; ++i) {
      const Question q{tree, i / 3 / ray_count, i / 3 % ray_count, i % 3};
      hits[TableWalks::place(q)] = test::brute_force_hit({view}, q.ray(rays.data()));
      counts[TableWalks::place(q)] = brute_force_count(meshes[tree], q.ray(rays.data()));
    }
    placed.emplace_back(context, meshes[tree]);
    accels.push_back(build(context, placed.back().view(), {.quality = test::all_qualities[tree]}));
    wanderer.walks.accels[tree] = accels.back().view();
  }

  const u32 thread_count = 20000;
  Buffer<u32> found(context, thread_count);
  wanderer.found = found.data();
  for_each(this->executor(), "divergent walks", thread_count, wanderer);
  const std::vector<u32> words = found.download();
  const TableWalks table{hits.data(), counts.data()};
  for (u32 i = 0; i < thread_count; ++i) ASSERT_EQ(words[i], wander(table, i)) << "thread " << i;
  EXPECT_GT(std::set<u32>(words.begin(), words.end()).size(), thread_count / 2) << "the ways differ";
}

}  // namespace
}  // namespace copse::detail
