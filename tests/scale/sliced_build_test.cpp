// Builds in slices of the Morton curve against the build in one piece, byte for byte.

#include "scale/sliced_build.h"

#include <random>
#include <stop_token>

#include "builders/bvh/build.h"
#include "builders/bvh/build/bvh_arrays.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_bvh.h"
#include "tests/support/limited_memory.h"

namespace copse {

namespace {

using test::BvhCopy;

/// Returns the deltas of a tree that are in use, and the two words before them; nothing for a tree without leaves, and
/// one byte for a tree that does not follow from its deltas.
std::vector<u8> deltas_of(Bvh& bvh) {
  const detail::LbvhDeltas& deltas = detail::BvhAccess::deltas(bvh);
  const std::vector<u32> words = deltas.words.download();
  const auto* const bytes = reinterpret_cast<const u8*>(words.data());
  const u32 leaf_count = bvh.counts.download()[0].leaf_count;
  if (leaf_count == 0) return {};
  if (words[0] == 0 && !deltas.may_refit) return {0};
  return {bytes, bytes + 2 * sizeof(u32) + leaf_count - 1};
}

void expect_same_tree(Bvh& tree, Bvh& expected) {
  EXPECT_TRUE(test::same_bytes(BvhCopy(tree), BvhCopy(expected)));
  EXPECT_EQ(deltas_of(tree), deltas_of(expected));
  EXPECT_EQ(tree.source_count, expected.source_count);
  EXPECT_EQ(tree.max_leaf_size, expected.max_leaf_size);
  EXPECT_EQ(tree.place_count(), expected.place_count());
}

/// Returns the limit of memory with which slices have `slice_triangles`, a power of two.
u64 limit_for(Context& device, u64 slice_triangles, u32 morton_bits = 63, u32 hploc_radius = 0) {
  return sliced_build_sizes(device, slice_triangles, {.morton_bits = morton_bits, .hploc_radius = hploc_radius})
      .device_bytes;
}

/// Returns the tree of the build in one piece.
Bvh build_whole(Context& context, const TriangleViews& triangles, u32 morton_bits, u32 hploc_radius) {
  if (hploc_radius == 0) return build(context, triangles, LbvhOptions{.morton_bits = morton_bits});
  return build(context, triangles, HplocOptions{.radius = hploc_radius, .morton_bits = morton_bits});
}

/// Passes on what a context takes, and remembers the peak.
class CountedMemory final : public MemoryResource {
 public:
  explicit CountedMemory(MemoryResource& memory) : memory_(memory) {}

  void* allocate(u64 bytes, void* stream) override {
    void* const memory = memory_.allocate(bytes, stream);
    in_use_ += bytes;
    peak_ = std::max(peak_, in_use_);
    return memory;
  }
  void deallocate(void* memory, u64 bytes, void* stream) noexcept override {
    in_use_ -= bytes;
    memory_.deallocate(memory, bytes, stream);
  }

  u64 in_use() const { return in_use_; }
  u64 peak() const { return peak_; }
  void forget_peak() { peak_ = in_use_; }

 private:
  MemoryResource& memory_;
  u64 in_use_ = 0, peak_ = 0;
};

class SlicedBuild : public test::OnEachBackend {
 protected:
  /// Expects the tree of the build in one piece for slices of some sizes.
  void expect_equal(const TriangleViews& triangles, u32 morton_bits, std::initializer_list<u64> slices,
                    std::initializer_list<u32> radii = {0, 4}) {
    for (const u32 radius : radii) expect_equal_tree(triangles, morton_bits, radius, slices);
  }

  void expect_equal_tree(const TriangleViews& triangles, u32 morton_bits, u32 radius,
                         std::initializer_list<u64> slices) {
    Bvh expected = build_whole(host_, triangles, morton_bits, radius);
    const u64 n = triangles.primitive_count();
    for (const u64 slice : slices) {
      const SlicedBuildOptions options{limit_for(context(), slice, morton_bits, radius), morton_bits, radius};
      const SlicedBuildSizes sizes = sliced_build_sizes(context(), n, options);
      EXPECT_EQ(sizes.slice_triangles, std::min(slice, n));
      EXPECT_LE(sizes.device_bytes, options.memory_bytes);
      Bvh tree = build_in_slices(host_, context(), triangles, options);
      SCOPED_TRACE("slices of " + std::to_string(slice) + ", morton_bits " + std::to_string(morton_bits) +
                   ", hploc_radius " + std::to_string(radius));
      expect_same_tree(tree, expected);
    }
  }

  Context host_{{.backend = Backend::cpu}};
};

COPSE_ON_EACH_BACKEND(SlicedBuild);

TEST_P(SlicedBuild, EqualsTheBuildInOnePieceOnHardMeshes) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    SCOPED_TRACE(hard.name);
    expect_equal(test::host_view(hard.mesh), 63, {64, 256});
  }
}

