#include "builders/grid/bricks.h"

#include <gtest/gtest.h>
#include <glm/common.hpp>
#include <glm/vector_relational.hpp>

#include <cmath>
#include <set>

#include "builders/grid/voxels.h"
#include "tests/builders/grid/lattice_oracle.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/host_bvh.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::host_view;
using VoxelSet = std::set<u32>;

/// Returns the voxels of bricks. Checks that each brick has a voxel and that the hash table finds it at its place.
VoxelSet voxels_of(Context& context, const Bricks& bricks) {
  const BrickCounts counts = bricks.counts.download()[0];
  const std::vector<u64> keys = bricks.keys.download(counts.stored_count);
  const std::vector<u32> words = bricks.words.download(counts.stored_count * brick_words);
  const GridShape places = bricks.brick_shape();
  VoxelSet result;
  for (u32 b = 0; b < keys.size(); ++b) {
    EXPECT_TRUE(b == 0 || keys[b - 1] < keys[b]);
    const size_t before = result.size();
    for (u32 bit = 0; bit < 512; ++bit) {
      if ((words[b * brick_words + bit / 32] >> (bit % 32) & 1) == 0) continue;
      const uvec3 voxel = places.cell_of(keys[b]) * 8u + uvec3(bit % 8, bit / 8 % 8, bit / 64);
      EXPECT_TRUE(glm::all(glm::lessThan(voxel, bricks.shape.resolution))) << "a voxel beyond the grid";
      result.insert(bricks.shape.cell_id(voxel));
    }
    EXPECT_GT(result.size(), before) << "a brick without voxels";
  }
  std::vector<u64> queries = keys;
  queries.push_back(keys.empty() ? 0 : keys.back() + 1);
  const Buffer<u64> on_device(context, queries);
  Buffer<u32> found(context, queries.size());
  find_bricks(context, bricks, on_device.span(), found.span());
  const std::vector<u32> bricks_found = found.download();
  for (u32 b = 0; b < keys.size(); ++b) EXPECT_EQ(bricks_found[b], b);
  EXPECT_EQ(bricks_found.back(), invalid_id);
  return result;
}

VoxelSet slow_voxels(const GridShape& shape, const Mesh& mesh) {
  VoxelSet result;
  for (u32 i = 0; i < mesh.triangles.size(); ++i) {
    const Triangle t = load_triangle(host_view(mesh), i);
    if (is_empty(bounds(t))) continue;
    const std::array<ivec3, 3> vertices = {detail::to_units(shape, t.a, 7), detail::to_units(shape, t.b, 7),
                                           detail::to_units(shape, t.c, 7)};
    for (const u32 id : test::touched_cells(shape, vertices, {7, 0})) result.insert(id);
  }
  return result;
}

class BricksTest : public test::OnEachBackend {
 protected:
  void expect_oracle(const Mesh& mesh, u32 resolution, const std::string& name) {
    const DeviceMesh device(context(), mesh);
    const Bricks bricks = build_bricks(context(), device.view(), {.resolution = resolution});
    check_complete(bricks);
    const VoxelSet voxels = voxels_of(context(), bricks);
    EXPECT_EQ(voxels, slow_voxels(bricks.shape, mesh)) << name << " at " << resolution;
    EXPECT_EQ(count_voxels(context(), bricks), voxels.size()) << name;
    EXPECT_EQ(bricks.counts.download()[0].left_out, 0u) << name;
  }
};

TEST_P(BricksTest, HoldTheVoxelsThatTrianglesTouch) {
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    for (const u32 resolution : {1u, 8u, 19u}) expect_oracle(hard.mesh, resolution, hard.name);
  }
  expect_oracle(generate_sphere(1), 45, "sphere");
  expect_oracle(generate_random(10, 0.8f), 40, "large triangles");
}

