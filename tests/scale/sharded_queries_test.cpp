// Questions that travel between ranks get the answers of one context, byte for byte.

#include "scale/sharded_queries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "builders/geometry/generate.h"
#include "tests/scale/ranks.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/hard_points.h"

namespace copse {

namespace {

using test::RankOutcome;
using test::same_bytes;

constexpr u32 k = 5;

/// What one rank asks.
struct Questions {
  std::vector<vec3> points;
  std::vector<Aabb> boxes;
  std::vector<Sphere> spheres;
  std::vector<Frustum> frusta;
  float max_distance = infinity;
};

/// Ids in each list ascend.
struct RegionLists {
  std::vector<u64> offsets;
  std::vector<u32> primitives;
  std::vector<u32> counts;
};

struct AnswersToAll {
  std::vector<NearestPoint> nearest;
  std::vector<Neighbour> neighbours;
  std::vector<u8> inside;
  RegionLists boxes, spheres, frusta;
};

void expect_same_lists(const RegionLists& a, const RegionLists& b, const std::string& name) {
  EXPECT_EQ(a.offsets, b.offsets) << name;
  EXPECT_EQ(a.primitives, b.primitives) << name;
  EXPECT_EQ(a.counts, b.counts) << name;
}

/// Asks one context, or a group of ranks: Place is a context, or a communicator and a context.
template <class Region, class... Place>
RegionLists ask_lists(Context& context, const std::vector<Region>& regions, Place&&... place) {
  const Buffer<Region> on_device(context, regions);
  Buffer<u32> counts(context, regions.size());
  count_overlaps(place..., BufferSpan<const Region>(on_device.span()), counts.span());
  const OverlapLists lists = all_overlaps(place..., BufferSpan<const Region>(on_device.span()));
  return {lists.offsets.download(), lists.primitives.download(), counts.download()};
}

template <class... Place>
AnswersToAll ask(Context& context, const Questions& questions, Place&&... place) {
  const Buffer<vec3> points(context, questions.points);
  Buffer<NearestPoint> nearest(context, points.size());
  Buffer<Neighbour> neighbours(context, points.size() * k);
  Buffer<u8> inside(context, points.size());
  nearest_points(place..., points.span(), nearest.span(), questions.max_distance);
  nearest_primitives(place..., points.span(), neighbours.span(), questions.max_distance);
  points_inside(place..., points.span(), inside.span());
  return {nearest.download(),
          neighbours.download(),
          inside.download(),
          ask_lists(context, questions.boxes, place...),
          ask_lists(context, questions.spheres, place...),
          ask_lists(context, questions.frusta, place...)};
}

void sort_lists(RegionLists& lists) {
  for (size_t i = 0; i + 1 < lists.offsets.size(); ++i) {
    std::sort(lists.primitives.begin() + i64(lists.offsets[i]),
              lists.primitives.begin() + i64(lists.offsets[i + 1]));
  }
}

/// Points near and far, on vertices, and invalid ones; regions round them, and some that are empty.
Questions questions_about(const Mesh& mesh, u32 seed) {
  Questions questions;
  questions.points = test::random_points(40, seed, -1.5f, 1.5f);
  for (size_t i = seed; i < mesh.positions.size() && questions.points.size() < 70;
       i += 1 + mesh.positions.size() / 30) {
    questions.points.push_back(mesh.positions[i]);
    questions.points.push_back(mesh.positions[i] * 0.5f + vec3(0.01f * float(i)));
  }
  questions.points.insert(questions.points.end(), {vec3(NAN, 0, 0), vec3(0, INFINITY, 0), vec3(1e20f)});
  // Heights above planes overflow for the largest floats. Then frusta find what the boxes of a tree let them find.
  const bool has_frusta = std::all_of(mesh.positions.begin(), mesh.positions.end(), [](const vec3& p) {
    return !(std::abs(p.x) > 1e18f || std::abs(p.y) > 1e18f || std::abs(p.z) > 1e18f);
  });
  for (const vec3& p : questions.points) {
    questions.boxes.push_back({p - vec3(0.2f), p + vec3(0.1f, 0.3f, 0.2f)});
    questions.spheres.push_back({p, 0.3f});
    if (has_frusta)
      questions.frusta.push_back(frustum_of(Camera{p, vec3(0, 0, -1), vec3(1, 0, 0), vec3(0, 1, 0)}, 0.1f, 2.0f));
  }
  questions.boxes.push_back(Aabb::empty());
  questions.boxes.push_back({vec3(-infinity), vec3(infinity)});
  questions.spheres.push_back({vec3(0), -1});
  return questions;
}

/// Builds over the triangles of all parts.
Accel build_one(Context& context, const std::vector<Mesh>& parts) {
  std::vector<test::DeviceMesh> meshes;
  std::vector<TriangleView> views;
  for (const Mesh& part : parts) meshes.emplace_back(context, part);
  for (u32 rank = 0; rank < parts.size(); ++rank) views.push_back(meshes[rank].view(10 + rank));
  return build(context, views);
}

AnswersToAll ask_one(Context& context, const Accel& accel, const Questions& questions) {
  AnswersToAll answers = ask(context, questions, context, accel);
  for (RegionLists* lists : {&answers.boxes, &answers.spheres, &answers.frusta}) sort_lists(*lists);
  return answers;
}

/// Returns what each rank answers to its questions, [rank]. Each has a context of the backend.
std::vector<AnswersToAll> ask_ranks(Backend backend, const std::vector<Mesh>& parts,
                                    const std::vector<Questions>& questions) {
  std::vector<AnswersToAll> answers(parts.size());
  const auto outcomes =
      test::run_ranks(Communicator::of_threads(u32(parts.size())), [&](Communicator& comm, u32 rank) {
        Context own({.backend = backend, .workers = 1});
        ShardedAccel accel;
        {
          const test::DeviceMesh part(own, parts[rank]);
          accel = make_accel(comm, own, build_sharded(comm, own, part.view(10 + rank)), Quality::fast);
        }
        answers[rank] = ask(own, questions[rank], comm, own, accel);
      });
  test::expect_no_error(outcomes);
  return answers;
}

/// Expects that ranks answer what one context answers. Rank 1 asks nothing.
///   is_closed: else there is no inside
void expect_same(Context& context, const std::string& name, const Mesh& mesh, u32 count, bool is_closed,
                 float max_distance = infinity) {
  SCOPED_TRACE(name + ", " + std::to_string(count) + " ranks");
  const std::vector<Mesh> parts = test::deal_mesh(mesh, count);
  std::vector<Questions> questions;
  for (u32 rank = 0; rank < count; ++rank) {
    questions.push_back(rank == 1 ? Questions() : questions_about(mesh, 5 + rank));
    questions.back().max_distance = max_distance;
  }
  const std::vector<AnswersToAll> answers = ask_ranks(context.backend(), parts, questions);
  const Accel one = build_one(context, parts);
  for (u32 rank = 0; rank < count; ++rank) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    const AnswersToAll expected = ask_one(context, one, questions[rank]);
    EXPECT_TRUE(same_bytes(answers[rank].nearest, expected.nearest));
    EXPECT_TRUE(same_bytes(answers[rank].neighbours, expected.neighbours));
    if (is_closed) {
      EXPECT_EQ(answers[rank].inside, expected.inside);
    }
    expect_same_lists(answers[rank].boxes, expected.boxes, "boxes");
    expect_same_lists(answers[rank].spheres, expected.spheres, "spheres");
    expect_same_lists(answers[rank].frusta, expected.frusta, "frusta");
  }
}

// A test for each mesh: under a tool that watches the GPU, one test of all meshes does not end in half an hour.
class ShardedQueriesOfHardMeshes : public test::OnEachRow<test::NamedMesh> {};
COPSE_ON_EACH_ROW(ShardedQueriesOfHardMeshes, test::NamedMesh, test::hard_meshes());

TEST_P(ShardedQueriesOfHardMeshes, GetTheAnswersOfOneContext) {
  for (const u32 count : {1u, 3u, 8u}) expect_same(context(), row().name, row().mesh, count, false);
}

class ShardedQueries : public test::OnEachBackend {};
COPSE_ON_EACH_BACKEND(ShardedQueries);

TEST_P(ShardedQueries, FindWhatIsInsideAClosedMesh) {
  Mesh mesh = generate_sphere(3);
  const Mesh cube = generate_cube();
  for (const uvec3& t : cube.triangles) mesh.triangles.push_back(t + u32(mesh.positions.size()));
  for (const vec3& p : cube.positions) mesh.positions.push_back(p * 0.3f + vec3(0.4f, 0.1f, 0.2f));
  for (const u32 count : {2u, 4u, 7u}) expect_same(context(), "sphere and cube", mesh, count, true);
}

TEST_P(ShardedQueries, FindNothingBeyondTheMaximumDistance) {
  const Mesh mesh = generate_random(500, 0.1f);
  for (const float max_distance : {0.05f, 0.3f, 0.0f, -1.0f, NAN})
    expect_same(context(), "near", mesh, 4, false, max_distance);
}

/// The same triangles many times, on all ranks: of those at the same distance, the least ids count.
TEST_P(ShardedQueries, DecideBetweenEqualDistancesByTheIdsOfAllRanks) {
  Mesh mesh = generate_sphere(1);
  const std::vector<uvec3> once = mesh.triangles;
  for (u32 copy = 1; copy < 6; ++copy) mesh.triangles.insert(mesh.triangles.begin(), once.rbegin(), once.rend());
  for (const u32 count : {2u, 8u}) expect_same(context(), "copies", mesh, count, true);
}

TEST_P(ShardedQueries, FollowTrianglesThatMove) {
  constexpr u32 count = 3;
  const Mesh mesh = generate_random(900, 0.1f);
  Mesh moved = mesh;
  for (vec3& p : moved.positions) p = vec3(p.z + 0.4f, -p.x, p.y * 2.0f);
  const std::vector<Mesh> before = test::deal_mesh(mesh, count), after = test::deal_mesh(moved, count);
  const Questions questions = questions_about(moved, 3);
  const AnswersToAll expected = ask_one(context(), build_one(context(), after), questions);
  const auto outcomes = test::run_ranks(Communicator::of_threads(count), [&](Communicator& comm, u32 rank) {
    Context own({.backend = GetParam(), .workers = 1});
    const test::DeviceMesh first(own, before[rank]), second(own, after[rank]);
    ShardedBvh shard = build_sharded(comm, own, first.view(10 + rank));
    ShardedAccel accel = make_accel(comm, own, shard, Quality::fast);
    refit(comm, own, shard, second.view(10 + rank));
    refit(comm, own, accel, shard);
    const AnswersToAll answers = ask(own, questions, comm, own, accel);
    EXPECT_TRUE(same_bytes(answers.nearest, expected.nearest));
    EXPECT_TRUE(same_bytes(answers.neighbours, expected.neighbours));
    expect_same_lists(answers.boxes, expected.boxes, "boxes");
  });
  test::expect_no_error(outcomes);
}

TEST_P(ShardedQueries, RefuseWhatDoesNotFitOnAllRanksAlike) {
  const auto outcomes = test::run_ranks(Communicator::of_threads(3), [&](Communicator& comm, u32 rank) {
    Context own({.backend = GetParam(), .workers = 1});
    const test::DeviceMesh mesh(own, generate_sphere(1));
    const ShardedAccel accel = make_accel(comm, own, build_sharded(comm, own, mesh.view()), Quality::fast);
    const Buffer<vec3> points(own, 4);
    const Buffer<Sphere> spheres(own, 4);
    Buffer<NearestPoint> nearest(own, rank == 2 ? 5 : 4);
    Buffer<Neighbour> neighbours(own, rank == 1 ? 8 : 4);
    Buffer<u32> counts(own, rank == 0 ? 3 : 4);
    Buffer<u8> inside(own, 4);
    EXPECT_COPSE_ERROR(nearest_points(comm, own, accel, points.span(), nearest.span()),
                       ErrorCode::invalid_argument, "rank 2: nearest_points: ");
    EXPECT_COPSE_ERROR(nearest_primitives(comm, own, accel, points.span(), neighbours.span()),
                       ErrorCode::invalid_argument, "1 neighbours per point on rank 0 and 2 on rank 1");
    EXPECT_COPSE_ERROR(count_overlaps(comm, own, accel, BufferSpan<const Sphere>(spheres.span()), counts.span()),
                       ErrorCode::invalid_argument, "rank 0: count_overlaps: ");
    EXPECT_COPSE_ERROR(points_inside(comm, own, ShardedAccel(), points.span(), inside.span()),
                       ErrorCode::invalid_argument, "rank 0: points_inside: the structure was never built");
    EXPECT_COPSE_ERROR(all_overlaps(comm, own, ShardedAccel(), BufferSpan<const Sphere>(spheres.span())),
                       ErrorCode::invalid_argument, "rank 0: all_overlaps: the structure was never built");
  });
  test::expect_no_error(outcomes);
}

}  // namespace

}  // namespace copse
