// Sharded trees of more triangles than there is memory for: ids and slots count from a large number on, as if ranks
// before the first one had so many triangles.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>

#include "builders/bvh/build.h"
#include "builders/bvh/refit.h"
#include "builders/geometry/generate.h"
#include "scale/sharded_file.h"
#include "scale/sharded_queries.h"
#include "scale/sharded_rays.h"
#include "scale/shards/shard_build.h"
#include "tests/scale/ranks.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_bvh.h"
#include "tests/support/limited_memory.h"

namespace copse {

namespace {

using test::BvhCopy;

constexpr u32 rank_count = 3;

std::vector<Mesh> parts_of(const Mesh& mesh) {
  const u64 n = mesh.triangles.size();
  return test::cut_mesh(mesh, {0, n / 5, n / 2, n});
}

Mesh moved_mesh(Mesh mesh) {
  for (vec3& p : mesh.positions) p = vec3(p.z, p.x + 0.1f, p.y * 2.0f);
  return mesh;
}

/// Builds the part of a rank as if so many triangles came before those of all ranks.
ShardedBvh build_after(u64 before, Communicator& comm, Context& context, const TriangleViews& triangles,
                       const ShardedBuildOptions& options = {}) {
  detail::ShardBuild build(comm, context, triangles, options, {});
  build.count_from(before);
  return build.run();
}

/// Returns the part of a rank as if there were no triangles before those of all ranks.
ShardedBvh counted_from_0(Context& context, ShardedBvh shard, u64 before) {
  for (std::vector<u64>* counts : {&shard.first_slots, &shard.first_ids}) {
    for (u64& count : *counts) count -= before;
  }
  shard.source_count -= before;
  for (BorderPair& pair : shard.border_pairs) {
    pair.slot -= before;
    for (u64& link : pair.links) link -= 2 * before;
  }
  std::vector<PackedTriangle> triangles = shard.triangles.triangles.download();
  for (PackedTriangle& triangle : triangles) triangle.primitive -= u32(before);
  shard.triangles.triangles = Buffer<PackedTriangle>(context, triangles);
  std::vector<u32> left_out = shard.left_out.download();
  for (u32& id : left_out) id -= u32(before);
  shard.left_out = Buffer<u32>(context, left_out);
  return shard;
}

/// What rays, points and regions find. Ids count from `before` on.
struct IdAnswers {
  std::vector<Hit> hits;
  std::vector<NearestPoint> nearest;
  std::vector<u32> listed;
};

IdAnswers ask_for_ids(Communicator& comm, Context& context, const ShardedBvh& shard, const Mesh& mesh,
                      u64 before) {
  const ShardedAccel accel = make_accel(comm, context, shard, Quality::fast);
  std::vector<Ray> host_rays;
  std::vector<vec3> host_points;
  for (size_t i = 0; i < mesh.triangles.size(); i += 7) {
    const vec3 corner = mesh.positions[mesh.triangles[i].x];
    host_rays.push_back({corner - vec3(0, 0, 3), 0, {0, 0, 1}, 10});  // through a corner, where hits are equal
    host_points.push_back(corner);
  }
  const Buffer<Ray> rays(context, host_rays);
  const Buffer<vec3> points(context, host_points);
  const Buffer<Sphere> spheres(context, std::vector<Sphere>(3, Sphere{vec3(0.4f), 0.3f}));
  Buffer<Hit> hits(context, rays.size());
  Buffer<NearestPoint> nearest(context, points.size());
  closest_hits(comm, context, accel, rays.span(), hits.span());
  nearest_points(comm, context, accel, points.span(), nearest.span());
  const OverlapLists lists = all_overlaps(comm, context, accel, BufferSpan<const Sphere>(spheres.span()));
  IdAnswers answers{hits.download(), nearest.download(), lists.primitives.download()};
  for (u32& id : answers.listed) id -= u32(before);
  return answers;
}

/// The whole tree on rank 0, and what rank 0 finds: as built, and after a refit.
struct HugeResults {
  BvhCopy built, refitted;
  IdAnswers answers, answers_after_refit;
};

class HugeCounts : public test::OnEachBackend {
 protected:
  HugeResults run(const Mesh& mesh, u64 before, u32 hploc_radius) {
    std::optional<HugeResults> results;
    const std::vector<Mesh> parts = parts_of(mesh), later = parts_of(moved_mesh(mesh));
    const auto outcomes = test::run_ranks(Communicator::of_threads(rank_count), [&](Communicator& comm, u32 rank) {
      Context context({.backend = GetParam(), .workers = 1}), host({.backend = Backend::cpu, .workers = 1});
      const test::DeviceMesh part(context, parts[rank]), later_part(context, later[rank]);
      const ShardedBuildOptions options{.hploc_radius = hploc_radius};
      const auto build_again = [&] {
        const TriangleView view = part.view(10 + rank);
        return build_after(before, comm, context, view, options);
      };
      ShardedBvh shard = build_again();
      EXPECT_EQ(shard.source_count, before + mesh.triangles.size());
      EXPECT_EQ(shard.first_slots.front(), before);
      const auto gather_all = [&](ShardedBvh all) {
        return gather(comm, host, counted_from_0(context, std::move(all), before));
      };
      const Bvh built = gather_all(build_again());
      const IdAnswers answers = ask_for_ids(comm, context, shard, mesh, before);
      refit(comm, context, shard, later_part.view(10 + rank));
      const IdAnswers answers_after_refit = ask_for_ids(comm, context, shard, moved_mesh(mesh), before);
      const Bvh refitted = gather_all(std::move(shard));
      if (rank == 0) results = HugeResults{BvhCopy(built), BvhCopy(refitted), answers, answers_after_refit};
    });
    test::expect_no_error(outcomes);
    return results.value();
  }