TEST_P(BricksTest, HoldOneHugeTriangleAtFullResolution) {
  const Mesh mesh{{vec3(0), vec3(1, 1, 0), vec3(1, 0, 1)}, {uvec3(0, 1, 2)}};
  const DeviceMesh device(context(), mesh);
  const Bricks bricks = build_bricks(context(), device.view(), {.resolution = 512});
  check_complete(bricks);
  // On the plane x = y + z, every column along x has the four voxels around the plane, as far as they exist.
  u64 expected = 0;
  for (i32 y = 0; y < 512; ++y) {
    for (i32 z = 0; z < 512; ++z)
      expected += u64(std::max(0, std::min(y + z + 2, 511) - std::max(y + z - 1, 0) + 1));
  }
  EXPECT_EQ(count_voxels(context(), bricks), expected);

  const Bricks line = build_bricks(context(), DeviceMesh(context(), {{vec3(0), vec3(1)}, {uvec3(0, 1, 1)}}).view(),
                                   {.resolution = 8192});
  // A diagonal: the voxels on it, and at each corner between two of them the other six voxels that meet there.
  EXPECT_EQ(count_voxels(context(), line), 8192u + 8191u * 6);
}

/// A short line in the far corner of a grid of 65,536 x 65,536 x 1100 voxels, whose keys need more than 32 bits.
TEST_P(BricksTest, ReachTheLastVoxelOfLargeGrids) {
  const float edge = 1.0f / 65536;
  const vec3 end(1, 1, 1100 * edge);
  const Mesh mesh{{vec3(0), end, end - 40 * edge, end - 0.5f * edge},
                  {uvec3(0, 0, 0), uvec3(1, 1, 1), uvec3(2, 2, 3)}};
  const DeviceMesh device(context(), mesh);
  const Bricks bricks =
      build_bricks(context(), device.view(), {.resolution = 65536, .brick_capacity = 100, .layers_at_once = 8});
  check_complete(bricks);
  const std::vector<u64> keys = bricks.keys.download(bricks.counts.download()[0].stored_count);
  ASSERT_GT(keys.size(), 5u);
  EXPECT_EQ(keys.front(), 0u);
  EXPECT_EQ(keys.back(), 138 * u64{8192} * 8192 - 1);
  const Buffer<u64> queries(context(), std::vector<u64>{keys.back(), keys[1], keys[1] & 0xffffffff});
  Buffer<u32> found(context(), 3);
  find_bricks(context(), bricks, queries.span(), found.span());
  EXPECT_EQ(found.download(), (std::vector<u32>{u32(keys.size()) - 1, 1, invalid_id}));
  EXPECT_COPSE_ERROR(find_bricks(context(), bricks, queries.span(), found.span().first(2)),
                     ErrorCode::invalid_argument, "there is room for 2 bricks; there are 3 keys");
  // The diagonal of 40 voxels, and those around its corners, as above; and the voxel of the first corner.
  EXPECT_EQ(count_voxels(context(), bricks), 1 + 8 + 39u * 7);
}

TEST_P(BricksTest, AreThoseOfADenseGridWhereRoundingIsNone) {
  Mesh mesh = generate_random(300, 0.1f);
  for (vec3& p : mesh.positions) p = glm::round(p * 128.0f * 100.0f) / 128.0f;
  mesh.positions.insert(mesh.positions.end(), {vec3(-16), vec3(112)});
  const u32 last = u32(mesh.positions.size()) - 1;
  mesh.triangles.push_back(uvec3(last - 1, last - 1, last));
  const DeviceMesh device(context(), mesh);
  const Bricks bricks = build_bricks(context(), device.view(), {.resolution = 128});
  const Voxels voxels = build_voxels(context(), device.view(), 128);
  EXPECT_EQ(count_voxels(context(), bricks), count_voxels(context(), voxels));
}

