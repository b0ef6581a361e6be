// Builds, rebuilds, refits and compaction of Accel: the same bits on every backend, room, and errors.

#include <gtest/gtest.h>

#include "accel/accel.h"
#include "builders/bvh/collapse.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "primitives/core/graph.h"
#include "tests/accel/accels.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/wide_bvh.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::host_view;

/// The parts of an Accel that are in use.
struct AccelCopy {
  WideBvhCounts counts;
  std::vector<CompressedBvh4Node> nodes;
  std::vector<u32> parents;
  std::vector<PackedTriangle> triangles;

  explicit AccelCopy(const Accel& accel)
      : counts(accel.tree().counts.download()[0]),
        nodes(accel.tree().nodes.download(std::max(counts.node_count, 1u))),
        parents(accel.tree().parents.download(counts.node_count)),
        triangles(accel.packed_triangles().triangles.download(counts.primitive_count)) {}

  friend bool operator==(const AccelCopy& a, const AccelCopy& b) {
    return std::memcmp(&a.counts, &b.counts, sizeof a.counts) == 0 && test::same_bytes(a.nodes, b.nodes) &&
           test::same_bytes(a.parents, b.parents) && test::same_bytes(a.triangles, b.triangles);
  }
};

std::vector<Hit> expected_hits(const Mesh& mesh, const std::vector<Ray>& rays) {
  return test::brute_force_hits({host_view(mesh)}, rays);
}

Mesh stretched(Mesh mesh) {
  for (vec3& p : mesh.positions) p = p * vec3(2, 0.5f, 1) + vec3(1, 1, 1);
  return mesh;
}

class AccelBuild : public test::OnEachBackend {};

TEST_P(AccelBuild, ValidTreesOverHardMeshes) {
  for (const Quality quality : test::all_qualities) {
    for (const test::NamedMesh& each : test::hard_meshes()) {
      const DeviceMesh device(context(), each.mesh);
      const Accel accel = build(context(), device.view(), {.quality = quality});
      const ValidationReport report = validate(context(), accel.tree(), device.view());
      EXPECT_TRUE(report.is_valid()) << each.name << ", " << name_of(quality);
      EXPECT_EQ(accel.tree().counts.download()[0].invalid_count, each.invalid_count) << each.name;
      EXPECT_EQ(accel.triangle_count(), each.mesh.triangles.size());
    }
  }
}

/// Where no GPU answers, the CPU is compared with itself on one thread.
TEST_P(AccelBuild, IsTheSameOnEveryBackend) {
  Context one_thread({.backend = Backend::cpu, .workers = 1});
  for (const Mesh& mesh :
       {generate_random(3000, 0.05f), generate_sphere(4), stretched(generate_hairball(20, 30))}) {
    const DeviceMesh device(context(), mesh), other(one_thread, mesh);
    for (const Quality quality : test::all_qualities) {
      const Accel a = build(context(), device.view(), {.quality = quality});
      const Accel b = build(one_thread, other.view(), {.quality = quality});
      EXPECT_TRUE(AccelCopy(a) == AccelCopy(b)) << name_of(quality);
    }
  }
}

TEST_P(AccelBuild, FastBeginsWithPairsFromAMillionTrianglesOnLarge) {
  for (const u32 size : {724u, 725u}) {
    const DeviceMesh mesh(context(), generate_grid(size));
    const bool is_paired = mesh.triangles.size() >= u64{1} << 20;
    EXPECT_EQ(is_paired, size == 725u);
    const HplocOptions options = is_paired ? HplocOptions{.radius = 2, .max_leaf_size = 2} : HplocOptions{};
    const Accel accel = build(context(), mesh.view(), {.quality = Quality::fast});
    const CompressedBvh4 expected = collapse<CompressedBvh4>(context(), build(context(), mesh.view(), options));
    EXPECT_TRUE(test::same_bytes(test::WideCopy(expected), test::WideCopy(accel.tree()))) << size;
  }
}

TEST_P(AccelBuild, BetterQualityCostsLess) {
  const DeviceMesh device(context(), generate_hairball(40, 60));
  double before = infinity;
  for (const Quality quality : test::all_qualities) {
    const double cost = stats(context(), build(context(), device.view(), {.quality = quality}).tree()).sah_cost;
    EXPECT_LT(cost, before) << name_of(quality);
    before = cost;
  }
}

TEST_P(AccelBuild, ARebuildGivesTheTreeOfABuild) {
  const Mesh small = generate_sphere(2), large = generate_sphere(4);
  const DeviceMesh few(context(), small), many(context(), large);
  for (const Quality quality : test::all_qualities) {
    Accel accel = build(context(), many.view(), {.quality = quality});
    rebuild(context(), accel, few.view());
    EXPECT_EQ(accel.triangle_count(), small.triangles.size());
    EXPECT_EQ(accel.capacity(), large.triangles.size());
    EXPECT_TRUE(AccelCopy(accel) == AccelCopy(build(context(), few.view(), {.quality = quality})));
    rebuild(context(), accel, many.view());
    EXPECT_TRUE(AccelCopy(accel) == AccelCopy(build(context(), many.view(), {.quality = quality})));
  }
}