/// A mesh in one array of bytes, of which no number is aligned.
struct UnalignedMesh {
  explicit UnalignedMesh(const Mesh& mesh) : bytes(1 + 15 * mesh.positions.size() + 13 * mesh.triangles.size()) {
    records.positions = bytes.data() + 1;
    records.vertex_count = mesh.positions.size();
    records.position_stride = 15;
    records.triangles = records.positions + 15 * mesh.positions.size();
    records.triangle_count = mesh.triangles.size();
    records.triangle_stride = 13;
    char* at = bytes.data() + 1;
    for (const vec3& p : mesh.positions) at = static_cast<char*>(std::memcpy(at, &p, sizeof p)) + 15;
    for (const uvec3& t : mesh.triangles) at = static_cast<char*>(std::memcpy(at, &t, sizeof t)) + 13;
  }

  std::vector<char> bytes;
  TriangleRecords records;
};

TEST_P(SlicedBuild, OverRecordsEqualsThatOverArrays) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    SCOPED_TRACE(hard.name);
    const UnalignedMesh unaligned(hard.mesh);
    for (const u32 radius : {0, 3}) {
      Bvh expected = build_whole(host_, test::host_view(hard.mesh), 63, radius);
      const u64 limit = limit_for(context(), 64, 63, radius);
      Bvh tree =
          build_in_slices(host_, context(), unaligned.records, {.memory_bytes = limit, .hploc_radius = radius});
      expect_same_tree(tree, expected);
    }
  }
}

TEST(SlicedBuildOnTheHost, ChecksTheIndicesOfRecordsIfTheContextValidates) {
  Mesh mesh = generate_cube();
  mesh.triangles[7].y = 8;
  Context host({.backend = Backend::cpu, .validate = true});
  EXPECT_COPSE_ERROR(build_in_slices(host, host, TriangleRecords(mesh)), ErrorCode::invalid_argument,
                     "build_in_slices: triangle 7 has vertex 8 of 8");
}

TEST_P(SlicedBuild, EqualsItForAllKeyWidthsAndManyEqualKeys) {
  Mesh mesh = generate_random(3000, 0.01f);
  for (u32 i = 0; i < 1500; ++i)
    mesh.triangles[2 * i] = mesh.triangles[2 * (i % 3)];  // three triangles, 500 times
  for (const u32 morton_bits : {30, 31, 45, 63}) expect_equal(test::host_view(mesh), morton_bits, {64, 1024});
}

TEST_P(SlicedBuild, EqualsItForKeysThatSortFast) {
  const Mesh mesh = generate_random(5000, 0.1f);
  for (const u32 radius : {0, 4}) {
    Bvh expected = build_whole(host_, test::host_view(mesh), 0, radius);
    const u64 limit = limit_for(context(), 512, 63, radius);
    Bvh tree = build_in_slices(host_, context(), test::host_view(mesh),
                               {.memory_bytes = limit, .morton_bits = 0, .hploc_radius = radius});
    expect_same_tree(tree, expected);
  }
}

TEST_P(SlicedBuild, EqualsItForAllRadiiAndSizesOfSlices) {
  const Mesh mesh = generate_hairball(40, 60);
  expect_equal(test::host_view(mesh), 63, {64, 128, 512, 1024, 4096, 8192}, {1, 2, 3, 5, 8});
}

/// Clusters of triangles around few places, some of them with equal keys: ranges of all sizes meet at borders.
TEST_P(SlicedBuild, EqualsItForTrianglesInCrowds) {
  std::mt19937 random(7);
  for (u32 round = 0; round < 20; ++round) {
    Mesh mesh = generate_random(1 + random() % 3000, 0.01f);
    const u32 crowds = 1 + random() % 9;
    for (u64 i = 0; i < mesh.positions.size(); ++i) {
      const float scale = random() % 4 == 0 ? 0.0f : 1e-3f;
      for (int axis = 0; axis < 3; ++axis) {
        mesh.positions[i][axis] = mesh.positions[i][axis] * scale + float((i / 3 % crowds) >> axis);
      }
    }
    expect_equal(test::host_view(mesh), round % 2 == 0 ? 63 : 30, {64, 256}, {4});
  }
}

TEST_P(SlicedBuild, TakesSeveralViews) {
  const Mesh one = generate_sphere(3), other = generate_grid(17);
  std::vector<TriangleView> views{test::host_view(one), test::host_view(other), test::host_view(one)};
  for (u32 v = 0; v < 3; ++v) views[v].geometry = 7 * v;
  expect_equal(views, 63, {128});
}

TEST_P(SlicedBuild, StaysWithinItsMemory) {
  const Mesh mesh = generate_random(20000, 0.1f);
  CountedMemory memory(context().memory());
  for (const u32 radius : {0, 4}) {
    Context device({.backend = GetParam(), .memory = &memory});
    for (const u64 slice : {256, 4096, 32768}) {
      device.release_scratch();
      memory.forget_peak();
      const u64 before = memory.in_use();
      const u64 limit = limit_for(device, slice, 63, radius);
      const Bvh tree =
          build_in_slices(host_, device, test::host_view(mesh), {.memory_bytes = limit, .hploc_radius = radius});
      EXPECT_LE(memory.peak() - before, limit) << "slices of " << slice;
      EXPECT_GE(memory.peak() - before, limit / 2) << "the limit is not tight for slices of " << slice;
    }
  }
  EXPECT_EQ(memory.in_use(), 0);
}