TEST_P(BricksTest, TellWhereThereIsTooLittleRoom) {
  const Mesh mesh = generate_sphere(2);
  const DeviceMesh device(context(), mesh);
  const Bricks whole = build_bricks(context(), device.view(), {.resolution = 100});
  const BrickCounts counts = whole.counts.download()[0];
  const VoxelSet all = voxels_of(context(), whole);
  Bricks half =
      make_bricks(context(), bounds(mesh), {.resolution = 100, .brick_capacity = counts.brick_count / 2});
  rebuild_bricks(context(), half, device.view());
  EXPECT_COPSE_ERROR(check_complete(half), ErrorCode::capacity, "room for");
  EXPECT_EQ(half.counts.download()[0].brick_count, counts.brick_count);
  EXPECT_TRUE(test::same_bytes(half.keys.download(), whole.keys.download(half.brick_capacity())));
  EXPECT_TRUE(test::same_bytes(half.words.download(), whole.words.download(half.words.size())));
  const VoxelSet some = voxels_of(context(), half);
  EXPECT_TRUE(std::includes(all.begin(), all.end(), some.begin(), some.end()));
}

TEST_P(BricksTest, AreRebuiltInPlaceAndByAGraph) {
  Mesh mesh = generate_sphere(2);
  DeviceMesh device(context(), mesh);
  Bricks bricks = make_bricks(context(), {vec3(-2), vec3(2)}, {.resolution = 50, .brick_capacity = 1000});
  const auto work = [&] { rebuild_bricks(context(), bricks, device.view()); };
  work();
  Graph graph = context().capture(work);
  for (vec3& p : mesh.positions) p = vec3(p.x * 0.5f, p.y + 0.3f, p.z * p.z);
  mesh.positions[0].x = 2.1f;  // beyond the grid
  device.positions.upload(mesh.positions);
  graph.launch();
  check_complete(bricks);
  const u64 left_out = bricks.counts.download()[0].left_out;
  EXPECT_GT(left_out, 3u);
  std::erase_if(mesh.triangles, [](const uvec3& t) { return t.x == 0 || t.y == 0 || t.z == 0; });
  EXPECT_EQ(mesh.triangles.size() + left_out, 320u);
  EXPECT_EQ(voxels_of(context(), bricks), slow_voxels(bricks.shape, mesh));
}

/// The bricks of all blocks, one after the other.
struct Joined {
  std::vector<u64> keys;
  std::vector<u32> words;
  BrickCounts counts{};
};

template <class T>
std::vector<T> copy_of(Context& context, BufferSpan<const T> span) {
  std::vector<T> copy(span.size());
  context.device().download(copy.data(), span.data(), span.size() * sizeof(T));
  return copy;
}

Joined join_blocks(Context& context, const TriangleViews& triangles, const BrickBlockOptions& options) {
  Joined joined;
  joined.counts = build_brick_blocks(context, triangles, options, [&](const BrickBlock& block) {
    EXPECT_EQ(block.first_brick, joined.keys.size());
    EXPECT_EQ(block.words.size(), block.keys.size() * brick_words);
    const std::vector<u64> keys = copy_of(context, block.keys);
    const std::vector<u32> words = copy_of(context, block.words);
    joined.keys.insert(joined.keys.end(), keys.begin(), keys.end());
    joined.words.insert(joined.words.end(), words.begin(), words.end());
  });
  return joined;
}

TEST_P(BricksTest, AreTheSameByBlocksOfAnySize) {
  Mesh mesh = generate_random(60, 0.5f);
  mesh.positions.push_back(vec3(NAN));
  mesh.triangles.push_back(uvec3(0, 1, u32(mesh.positions.size()) - 1));
  for (const Mesh& m : {mesh, generate_hairball(20, 10), generate_sphere(3), generate_cube(), Mesh{}}) {
    const DeviceMesh device(context(), m);
    const Bricks whole = build_bricks(context(), device.view(), {.resolution = 200});
    const std::vector<u64> keys = whole.keys.download();
    const std::vector<u32> words = whole.words.download();
    for (const u32 layers : {1u, 2u, 7u, 24u, 25u, 8192u}) {
      const Bricks layered = build_bricks(context(), device.view(), {.resolution = 200, .layers_at_once = layers});
      check_complete(layered);
      EXPECT_TRUE(test::same_bytes(layered.keys.download(), keys)) << layers;
      EXPECT_TRUE(test::same_bytes(layered.words.download(), words)) << layers;
      (void)voxels_of(context(), layered);  // checks the table
      const Joined joined = join_blocks(context(), device.view(), {.resolution = 200, .block_layers = layers});
      EXPECT_TRUE(test::same_bytes(joined.keys, keys)) << layers;
      EXPECT_TRUE(test::same_bytes(joined.words, words)) << layers;
      EXPECT_EQ(joined.counts.brick_count, keys.size());
      EXPECT_EQ(joined.counts.stored_count, keys.size());
    }
  }
}