TEST_P(AccelBuild, CapacityMakesRoomForMoreTriangles) {
  const DeviceMesh few(context(), generate_sphere(2)), many(context(), generate_sphere(3));
  const u64 capacity = many.triangles.size();
  Accel accel = build(context(), few.view(), {.capacity = capacity});
  EXPECT_EQ(accel.capacity(), capacity);
  rebuild(context(), accel, many.view());
  EXPECT_TRUE(AccelCopy(accel) == AccelCopy(build(context(), many.view())));
  EXPECT_EQ(build(context(), many.view(), {.capacity = 3}).capacity(), capacity);
}

TEST_P(AccelBuild, ARefitToWhereTheTrianglesWereChangesNothing) {
  const DeviceMesh device(context(), generate_sphere(3)), moved(context(), stretched(generate_sphere(3)));
  for (const Quality quality : test::all_qualities) {
    Accel accel = build(context(), device.view(), {.quality = quality});
    const AccelCopy before(accel);
    refit(context(), accel, moved.view());
    EXPECT_FALSE(AccelCopy(accel) == before);
    EXPECT_TRUE(validate(context(), accel.tree(), moved.view()).is_valid());
    refit(context(), accel, device.view());
    EXPECT_TRUE(AccelCopy(accel) == before);
  }
}

TEST_P(AccelBuild, RefitsTakeOverGeometriesAndMasks) {
  const Mesh mesh = generate_sphere(2);
  const DeviceMesh device(context(), mesh);
  Accel accel = build(context(), device.view(3));
  TriangleView other = device.view(5);
  other.mask = 4;
  refit(context(), accel, other);
  const std::vector<Ray> ray{{{0, 0, 3}, 0, {0, 0, -1}, infinity}};
  EXPECT_EQ(test::trace(context(), accel, ray)[0].geometry, 5u);
  EXPECT_FALSE(is_hit(test::trace(context(), accel, ray, {.mask = 3})[0]));
  EXPECT_TRUE(is_hit(test::trace(context(), accel, ray, {.mask = 6})[0]));
}

TEST_P(AccelBuild, CompactionKeepsHitsAndGivesMemoryBack) {
  const Mesh mesh = generate_sphere(4);
  const DeviceMesh device(context(), mesh);
  const std::vector<Ray> rays = test::difficult_rays(mesh, 200, 4);
  for (const Quality quality : test::all_qualities) {
    Accel accel = build(context(), device.view(), {.quality = quality, .capacity = 3 * mesh.triangles.size()});
    const AccelCopy before(accel);
    compact(context(), accel);
    EXPECT_TRUE(AccelCopy(accel) == before);
    compact(context(), accel);  // a second time: nothing is left to free
    EXPECT_TRUE(AccelCopy(accel) == before);
    EXPECT_LE(accel.size_bytes(), 68 * mesh.triangles.size());  // scenes of less regular meshes take 64
    test::expect_hits(context(), accel, rays, expected_hits(mesh, rays), "compacted");
    const Mesh moved = stretched(mesh);
    const DeviceMesh moved_device(context(), moved);
    refit(context(), accel, moved_device.view());
    test::expect_hits(context(), accel, rays, expected_hits(moved, rays), "refitted");
    EXPECT_COPSE_ERROR(rebuild(context(), accel, device.view()), ErrorCode::invalid_argument, "was compacted");
  }
}

TEST_P(AccelBuild, ATriangleThatWasCompactedIsNotRebuilt) {
  const Mesh mesh{{vec3(0), vec3(1, 0, 0), vec3(0, 1, 0)}, {uvec3(0, 1, 2)}};
  const DeviceMesh device(context(), mesh);
  Accel accel = build(context(), device.view());
  compact(context(), accel);  // the one node stays, the id does not
  EXPECT_COPSE_ERROR(rebuild(context(), accel, device.view()), ErrorCode::invalid_argument,
                     "rebuild: the structure was compacted or comes from a file");
}

TEST_P(AccelBuild, SizesAreKnownBeforehand) {
  for (const u32 level : {0, 2, 5}) {
    const DeviceMesh device(context(), generate_sphere(level));
    const u64 n = device.triangles.size();
    for (const Quality quality : test::all_qualities) {
      Context fresh({.backend = GetParam()});
      const DeviceMesh there(fresh, generate_sphere(level));
      const BuildSizes sizes = build_sizes(fresh, n, {.quality = quality});
      fresh.reserve_scratch(sizes.scratch_bytes);
      const u64 reserved = fresh.scratch_bytes();
      const Accel accel = build(fresh, there.view(), {.quality = quality});
      EXPECT_EQ(accel.size_bytes(), sizes.result_bytes);
      EXPECT_EQ(fresh.scratch_bytes(), reserved);
      EXPECT_LE(sizes.result_bytes, 124 * n + 200);
    }
  }
}