TEST_P(SlicedBuild, GivesATreeThatCanBeRefitted) {
  Mesh mesh = generate_random(2000, 0.1f);
  for (const u32 radius : {0, 4}) {
    const u64 limit = limit_for(context(), 256, 63, radius);
    Bvh tree =
        build_in_slices(host_, context(), test::host_view(mesh), {.memory_bytes = limit, .hploc_radius = radius});
    Bvh expected = build_whole(host_, test::host_view(mesh), 63, radius);
    for (vec3& p : mesh.positions) p.x = 3 * p.y - p.x;
    refit(host_, tree, test::host_view(mesh));
    refit(host_, expected, test::host_view(mesh));
    expect_same_tree(tree, expected);
  }
}

TEST_P(SlicedBuild, LargeMeshesEqualToo) {
  expect_equal(test::host_view(generate_random(300000, 0.01f)), 63, {u64{1} << 15});
  expect_equal(test::host_view(generate_hairball(500, 100)), 63, {u64{1} << 14});
}

TEST_P(SlicedBuild, RefusesALimitBelowTheSmallestSlice) {
  const Mesh mesh = generate_random(1000, 0.1f);
  const u64 least = limit_for(context(), 64);
  EXPECT_NO_THROW(build_in_slices(host_, context(), test::host_view(mesh), {.memory_bytes = least}));
  EXPECT_COPSE_ERROR(build_in_slices(host_, context(), test::host_view(mesh), {.memory_bytes = least - 1}),
                     ErrorCode::invalid_argument,
                     "the memory limit is " + std::to_string(least - 1) +
                         " bytes, but slices of 64 triangles, the smallest, take " + std::to_string(least));
}

TEST_P(SlicedBuild, EndsWhenEitherContextIsCancelled) {
  const Mesh mesh = generate_random(1000, 0.1f);
  std::stop_source stop;
  stop.request_stop();
  Context cancelled({.backend = GetParam(), .cancel = stop.get_token()});
  EXPECT_COPSE_ERROR(build_in_slices(host_, cancelled, test::host_view(mesh)), ErrorCode::cancelled, "cancelled");
  Context cancelled_host({.backend = Backend::cpu, .cancel = stop.get_token()});
  EXPECT_COPSE_ERROR(build_in_slices(cancelled_host, context(), test::host_view(mesh)), ErrorCode::cancelled,
                     "cancelled");
}

TEST(SlicedBuildOnTheHost, MayUseOneContextForBothHalves) {
  const Mesh mesh = generate_sphere(4);
  Context context({.backend = Backend::cpu});
  Bvh expected = build(context, test::host_view(mesh), LbvhOptions{});
  Bvh tree = build_in_slices(context, context, test::host_view(mesh), {.memory_bytes = limit_for(context, 128)});
  expect_same_tree(tree, expected);
}

TEST(SlicedBuildOnTheHost, GivesAllMemoryBackWhenTheDeviceHasTooLittle) {
  const Mesh mesh = generate_random(3000, 0.1f);
  Context host({.backend = Backend::cpu});
  const auto build_with = [&](test::LimitedMemory& memory) {
    Context device({.backend = Backend::cpu, .memory = &memory});
    return build_in_slices(host, device, test::host_view(mesh), {.memory_bytes = limit_for(device, 512)});
  };
  test::LimitedMemory enough;
  build_with(enough);
  for (u64 limit = 0; limit < enough.peak(); limit += enough.peak() / 16) {
    test::LimitedMemory memory(limit);
    EXPECT_COPSE_ERROR(build_with(memory), ErrorCode::out_of_memory, "bytes");
    EXPECT_EQ(memory.in_use(), 0);
  }
}

TEST(SlicedBuildOnTheHost, RefusesKeysOutOfRangeAndAHostThatIsAGpu) {
  const Mesh mesh = generate_cube();
  Context host({.backend = Backend::cpu});
  EXPECT_COPSE_ERROR(build_in_slices(host, host, test::host_view(mesh), {.morton_bits = 29}),
                     ErrorCode::invalid_argument, "morton_bits is 29; it can be 30 to 63");
  EXPECT_COPSE_ERROR(build_in_slices(host, host, test::host_view(mesh), {.hploc_radius = 9}),
                     ErrorCode::invalid_argument, "hploc_radius is 9; it can be 0 to 8");
  EXPECT_COPSE_ERROR(sliced_build_sizes(host, (u64{1} << 31) + 1), ErrorCode::capacity, "2147483649");
  COPSE_SKIP_WITHOUT_GPU();
  Context gpu({.backend = Backend::cuda});
  EXPECT_COPSE_ERROR(build_in_slices(gpu, gpu, test::host_view(mesh)), ErrorCode::invalid_argument,
                     "the backend cuda; it must be of cpu");
}

}  // namespace

}  // namespace copse