/// Layers share triangles; each triangle that reaches out counts once.
TEST_P(BricksTest, CountTrianglesThatReachOutOnce) {
  const DeviceMesh device(context(), generate_sphere(2));
  Bricks bricks = make_bricks(context(), {vec3(-1), vec3(1, 1, 0.5f)},
                              {.resolution = 100, .brick_capacity = 10000, .layers_at_once = 1});
  rebuild_bricks(context(), bricks, device.view());
  const BrickCounts layered = bricks.counts.download()[0];
  bricks.layers_at_once = 0;
  rebuild_bricks(context(), bricks, device.view());
  const BrickCounts whole = bricks.counts.download()[0];
  EXPECT_GT(whole.left_out, 0u);
  EXPECT_EQ(layered.left_out, whole.left_out);
  EXPECT_EQ(layered.brick_count, whole.brick_count);
}

TEST_P(BricksTest, RefuseOptionsOutOfRange) {
  const DeviceMesh device(context(), generate_cube());
  const ErrorCode invalid = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR((void)build_bricks(context(), device.view(), {.resolution = 0}), invalid, "resolution is 0");
  EXPECT_COPSE_ERROR((void)build_bricks(context(), device.view(), {.resolution = 65537}), invalid,
                     "the resolution is 65537; it can be 1 to 65536");
  const auto ignore = [](const BrickBlock&) {};
  EXPECT_COPSE_ERROR((void)build_brick_blocks(context(), device.view(), {.resolution = 65537}, ignore), invalid,
                     "the resolution is 65537");
  for (const u32 layers : {0u, 8193u}) {
    EXPECT_COPSE_ERROR((void)build_brick_blocks(context(), device.view(), {.block_layers = layers}, ignore),
                       invalid, "block_layers is " + std::to_string(layers) + "; it can be 1 to 8192");
  }
  EXPECT_COPSE_ERROR((void)make_bricks(context(), {vec3(0), vec3(1)}, {}), invalid, "1 or more");
  EXPECT_COPSE_ERROR((void)build_bricks(context(), device.view(), {.brick_capacity = u64{1} << 32}),
                     ErrorCode::capacity, "4294967295");
  Bricks unmade;
  EXPECT_COPSE_ERROR(rebuild_bricks(context(), unmade, device.view()), invalid, "never made");
}

COPSE_ON_EACH_BACKEND(BricksTest);

TEST(BricksOnBoth, AreEqualByteForByte) {
  COPSE_SKIP_WITHOUT_GPU();
  Context cpu({.backend = Backend::cpu}), cuda({.backend = Backend::cuda});
  for (const Mesh& mesh : {generate_sphere(5), generate_hairball(50, 20), generate_random(3000, 0.3f)}) {
    const DeviceMesh a(cpu, mesh), b(cuda, mesh);
    for (const u32 resolution : {33u, 1000u}) {
      const Bricks on_cpu = build_bricks(cpu, a.view(), {.resolution = resolution});
      const Bricks on_cuda = build_bricks(cuda, b.view(), {.resolution = resolution});
      EXPECT_TRUE(test::same_bytes(on_cpu.keys.download(), on_cuda.keys.download()));
      EXPECT_TRUE(test::same_bytes(on_cpu.words.download(), on_cuda.words.download()));
    }
  }
}

}  // namespace
}  // namespace copse
