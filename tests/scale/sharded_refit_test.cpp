// Refits and rebuilds of trees whose parts are on several ranks. Put together, they are those of one context, byte for
// byte.

#include <gtest/gtest.h>

#include <cmath>

#include "accel/accel_rays.h"
#include "builders/bvh/build.h"
#include "builders/bvh/refit.h"
#include "builders/geometry/generate.h"
#include "scale/sharded_rays.h"
#include "tests/accel/accels.h"
#include "tests/scale/ranks.h"
#include "tests/support/backends.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_bvh.h"
#include "tests/support/limited_memory.h"

namespace copse {

namespace {

using test::BvhCopy;
using test::RankOutcome;

/// Frame 0 is the mesh itself. In later frames vertices are elsewhere; in every second frame some are NaN or infinite.
Mesh frame_of(const Mesh& mesh, u32 frame) {
  Mesh moved = mesh;
  for (size_t i = 0; frame > 0 && i < moved.positions.size(); ++i) {
    vec3& p = moved.positions[i];
    p = vec3(p.y + 0.1f * float(i % 7), p.z * 1.5f, p.x - 0.2f * float(frame));
    if (frame % 2 == 0 && i % 11 == 3) p.y = i % 2 == 0 ? NAN : INFINITY;
  }
  return moved;
}

std::vector<u64> uneven_cuts(u64 triangle_count, u32 count) {
  std::vector<u64> begins;
  for (u32 rank = 0; rank <= count; ++rank) begins.push_back(triangle_count * rank * rank / (count * count));
  return begins;
}

class ShardedRefit : public test::OnEachBackend {
 protected:
  /// Builds a mesh on ranks and fits the parts to later frames. Expects after each that together they are the tree of one
  /// context that does the same.
  void expect_equal_frames(const Mesh& mesh, u32 count, u32 hploc_radius) {
    constexpr u32 frame_count = 4;
    const std::vector<u64> begins = uneven_cuts(mesh.triangles.size(), count);
    std::vector<Bvh> wholes(frame_count);
    Context host({.backend = Backend::cpu, .workers = 1});
    const auto outcomes = test::run_ranks(Communicator::of_threads(count), [&](Communicator& comm, u32 rank) {
      Context context({.backend = GetParam(), .workers = 1});
      ShardedBvh shard;
      for (u32 frame = 0; frame < frame_count; ++frame) {
        const test::DeviceMesh part(context, test::cut_mesh(frame_of(mesh, frame), begins)[rank]);
        if (frame == 0) {
          shard = build_sharded(comm, context, part.view(), {.hploc_radius = hploc_radius});
        } else {
          refit(comm, context, shard, part.view());
        }
        Context own_host({.backend = Backend::cpu, .workers = 1});
        Bvh gathered = gather(comm, rank == 0 ? host : own_host, shard);
        if (rank == 0) wholes[frame] = std::move(gathered);
      }
    });
    for (const RankOutcome& outcome : outcomes) ASSERT_EQ(outcome.text, "");
    Bvh expected = hploc_radius == 0 ? build(host, test::host_view(mesh), LbvhOptions{})
                                     : build(host, test::host_view(mesh),
                                             HplocOptions{.radius = hploc_radius, .morton_bits = 63});
    for (u32 frame = 0; frame < frame_count; ++frame) {
      const Mesh moved = frame_of(mesh, frame);
      if (frame > 0) refit(host, expected, test::host_view(moved));
      EXPECT_TRUE(test::same_bytes(BvhCopy(wholes[frame]), BvhCopy(expected))) << "frame " << frame;
    }
  }
};

COPSE_ON_EACH_BACKEND(ShardedRefit);

TEST_P(ShardedRefit, GathersTheTreeThatOneContextRefits) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    for (const u32 count : {1u, 2u, 3u, 8u}) {
      SCOPED_TRACE(hard.name + " on " + std::to_string(count) + " ranks");
      for (const u32 hploc_radius : {0, 4}) expect_equal_frames(hard.mesh, count, hploc_radius);
    }
  }
}

/// Rays through the accel of a shard that was refitted hit what they hit in an accel of the moved triangles. The masks and
/// geometry ids are new too: before the refit no triangle had a mask.
TEST_P(ShardedRefit, MovesTheTrianglesThatRaysHit) {
  constexpr u32 count = 4;
  const Mesh mesh = generate_random(1200, 0.1f), moved = frame_of(mesh, 1);
  const std::vector<u64> begins = uneven_cuts(1200, count);
  const std::vector<Mesh> before = test::cut_mesh(mesh, begins), after = test::cut_mesh(moved, begins);
  const auto view_after = [](const test::DeviceMesh& part, u32 rank) {
    TriangleView view = part.view(20 + rank);
    if (rank == 3) view.mask = 2;
    return view;
  };
  std::vector<Ray> rays = test::difficult_rays(moved, 200, 3);
  for (size_t i = 0; i < rays.size(); i += 2) rays[i].t_max = infinity;

  Context one({.backend = GetParam()});
  std::vector<test::DeviceMesh> meshes;
  std::vector<TriangleView> views;
  for (const Mesh& part : after) meshes.emplace_back(one, part);
  for (u32 rank = 0; rank < count; ++rank) views.push_back(view_after(meshes[rank], rank));
  const Accel accel = build(one, views);
  const Buffer<Ray> on_one(one, rays);
  Buffer<Hit> expected(one, rays.size());
  closest_hits(one, accel, on_one.span(), expected.span());

  const auto outcomes = test::run_ranks(Communicator::of_threads(count), [&](Communicator& comm, u32 rank) {
    Context context({.backend = GetParam(), .workers = 1});
    const test::DeviceMesh first(context, before[rank]), second(context, after[rank]);
    ShardedBvh shard = build_sharded(comm, context, first.view(10 + rank));
    ShardedAccel sharded = make_accel(comm, context, shard, Quality::fast);
    const Buffer<Ray> on_device(context, rays);
    for (u32 repeat = 0; repeat < 2; ++repeat) {
      refit(comm, context, shard, view_after(second, rank));
      refit(comm, context, sharded, shard);
      Buffer<Hit> hits(context, rays.size());
      closest_hits(comm, context, sharded, on_device.span(), hits.span());
      EXPECT_TRUE(test::same_bytes(hits.download(), expected.download())) << "rank " << rank;
    }
  });
  test::expect_no_error(outcomes);
}

