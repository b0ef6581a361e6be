// Trees whose parts are on several ranks. Put together, they are the tree of one context, byte for byte.

#include "scale/sharded_build.h"

#include <algorithm>
#include <random>
#include <stop_token>

#include "builders/bvh/build.h"
#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "tests/scale/ranks.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_bvh.h"
#include "tests/support/limited_memory.h"

namespace copse {

namespace {

using test::BvhCopy;
using test::RankOutcome;

constexpr u32 rank_counts[] = {1, 2, 3, 4, 7, 8};

/// Returns where the parts of `count` ranks begin: evenly, or at random places, so that some parts are empty.
std::vector<u64> even_cuts(u64 triangle_count, u32 count) {
  std::vector<u64> begins;
  for (u32 rank = 0; rank <= count; ++rank) begins.push_back(triangle_count * rank / count);
  return begins;
}
std::vector<u64> random_cuts(u64 triangle_count, u32 count, std::mt19937& random) {
  std::vector<u64> begins{0, triangle_count};
  while (begins.size() <= count) begins.push_back(random() % (triangle_count + 1));
  std::sort(begins.begin(), begins.end());
  return begins;
}

/// The deltas of an LBVH, with the words before them; one byte for a tree that does not follow from its deltas.
std::vector<u8> words_of_deltas(const Bvh& tree) {
  const std::vector<u32> words = detail::BvhAccess::deltas(tree).words.download();
  if (words[0] == 0 && !detail::BvhAccess::deltas(tree).may_refit) return {0};
  const auto* const bytes = reinterpret_cast<const u8*>(words.data());
  const u32 leaf_count = tree.counts.download()[0].leaf_count;
  return leaf_count == 0 ? std::vector<u8>() : std::vector<u8>(bytes, bytes + 8 + leaf_count - 1);
}

Bvh build_whole(Context& context, const TriangleViews& triangles, const ShardedBuildOptions& options) {
  if (options.hploc_radius == 0) return build(context, triangles, LbvhOptions{.morton_bits = options.morton_bits});
  return build(context, triangles,
               HplocOptions{.radius = options.hploc_radius, .morton_bits = options.morton_bits});
}

class ShardedBuild : public test::OnEachBackend {
 protected:
  /// Builds the parts of a mesh on ranks, and expects that together they are the tree of `mesh` on one context.
  void expect_equal(const Mesh& mesh, const std::vector<u64>& begins, const ShardedBuildOptions& options = {},
                    u32 root = 0) {
    const std::vector<Mesh> parts = test::cut_mesh(mesh, begins);
    Bvh whole;
    const auto outcomes =
        test::run_ranks(Communicator::of_threads(u32(parts.size())), [&](Communicator& comm, u32 rank) {
          Context context({.backend = GetParam(), .workers = 1});
          const test::DeviceMesh part(context, parts[rank]);
          const ShardedBvh shard = build_sharded(comm, context, part.view(), options);
          expect_whole_part(context, shard, rank);
          Context host({.backend = Backend::cpu, .workers = 1});
          Bvh gathered = gather(comm, host, shard, root);
          if (rank == root) {
            whole = std::move(gathered);
          } else {
            EXPECT_EQ(gathered.size_bytes(), 0u);
          }
        });
    for (const RankOutcome& outcome : outcomes) ASSERT_EQ(outcome.text, "");
    const Bvh expected = build_whole(host_, test::host_view(mesh), options);
    EXPECT_TRUE(test::same_bytes(BvhCopy(whole), BvhCopy(expected)));
    EXPECT_EQ(words_of_deltas(whole), words_of_deltas(expected));
    EXPECT_EQ(whole.source_count, expected.source_count);
    EXPECT_EQ(whole.max_leaf_size, expected.max_leaf_size);
  }

  /// Each part is a valid tree of its own, over its share of the triangles.
  void expect_whole_part(Context& context, const ShardedBvh& shard, u32 rank) {
    const u64 count = shard.first_slots[rank + 1] - shard.first_slots[rank];
    ASSERT_EQ(shard.triangles.triangles.size(), count);
    const u64 share = shard.first_slots.back() / (shard.first_slots.size() - 1);
    EXPECT_LE(count, share + share / 50 + 1);
    EXPECT_GE(count + share / 50 + 1, share);
    Mesh own;
    for (const PackedTriangle& triangle : shard.triangles.triangles.download()) {
      own.positions.insert(own.positions.end(), {triangle.a, triangle.b, triangle.c});
    }
    const Buffer<vec3> positions(context, own.positions);
    const ValidationReport report = validate(context, shard.tree, TriangleView{.positions = positions.span()});
    EXPECT_TRUE(report.is_valid()) << "rank " << rank;
  }

