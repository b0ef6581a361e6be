// Rays that travel between ranks hit what rays of one context hit, byte for byte.

#include "scale/sharded_rays.h"

#include <gtest/gtest.h>

#include "accel/accel_rays.h"
#include "builders/geometry/generate.h"
#include "tests/accel/accels.h"
#include "tests/scale/ranks.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/limited_memory.h"

namespace copse {

namespace {

/// The answers to the rays of one rank.
struct RayAnswers {
  std::vector<Hit> hits;
  std::vector<u8> occluded;
};

bool same_answers(const RayAnswers& a, const RayAnswers& b) {
  return test::same_bytes(a.hits, b.hits) && test::same_bytes(a.occluded, b.occluded);
}

TriangleView named_view(const test::DeviceMesh& mesh, u32 rank, u32 mask) {
  TriangleView view = mesh.view(10 + rank);
  view.mask = mask;
  return view;
}

/// Rank 2 has triangles that no ray sees, if the test has masks.
u32 mask_of(u32 rank, bool has_masks) {
  return has_masks && rank == 2 ? 0 : ~u32{0};
}

class ShardedRays : public test::OnEachBackend {
 protected:
  /// Builds over the triangles of all parts.
  Accel build_one(const std::vector<Mesh>& parts, bool has_masks) {
    std::vector<test::DeviceMesh> meshes;
    std::vector<TriangleView> views;
    for (const Mesh& part : parts) meshes.emplace_back(context(), part);
    for (u32 rank = 0; rank < parts.size(); ++rank) {
      views.push_back(named_view(meshes[rank], rank, mask_of(rank, has_masks)));
    }
    return build(context(), views);
  }

  RayAnswers ask_one(const Accel& accel, const std::vector<Ray>& rays) {
    const Buffer<Ray> on_device(context(), rays);
    Buffer<Hit> hits(context(), rays.size());
    Buffer<u8> occluded(context(), rays.size());
    closest_hits(context(), accel, on_device.span(), hits.span());
    any_hits(context(), accel, on_device.span(), occluded.span());
    return {hits.download(), occluded.download()};
  }

  /// Returns what each rank answers to its rays, [rank].
  std::vector<RayAnswers> ask_ranks(const std::vector<Mesh>& parts, const std::vector<std::vector<Ray>>& rays,
                                    bool has_masks) {
    std::vector<RayAnswers> answers(parts.size());
    const auto outcomes =
        test::run_ranks(Communicator::of_threads(u32(parts.size())), [&](Communicator& comm, u32 rank) {
          Context context({.backend = GetParam(), .workers = 1});
          ShardedAccel accel;
          {
            const test::DeviceMesh mesh(context, parts[rank]);
            const ShardedBvh shard = build_sharded(comm, context, named_view(mesh, rank, mask_of(rank, has_masks)),
                                                   {.hploc_radius = hploc_radius_});
            accel = make_accel(comm, context, shard, Quality::fast);
          }
          const Buffer<Ray> own(context, rays[rank]);
          Buffer<Hit> hits(context, own.size());
          Buffer<u8> occluded(context, own.size());
          closest_hits(comm, context, accel, own.span(), hits.span());
          any_hits(comm, context, accel, own.span(), occluded.span());
          answers[rank] = {hits.download(), occluded.download()};
        });
    test::expect_no_error(outcomes);
    return answers;
  }

  void expect_same(const std::string& name, const Mesh& mesh, u32 count, bool has_masks = false) {
    const std::vector<Mesh> parts = test::deal_mesh(mesh, count);
    std::vector<std::vector<Ray>> rays;
    for (u32 rank = 0; rank < count; ++rank) {
      rays.push_back(rank == 1 ? std::vector<Ray>()
                               : test::difficult_rays(mesh, 150, 5 + rank));  // rank 1 has none
    }
    const std::vector<RayAnswers> answers = ask_ranks(parts, rays, has_masks);
    const Accel one = build_one(parts, has_masks);
    for (u32 rank = 0; rank < count; ++rank) {
      EXPECT_TRUE(same_answers(answers[rank], ask_one(one, rays[rank])))
          << name << ", rank " << rank << " of " << count;
    }
  }

  void expect_same_for_hard_meshes(u32 count) {
    for (const test::NamedMesh& each : test::hard_meshes()) {
      if (!each.mesh.positions.empty()) expect_same(each.name, each.mesh, count);
    }
  }

  u32 hploc_radius_ = 0;
};

COPSE_ON_EACH_BACKEND(ShardedRays);

TEST_P(ShardedRays, OfOneRankHitWhatRaysOfOneContextHit) {
  expect_same_for_hard_meshes(1);
}
TEST_P(ShardedRays, OfThreeRanksHitWhatRaysOfOneContextHit) {
  expect_same_for_hard_meshes(3);
}
TEST_P(ShardedRays, OfEightRanksHitWhatRaysOfOneContextHit) {
  expect_same_for_hard_meshes(8);
}

TEST_P(ShardedRays, HitTheSameThroughHplocTrees) {
  hploc_radius_ = 4;
  expect_same("random", generate_random(2000, 0.1f), 4);
  expect_same("sphere", generate_sphere(3), 7);
}

/// The same triangle many times, on all ranks: of all hits of a ray, which are at the same t, the least id counts.
TEST_P(ShardedRays, DecideBetweenEqualHitsByTheIdsOfAllRanks) {
  Mesh mesh = generate_sphere(2);
  const std::vector<uvec3> once = mesh.triangles;
  for (u32 copy = 1; copy < 9; ++copy) mesh.triangles.insert(mesh.triangles.begin(), once.rbegin(), once.rend());
  for (const u32 count : {2u, 4u, 8u}) expect_same("copies", mesh, count);
}

TEST_P(ShardedRays, PassOverTrianglesThatNoRaySees) {
  expect_same("masks", generate_random(2000, 0.1f), 4, true);
}

TEST_P(ShardedRays, RefuseWhatDoesNotFitOnAllRanksAlike) {
  const Mesh mesh = generate_sphere(2);
  const auto outcomes = test::run_ranks(Communicator::of_threads(3), [&](Communicator& comm, u32 rank) {
    Context context({.backend = GetParam(), .workers = 1});
    const Buffer<Ray> rays(context, std::vector<Ray>(4, Ray{{0, 0, 3}, 0, {0, 0, -1}, 10}));
    Buffer<Hit> hits(context, rank == 1 ? 3 : 4);
    EXPECT_COPSE_ERROR(closest_hits(comm, context, ShardedAccel(), rays.span(), hits.span()),
                       ErrorCode::invalid_argument, "rank 0: closest_hits: the structure was never built");
    const test::DeviceMesh on_device(context, mesh);
    const ShardedBvh shard = build_sharded(comm, context, on_device.view());
    const ShardedAccel accel = make_accel(comm, context, shard, Quality::fast);
    EXPECT_COPSE_ERROR(closest_hits(comm, context, accel, rays.span(), hits.span()), ErrorCode::invalid_argument,
                       "rank 1: closest_hits: ");
    Communicator alone;
    EXPECT_COPSE_ERROR(closest_hits(alone, context, accel, rays.span(), hits.span()), ErrorCode::invalid_argument,
                       "the structure was built by 3 ranks, but there are 1");
    EXPECT_COPSE_ERROR(make_accel(alone, context, shard), ErrorCode::invalid_argument,
                       "make_accel: the tree was built by 3 ranks, but there are 1");
  });
  test::expect_no_error(outcomes);
}

}  // namespace

}  // namespace copse