  static void expect_same(const IdAnswers& answers, const IdAnswers& expected) {
    EXPECT_TRUE(test::same_bytes(answers.hits, expected.hits));
    EXPECT_TRUE(test::same_bytes(answers.nearest, expected.nearest));
    EXPECT_EQ(answers.listed, expected.listed);
  }

  void expect_same_as_from_0(const Mesh& mesh, u64 before) {
    for (const u32 hploc_radius : {0, 4}) {
      SCOPED_TRACE(std::to_string(before) + " before, radius " + std::to_string(hploc_radius));
      const HugeResults results = run(mesh, before, hploc_radius), expected = run(mesh, 0, hploc_radius);
      EXPECT_TRUE(test::same_bytes(results.built, expected.built));
      EXPECT_TRUE(test::same_bytes(results.refitted, expected.refitted));
      expect_same(results.answers, expected.answers);
      expect_same(results.answers_after_refit, expected.answers_after_refit);
    }
  }
};

COPSE_ON_EACH_BACKEND(HugeCounts);

/// Ids reach over 2^31, or up to the last one.
TEST_P(HugeCounts, ChangeNeitherTreesNorAnswers) {
  const Mesh mesh = generate_random(3000, 0.05f);
  expect_same_as_from_0(mesh, (u64{1} << 31) - 1500);
  expect_same_as_from_0(mesh, max_sharded_triangles - 3000);
}

/// Equal keys go on with the bits of slots. The number before all triangles has no bits that differ between their slots.
TEST_P(HugeCounts, ChangeNothingWhereKeysAreEqualOrTrianglesLeftOut) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    if (hard.name != "coincident" && hard.name != "points" && hard.name != "not numbers") continue;
    SCOPED_TRACE(hard.name);
    expect_same_as_from_0(hard.mesh, u64{3} << 30);
  }
}

TEST_P(HugeCounts, AreRefusedPastTheLimitOnAllRanksAlike) {
  const Mesh mesh = generate_sphere(2);
  const auto outcomes = test::run_ranks(Communicator::of_threads(rank_count), [&](Communicator& comm, u32 rank) {
    Context context({.backend = GetParam(), .workers = 1}), host({.backend = Backend::cpu, .workers = 1});
    const test::DeviceMesh part(context, parts_of(mesh)[rank]);
    const TriangleView view = part.view();
    EXPECT_COPSE_ERROR(build_after(max_sharded_triangles - 319, comm, context, view), ErrorCode::capacity,
                       "build_sharded: 4294967296 triangles of all ranks; there can be up to 4294967295");
    const ShardedBvh shard = build_after(max_sharded_triangles - 320, comm, context, view);
    EXPECT_COPSE_ERROR(gather(comm, host, shard), ErrorCode::capacity,
                       "rank 0: 4294967295 primitives, at most 2147483648 fit in one structure");
  });
  test::expect_no_error(outcomes);
}

/// Nothing but a manifest is here, of a tree whose parts no test can write.
TEST(HugeCountsOfFiles, AreReadFromManifests) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       ("copse-huge-" + std::to_string(std::random_device()()) + ".copsed");
  std::filesystem::create_directory(folder);
  const auto read = [&](const std::string& total) {
    std::ofstream(folder / "manifest.json")
        << R"({"format": "copse sharded tree", "version": 1, "morton_bits": 63, "source_count": )" << total
        << R"(, "first_ids": [0, 2000000000, )" << total << R"(], "first_slots": [0, 2100000000, )" << total
        << R"(], "border_keys": [], "checksums": [1, 2]})";
    return read_sharded_folder(folder);
  };
  EXPECT_EQ(read("4200000000").first_slots.back(), 4200000000u);
  Context context({.backend = Backend::cpu, .workers = 1});
  Communicator alone;
  EXPECT_COPSE_ERROR(load_sharded(alone, context, folder), ErrorCode::capacity,
                     "4200000000 primitives, at most 2147483648 fit in one structure");
  EXPECT_COPSE_ERROR(read("4294967296"), ErrorCode::bad_file,
                     "promises 4294967296 triangles; there can be up to 4294967295");
  std::filesystem::remove_all(folder);
}

}  // namespace

}  // namespace copse