TEST_P(AccelBuild, AFrameIsOneCapturedGraph) {
  const Mesh mesh = generate_sphere(3), moved = stretched(mesh);
  DeviceMesh device(context(), mesh);
  for (const Quality quality : test::all_qualities) {
    device.positions.upload(mesh.positions);
    Accel accel = build(context(), device.view(), {.quality = quality});
    const std::vector<Ray> rays = test::difficult_rays(mesh, 200, 5);
    const Buffer<Ray> device_rays(context(), rays);
    Buffer<Hit> rebuilt(context(), rays.size()), refitted(context(), rays.size());
    const auto frame = [&] {
      refit(context(), accel, device.view());
      closest_hits(context(), accel, device_rays.span(), refitted.span());
      rebuild(context(), accel, device.view());
      closest_hits(context(), accel, device_rays.span(), rebuilt.span());
    };
    frame();
    Graph graph = context().capture(frame);
    device.positions.upload(moved.positions);
    graph.launch();
    const std::vector<Hit> expected = expected_hits(moved, rays);
    const std::vector<Hit> a = refitted.download(), b = rebuilt.download();
    for (size_t i = 0; i < rays.size(); ++i) {
      ASSERT_TRUE(test::same_bits(a[i], expected[i])) << name_of(quality);
      ASSERT_TRUE(test::same_bits(b[i], expected[i])) << name_of(quality);
    }
  }
}

TEST_P(AccelBuild, OutlivesItsContext) {
  Accel accel;
  {
    Context gone({.backend = GetParam()});
    const DeviceMesh device(gone, generate_cube());
    accel = build(gone, device.view());
  }
  EXPECT_EQ(accel.tree().counts.download()[0].primitive_count, 12u);
  accel = {};
}

TEST_P(AccelBuild, IsRefusedByContextsOfAnotherBackend) {
  if (GetParam() == Backend::cpu) GTEST_SKIP() << "the other backend is the CPU";
  Context cpu({.backend = Backend::cpu});
  const DeviceMesh device(context(), generate_cube()), host(cpu, generate_cube());
  Accel accel = build(context(), device.view());
  EXPECT_EQ(accel.backend(), Backend::cuda);
  EXPECT_COPSE_ERROR(refit(cpu, accel, host.view()), ErrorCode::invalid_argument,
                     "built by the backend cuda, but the context is of the backend cpu");
  const Buffer<Ray> rays(cpu, 1);
  Buffer<Hit> hits(cpu, 1);
  EXPECT_COPSE_ERROR(closest_hits(cpu, accel, rays.span(), hits.span()), ErrorCode::invalid_argument,
                     "backend cuda");
}

TEST_P(AccelBuild, AContextThatValidatesFindsIndicesPastTheEnd) {
  Context careful({.backend = GetParam(), .validate = true});
  Mesh mesh = generate_cube();
  const DeviceMesh good(careful, mesh);
  mesh.triangles[7].y = 1u << 30;
  const DeviceMesh bad(careful, mesh);
  const std::string text = "triangle 7 has the indices";
  EXPECT_COPSE_ERROR(build(careful, bad.view()), ErrorCode::invalid_argument, text);
  Accel accel = build(careful, good.view());
  EXPECT_COPSE_ERROR(rebuild(careful, accel, bad.view()), ErrorCode::invalid_argument, text);
  EXPECT_COPSE_ERROR(refit(careful, accel, bad.view()), ErrorCode::invalid_argument, "1073741824");
}

TEST_P(AccelBuild, RefusesWhatDoesNotFit) {
  const DeviceMesh few(context(), generate_cube()), many(context(), generate_sphere(2));
  Accel accel = build(context(), few.view()), none;
  EXPECT_COPSE_ERROR(rebuild(context(), accel, many.view()), ErrorCode::invalid_argument,
                     "320 triangles, but the structure has room for 12");
  EXPECT_COPSE_ERROR(refit(context(), accel, many.view()), ErrorCode::invalid_argument,
                     "320 triangles, but the structure was built over 12");
  EXPECT_COPSE_ERROR(rebuild(context(), none, few.view()), ErrorCode::invalid_argument, "never built");
  EXPECT_COPSE_ERROR(refit(context(), none, few.view()), ErrorCode::invalid_argument, "never built");
  EXPECT_COPSE_ERROR(compact(context(), none), ErrorCode::invalid_argument, "never built");
  EXPECT_COPSE_ERROR(build(context(), few.view(), {.quality = Quality(3)}), ErrorCode::invalid_argument,
                     "quality is 3; it can be 0 to 2");
  EXPECT_COPSE_ERROR(build_sizes(context(), max_primitives + 1, AccelOptions{}), ErrorCode::capacity,
                     "2147483649");
  EXPECT_EQ(none.size_bytes(), 0u);
}

COPSE_ON_EACH_BACKEND(AccelBuild);

}  // namespace
}  // namespace copse