  Context host_{{.backend = Backend::cpu, .workers = 1}};
};

COPSE_ON_EACH_BACKEND(ShardedBuild);

TEST_P(ShardedBuild, GathersTheTreeOfOneContextForHardMeshes) {
  std::mt19937 random(1);
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    for (const u32 count : rank_counts) {
      SCOPED_TRACE(hard.name + " on " + std::to_string(count) + " ranks");
      expect_equal(hard.mesh, random_cuts(hard.mesh.triangles.size(), count, random));
    }
  }
}

TEST_P(ShardedBuild, GathersTheHplocTreeOfOneContextForHardMeshes) {
  std::mt19937 random(2);
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    for (const u32 count : rank_counts) {
      SCOPED_TRACE(hard.name + " on " + std::to_string(count) + " ranks");
      const u32 radius = 1 + random() % 8;
      expect_equal(hard.mesh, random_cuts(hard.mesh.triangles.size(), count, random), {.hploc_radius = radius},
                   random() % count);
    }
  }
}

/// Ranges of all sizes reach over borders, and borders lie in the middle of tiles.
TEST_P(ShardedBuild, GathersLargerHplocTrees) {
  for (const u32 count : {2, 3, 7}) {
    SCOPED_TRACE(std::to_string(count) + " ranks");
    expect_equal(generate_random(40000, 0.01f), even_cuts(40000, count), {.hploc_radius = 4});
    const Mesh hair = generate_hairball(300, 40);
    expect_equal(hair, even_cuts(hair.triangles.size(), count), {.morton_bits = 0, .hploc_radius = 1});
  }
}

TEST_P(ShardedBuild, RefusesOptionsOnAllRanksAlike) {
  const Mesh mesh = generate_sphere(2);
  const auto outcomes = test::run_ranks(Communicator::of_threads(3), [&](Communicator& comm, u32 rank) {
    Context context({.backend = GetParam(), .workers = 1});
    const test::DeviceMesh part(context, mesh);
    EXPECT_COPSE_ERROR(build_sharded(comm, context, part.view(), {.hploc_radius = rank == 2 ? 9u : 4u}),
                       ErrorCode::invalid_argument, "rank 2: hploc_radius is 9");
    EXPECT_COPSE_ERROR(build_sharded(comm, context, part.view(), {.hploc_radius = rank}),
                       ErrorCode::invalid_argument, "hploc_radius is 0 on rank 0 and 1 on rank 1");
    EXPECT_COPSE_ERROR(build_sharded(comm, context, part.view(), {.morton_bits = rank == 2 ? 30u : 63u}),
                       ErrorCode::invalid_argument, "morton_bits is 63 on rank 0 and 30 on rank 2");
  });
  test::expect_no_error(outcomes);
}

TEST_P(ShardedBuild, GathersItForManyEqualKeysAndAllKeyWidths) {
  Mesh mesh = generate_random(3000, 0.01f);
  for (u32 i = 0; i < 1500; ++i) mesh.triangles[2 * i] = mesh.triangles[2 * (i % 3)];  // three, 500 times each
  for (const u32 morton_bits : {0, 30, 31, 45, 63}) {
    for (const u32 count : rank_counts) {
      SCOPED_TRACE(std::to_string(morton_bits) + " bits on " + std::to_string(count) + " ranks");
      for (const u32 radius : {0, 4})
        expect_equal(mesh, even_cuts(3000, count), {.morton_bits = morton_bits, .hploc_radius = radius},
                     count - 1);
    }
  }
}

TEST_P(ShardedBuild, GathersItIfOneRankHasAllTriangles) {
  const Mesh mesh = generate_sphere(4);
  const u64 n = mesh.triangles.size();
  for (const u32 radius : {0, 4}) {
    expect_equal(mesh, {0, n, n, n, n}, {.hploc_radius = radius});
    expect_equal(mesh, {0, 0, 0, 0, n}, {.hploc_radius = radius});
    expect_equal(mesh, {0, 0, n, n, n}, {.hploc_radius = radius});
  }
}

}  // namespace

}  // namespace copse