class ShardedRebuild : public test::OnEachBackend {
 protected:
  /// Builds the parts of a mesh, and then those of another mesh with the borders of the first one if they do.
  void expect_rebuilt(const Mesh& mesh, const Mesh& next, u32 count, bool keeps_borders) {
    const std::vector<u64> begins = uneven_cuts(mesh.triangles.size(), count);
    const std::vector<u64> next_begins = uneven_cuts(next.triangles.size(), count);
    Bvh whole;
    const auto outcomes = test::run_ranks(Communicator::of_threads(count), [&](Communicator& comm, u32 rank) {
      Context context({.backend = GetParam(), .workers = 1});
      const test::DeviceMesh part(context, test::cut_mesh(mesh, begins)[rank]);
      const test::DeviceMesh next_part(context, test::cut_mesh(next, next_begins)[rank]);
      ShardedBvh shard = build_sharded(comm, context, part.view());
      rebuild(comm, context, shard, next_part.view());
      EXPECT_EQ(shard.has_kept_borders, keeps_borders);
      refit(comm, context, shard, next_part.view());  // along new routes, and nothing has moved
      Context host({.backend = Backend::cpu, .workers = 1});
      Bvh gathered = gather(comm, host, shard);
      if (rank == 0) whole = std::move(gathered);
    });
    for (const RankOutcome& outcome : outcomes) ASSERT_EQ(outcome.text, "");
    Context host({.backend = Backend::cpu, .workers = 1});
    const Bvh expected = build(host, test::host_view(next), LbvhOptions{});
    EXPECT_TRUE(test::same_bytes(BvhCopy(whole), BvhCopy(expected)));
  }
};

COPSE_ON_EACH_BACKEND(ShardedRebuild);

TEST_P(ShardedRebuild, KeepsBordersWhileTheyDivideWell) {
  const Mesh mesh = generate_random(4000, 0.02f);
  Mesh next = mesh;
  for (vec3& p : next.positions) p = vec3(p.x * 1.01f, p.y, p.z * 0.99f);
  next.triangles.resize(3900);
  for (const u32 count : {2u, 3u, 8u}) expect_rebuilt(mesh, next, count, true);
  expect_rebuilt(mesh, next, 1, false);  // one rank has no borders
}

TEST_P(ShardedRebuild, FindsNewBordersIfOneRankWouldGetTooMuch) {
  const Mesh mesh = generate_random(4000, 0.02f);
  Mesh next = mesh;
  for (vec3& p : next.positions) p = p * 0.1f;
  next.positions[next.triangles[0].x] = vec3(10);  // far away, so all others are in one corner of the bounds
  for (const u32 count : {2u, 3u, 8u}) expect_rebuilt(mesh, next, count, false);
}

/// All keys are equal, and borders cut a run of them. Their keys alone would give one rank everything.
TEST_P(ShardedRebuild, FindsNewBordersAmongEqualKeys) {
  Mesh mesh = generate_sphere(0);
  mesh.triangles.assign(500, mesh.triangles[0]);
  for (const u32 count : {2u, 8u}) expect_rebuilt(mesh, mesh, count, false);
}

TEST_P(ShardedRefit, RefusesWhatDoesNotFitOnAllRanksAlike) {
  const Mesh mesh = generate_sphere(2);
  const auto outcomes = test::run_ranks(Communicator::of_threads(3), [&](Communicator& comm, u32 rank) {
    Context context({.backend = GetParam(), .workers = 1});
    const test::DeviceMesh part(context, mesh);
    ShardedBvh never;
    ShardedAccel no_accel;
    EXPECT_COPSE_ERROR(refit(comm, context, never, part.view()), ErrorCode::invalid_argument,
                       "rank 0: refit: the tree was built by 0 ranks, but there are 3");
    EXPECT_COPSE_ERROR(rebuild(comm, context, never, part.view()), ErrorCode::invalid_argument,
                       "rank 0: rebuild: the tree was built by 0 ranks, but there are 3");
    ShardedBvh shard = build_sharded(comm, context, part.view());
    EXPECT_COPSE_ERROR(refit(comm, context, no_accel, shard), ErrorCode::invalid_argument,
                       "rank 0: refit: the structure was never built");
    Mesh fewer = mesh;
    if (rank == 1) fewer.triangles.pop_back();
    const test::DeviceMesh fewer_part(context, fewer);
    EXPECT_COPSE_ERROR(refit(comm, context, shard, fewer_part.view()), ErrorCode::invalid_argument,
                       "rank 1: refit: 319 triangles of this rank, 320 in its build");
    ShardedAccel accel = make_accel(comm, context, shard, Quality::fast);
    rebuild(comm, context, shard, fewer_part.view());
    EXPECT_COPSE_ERROR(refit(comm, context, accel, shard), ErrorCode::invalid_argument, "in the structure");
    Communicator alone;
    EXPECT_COPSE_ERROR(refit(alone, context, shard, part.view()), ErrorCode::invalid_argument,
                       "refit: the tree was built by 3 ranks, but there are 1");
  });
  test::expect_no_error(outcomes);
}

}  // namespace

}  // namespace copse
