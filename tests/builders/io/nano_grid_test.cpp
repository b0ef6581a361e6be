#include "builders/grid/nano_grid.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <random>
#include <set>
#include <tuple>

#include "builders/io/nano_file.h"
#include "tests/builders/io/temporary_folder.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

#if COPSE_HAS_NANOVDB
#define NANOVDB_USE_ZIP
#include <nanovdb/util/GridValidator.h>
#include <nanovdb/util/IO.h>
#endif

namespace copse {
namespace {

using test::DeviceMesh;
using VoxelSet = std::set<std::tuple<i64, i64, i64>>;

/// Returns the set voxels of bricks, counted from a point of space in edges of voxels.
VoxelSet voxels_from(const HostVoxels& voxels, const dvec3& from) {
  const GridShape& shape = voxels.shape;
  const GridShape places{shape.lo, shape.cells_per_unit / 8.0, (shape.resolution + 7u) / 8u};
  i64 first[3];
  for (int axis = 0; axis < 3; ++axis) {
    first[axis] = std::llround((shape.lo[axis] - from[axis]) * shape.cells_per_unit[axis]);
  }
  VoxelSet result;
  for (size_t b = 0; b < voxels.keys.size(); ++b) {
    const uvec3 at = places.cell_of(voxels.keys[b]) * 8u;
    for (u32 bit = 0; bit < 512; ++bit) {
      if ((voxels.words[b * brick_words + bit / 32] >> (bit % 32) & 1) == 0) continue;
      result.emplace(first[0] + at.x + bit % 8, first[1] + at.y + bit / 8 % 8, first[2] + at.z + bit / 64);
    }
  }
  return result;
}

const detail::NanoLeaf* leaves_of(const HostNanoGrid& grid, u64& count) {
  detail::NanoTreeData tree;
  const char* const bytes = reinterpret_cast<const char*>(grid.words.data());
  std::memcpy(&tree, bytes + sizeof(detail::NanoGridData), sizeof tree);
  count = tree.counts[0];
  return reinterpret_cast<const detail::NanoLeaf*>(bytes + sizeof(detail::NanoGridData) + tree.offsets[0]);
}

/// A mesh whose bricks are in several lower nodes and, at a resolution of 5000, in several upper ones.
Mesh scattered() {
  Mesh mesh = generate_random(40, 0.01f);
  mesh.positions.insert(mesh.positions.end(), {vec3(0), vec3(1), vec3(NAN)});
  const u32 n = u32(mesh.positions.size());
  mesh.triangles.insert(mesh.triangles.end(),
                        {{n - 3, n - 3, n - 3}, {n - 2, n - 2, n - 2}, {n - 2, n - 2, n - 2}, {n - 1, 0, 1}});
  return mesh;
}

class NanoGridTest : public test::OnEachBackend {
 protected:
  Bricks bricks_of(const Mesh& mesh, u32 resolution) {
    const DeviceMesh device(context(), mesh);
    Bricks bricks = build_bricks(context(), device.view(), {.resolution = resolution});
    context().wait();
    return bricks;
  }

  test::TemporaryFolder folder_;
};

TEST_P(NanoGridTest, HaveTheVoxelsOfBricks) {
  const auto expect_same = [&](const Mesh& mesh, u32 resolution, const std::string& name) {
    const Bricks bricks = bricks_of(mesh, resolution);
    const HostVoxels voxels = download(bricks);
    for (const NanoType type : {NanoType::mask, NanoType::index}) {
      const HostNanoGrid grid = download(build_nano_grid(context(), bricks, type));
      EXPECT_EQ(voxels_from(to_voxels(grid), bricks.shape.lo), voxels_from(voxels, bricks.shape.lo))
          << name << " at " << resolution;
    }
  };
  for (const test::NamedMesh& hard : test::hard_meshes()) {
    for (const u32 resolution : {1u, 8u, 19u}) expect_same(hard.mesh, resolution, hard.name);
  }
  for (const u32 resolution : {127u, 128u, 129u, 4096u, 5000u}) expect_same(scattered(), resolution, "scattered");
  expect_same(generate_sphere(3), 300, "sphere");
  expect_same(Mesh{}, 5, "nothing");
}

TEST_P(NanoGridTest, NumberSetVoxelsFromOneOnLeafByLeaf) {
  const HostNanoGrid grid = download(build_nano_grid(context(), bricks_of(generate_sphere(3), 300)));
  u64 count = 0, next = 1;
  const detail::NanoLeaf* const leaves = leaves_of(grid, count);
  ASSERT_GT(count, 1000u);
  for (u64 i = 0; i < count; ++i) {
    const detail::NanoLeaf& leaf = leaves[i];
    EXPECT_EQ(leaf.offset, next);
    for (u32 word = 0; word < 8; ++word) {
      if (word > 0) {
        EXPECT_EQ(leaf.offset + (leaf.prefixes >> (9 * (word - 1)) & 511), next);
      }
      next += u64(std::popcount(leaf.mask[word]));
    }
    const auto key = [](const detail::NanoLeaf& l) {
      return detail::nano_key(uvec3(u32(l.lo[0]), u32(l.lo[1]), u32(l.lo[2])) / 8u);
    };
    if (i > 0) {
      EXPECT_LT(key(leaves[i - 1]), key(leaf));
    }
    EXPECT_EQ(detail::nano_leaf_of(key(leaf)) * 8u, uvec3(u32(leaf.lo[0]), u32(leaf.lo[1]), u32(leaf.lo[2])));
  }
  detail::NanoGridData data;
  std::memcpy(&data, grid.words.data(), sizeof data);
  EXPECT_EQ(data.value_count, next);
}

/// The value of a voxel is a function of its place, so that no other voxel has it.
TEST_P(NanoGridTest, KeepAFloatForEachVoxel) {
  const Bricks bricks = bricks_of(scattered(), 5000);
  const std::vector<u64> keys = bricks.keys.download();
  std::vector<float> values(keys.size() * 512);
  for (u32 i = 0; i < values.size(); ++i) values[i] = float(i) + 0.5f;
  const Buffer<float> on_device(context(), values);
  const HostNanoGrid grid = download(build_nano_grid(context(), bricks, on_device.span(), -7));
  for (u32 b = 0; b < keys.size(); b += 3) {
    const uvec3 first = bricks.brick_shape().cell_of(keys[b]) * 8u;
    for (u32 voxel = 0; voxel < 512; voxel += 7) {
      const uvec3 at = first + uvec3(voxel % 8, voxel / 8 % 8, voxel / 64);
      ASSERT_EQ(value_at(grid, i32(at.x), i32(at.y), i32(at.z)), values[b * 512 + voxel]);
    }
  }
  EXPECT_EQ(value_at(grid, -1, 0, 0), -7);
  EXPECT_EQ(value_at(grid, 4999, 0, 0), -7);
  EXPECT_EQ(value_at(grid, 64, 0, 0), -7);   // beside the leaf at the origin
  EXPECT_EQ(value_at(grid, 200, 0, 0), -7);  // beside its lower node
  EXPECT_COPSE_ERROR((void)build_nano_grid(context(), bricks, on_device.span().first(511), 0),
                     ErrorCode::invalid_argument, "there are 511 values");
}

TEST_P(NanoGridTest, RefuseWhatTheyCannotHold) {
  const Bricks bricks = bricks_of(generate_cube(), 4);
  const ErrorCode invalid = ErrorCode::invalid_argument;
  EXPECT_COPSE_ERROR((void)build_nano_grid(context(), bricks, NanoType::floats), invalid, "the type is 1");
  EXPECT_COPSE_ERROR((void)build_nano_grid(context(), Bricks{}), invalid, "never made");
}

TEST_P(NanoGridTest, SurviveAFileOfEitherCodec) {
  const Bricks bricks = bricks_of(generate_sphere(3), 200);
  for (const NanoType type : {NanoType::mask, NanoType::index}) {
    const HostNanoGrid grid = download(build_nano_grid(context(), bricks, type));
    u64 sizes[2];
    for (const NanoCodec codec : {NanoCodec::none, NanoCodec::zip}) {
      save_nano_grid(folder_ / "a.nvdb", grid, codec);
      sizes[u32(codec)] = std::filesystem::file_size(folder_ / "a.nvdb");
      const HostNanoGrid loaded = load_nano_grid(folder_ / "a.nvdb");
      EXPECT_EQ(loaded.type, type);
      EXPECT_EQ(loaded.words, grid.words);
      EXPECT_EQ(voxels_from(load_voxels(folder_ / "a.nvdb"), bricks.shape.lo),
                voxels_from(download(bricks), bricks.shape.lo));
    }
    EXPECT_LT(sizes[1] * 4, sizes[0]);
  }
}

TEST_P(NanoGridTest, AreNeverTrustedFromFiles) {
  const HostNanoGrid grid =
      download(build_nano_grid(context(), bricks_of(generate_sphere(1), 20), NanoType::mask));
  save_nano_grid(folder_ / "a.nvdb", grid);
  const std::string good = test::read_bytes(folder_ / "a.nvdb");
  const auto load = [&](const std::string& bytes) { (void)load_nano_grid(folder_.write("b.nvdb", bytes)); };
  const auto with = [&](size_t at, auto value) {
    std::string bytes = good;
    std::memcpy(bytes.data() + at, &value, sizeof value);
    return bytes;
  };
  const ErrorCode bad = ErrorCode::bad_file;
  const size_t about = 16, blob = about + 176 + 7, tree = blob + 672, root = tree + 64, tile = root + 64;
  const size_t upper = tile + 32, upper_table = upper + 8256, lower = upper + 270400;
  EXPECT_COPSE_ERROR(load(""), bad, "ends within the header");
  EXPECT_COPSE_ERROR(load(good.substr(0, 100)), bad, "176 bytes, and 84 are left");
  EXPECT_COPSE_ERROR(load("x" + good.substr(1)), bad, "is not a file of NanoVDB");
  EXPECT_COPSE_ERROR(load(with(8, detail::nano_version(31, 0, 0))), bad, "has version 31 of NanoVDB");
  EXPECT_COPSE_ERROR(load(with(12, u16{0})), bad, "has no grid");
  EXPECT_COPSE_ERROR(load(with(12, u16{2})), bad, " are left");
  EXPECT_COPSE_ERROR(load(with(14, u16{2})), bad, "codec 2 (blosc)");
  EXPECT_COPSE_ERROR(load(with(14, u16{1})), bad, "its packed grid has");
  EXPECT_COPSE_ERROR(load(with(about, u64{1} << 60)), bad,
                     "1152921504606846976 bytes; it can be a multiple of 32");
  EXPECT_COPSE_ERROR(load(with(about, u64{0})), bad, "its grid has 0 bytes; it can be a multiple of 32 from 32");
  EXPECT_COPSE_ERROR(load(with(about + 8, u64{1} << 60)), bad, "1152921504606846976 bytes; ");
  EXPECT_COPSE_ERROR(load(with(about + 32, 2u)), bad, "values of type 2; this Copse reads 1 (floats)");
  EXPECT_COPSE_ERROR(load(with(about + 32, 1u)), bad, "values of type 8 in place of 1");
  EXPECT_COPSE_ERROR(load(with(about + 136, 0xffffffffu)), bad, "name of a grid: it has 4294967295 bytes");
  EXPECT_COPSE_ERROR(load(with(blob, u64{1})), bad, "does not begin as grids of NanoVDB do");
  EXPECT_COPSE_ERROR(load(with(blob + 16, 0u)), bad, "the grid has version 0");
  EXPECT_COPSE_ERROR(load(with(blob + 32, u64{1} << 60)), bad, "it has 1152921504606846976 bytes; there are");
  EXPECT_COPSE_ERROR(load(with(tree + 24, ~u64{0})), bad, "the root is at 18446744073709551615");
  EXPECT_COPSE_ERROR(load(with(tree + 24, u64{1} << 40)), bad, "the root is at 1099511627776");
  EXPECT_COPSE_ERROR(load(with(tree + 32, 0xffffffffu)), bad, "4294967295 leaves of 96 bytes");
  EXPECT_COPSE_ERROR(load(with(tree + 32, 3u)), bad, "more links to a leaf than the grid's 3");
  EXPECT_COPSE_ERROR(load(with(tree + 40, 1u << 20)), bad, "1048576 upper nodes of 270400 bytes");
  EXPECT_COPSE_ERROR(load(with(root + 24, 1u << 31)), bad, "the root has 2147483648 tiles");
  EXPECT_COPSE_ERROR(load(with(tile + 8, i64{1})), bad, "a link leads to an upper node");
  EXPECT_COPSE_ERROR(load(with(tile + 8, i64{-64})), bad, "nodes are from byte");
  EXPECT_COPSE_ERROR(load(with(tile + 8, (u64{1} << 63) - 64)), bad, "a link leads to an upper node");
  EXPECT_COPSE_ERROR(load(with(upper_table, i64{1} << 50)), bad, "a link leads to a lower node");
  EXPECT_COPSE_ERROR(load(with(lower + 32 + 512, ~u64{0})), bad, "more links to a leaf");
}

/// Numbers of voxels past the values would be read from arrays of the user.
TEST_P(NanoGridTest, AreNotTrustedWithTheirNumbers) {
  HostNanoGrid grid = download(build_nano_grid(context(), bricks_of(generate_sphere(1), 20)));
  u64 count = 0;
  auto* const leaves = const_cast<detail::NanoLeaf*>(leaves_of(grid, count));
  const auto save = [&] { save_nano_grid(folder_ / "a.nvdb", grid); };
  leaves[1].offset += u64{1} << 40;
  EXPECT_COPSE_ERROR(save(), ErrorCode::invalid_argument, "values");
  leaves[1].offset = ~u64{0};
  EXPECT_COPSE_ERROR(save(), ErrorCode::invalid_argument, "from 18446744073709551615 on; the grid has");
  leaves[1].offset = 1;
  leaves[1].prefixes ^= 1;
  EXPECT_COPSE_ERROR(save(), ErrorCode::invalid_argument, "counts its voxels by");
}

/// Whatever a file says, it is refused or gives a grid that can be walked.
TEST_P(NanoGridTest, AreSafeWithAnyBytesOfAFileChanged) {
  const HostNanoGrid grid = download(build_nano_grid(context(), bricks_of(generate_sphere(1), 20)));
  save_nano_grid(folder_ / "a.nvdb", grid);
  const std::string good = test::read_bytes(folder_ / "a.nvdb");
  std::mt19937 random(3);
  int refused = 0;
  for (int i = 0; i < 150; ++i) {
    std::string bytes = good;
    for (int k = 0; k < 3; ++k) {
      // Heads, masks and the first entries of tables matter more than empty tables.
      const size_t part = random() % 2 == 0 ? 1100 : bytes.size();
      bytes[random() % part] = char(random());
    }
    try {
      (void)load_voxels(folder_.write("b.nvdb", bytes));
    } catch (const Error& error) {
      ++refused;
      EXPECT_TRUE(error.code() == ErrorCode::bad_file || error.code() == ErrorCode::capacity) << error.what();
    }
  }
  EXPECT_GT(refused, 10);
}

/// A level set has the values of its field in the bricks, and elsewhere the band of the right sign: in leaves, in tiles of
/// lower nodes, and in tiles of upper nodes, of which the cube has one inside.
TEST_P(NanoGridTest, HaveTheSignOfADistanceFieldEverywhere) {
  const DeviceMesh device(context(), generate_cube());
  const DistanceField field = build_distance_field(context(), device.view(), {.resolution = 400, .band = 2});
  const HostNanoGrid grid = download(build_nano_grid(context(), field));
  save_nano_grid(folder_ / "a.nvdb", grid, NanoCodec::zip);
  EXPECT_EQ(load_nano_grid(folder_ / "a.nvdb").words, grid.words);
  EXPECT_EQ(count_voxels(to_voxels(grid)), count_voxels(context(), field.bricks));
  const GridShape shape = field.bricks.shape;
  const auto expected = [&](const ivec3& at) {
    const vec3 p = voxel_centre(shape, uvec3(at));
    const vec3 outside = glm::max(glm::max(-p, p - 1.0f), vec3(0));
    const float depth = std::min({p.x, p.y, p.z, 1 - p.x, 1 - p.y, 1 - p.z});
    return std::clamp(depth > 0 ? -depth : glm::length(outside), -field.band, field.band);
  };
  std::mt19937 random(5);
  for (int i = 0; i < 200000; ++i) {
    const ivec3 at(random() % shape.resolution.x, random() % shape.resolution.y, random() % shape.resolution.z);
    ASSERT_NEAR(value_at(grid, at.x, at.y, at.z), expected(at), 1e-5) << at.x << " " << at.y << " " << at.z;
  }
  EXPECT_EQ(value_at(grid, 200, 200, 200), -field.band);  // of an upper node
  EXPECT_EQ(value_at(grid, -5, 200, 200), field.band);
#if COPSE_HAS_NANOVDB
  const auto handle = nanovdb::io::readGrid((folder_ / "a.nvdb").string());
  ASSERT_NE(handle.grid<float>(), nullptr);
  EXPECT_EQ(nanovdb::GridValidator<float>::check(*handle.grid<float>(), true), "");
  EXPECT_TRUE(handle.grid<float>()->isLevelSet());
  EXPECT_STREQ(handle.grid<float>()->gridName(), "distance");
  EXPECT_EQ(handle.grid<float>()->getAccessor().getValue(nanovdb::Coord(200, 200, 200)), -field.band);
#endif
}

#if COPSE_HAS_NANOVDB

template <class Value>
const nanovdb::NanoGrid<Value>& as_grid(const nanovdb::GridHandle<>& handle) {
  return *handle.template grid<Value>();
}

/// NanoVDB's own reader and validator take our files, and find each voxel where it is.
TEST_P(NanoGridTest, AreReadByTheLibraryOfNanoVDB) {
  const Bricks bricks = bricks_of(scattered(), 5000);
  const HostVoxels voxels = download(bricks);
  const HostNanoGrid mask = download(build_nano_grid(context(), bricks, NanoType::mask));
  for (const NanoCodec codec : {NanoCodec::none, NanoCodec::zip}) {
    save_nano_grid(folder_ / "a.nvdb", mask, codec);
    const auto handle = nanovdb::io::readGrid((folder_ / "a.nvdb").string());
    ASSERT_NE(handle.grid<nanovdb::ValueMask>(), nullptr);
    const auto& grid = as_grid<nanovdb::ValueMask>(handle);
    EXPECT_EQ(nanovdb::GridValidator<nanovdb::ValueMask>::check(grid, true), "");
    EXPECT_EQ(grid.activeVoxelCount(), count_voxels(voxels));
    EXPECT_STREQ(grid.gridName(), "voxels");
    EXPECT_NEAR(grid.voxelSize()[0] * bricks.shape.cells_per_unit.x, 1, 1e-12);
    const auto accessor = grid.getAccessor();
    u64 found = 0;
    const VoxelSet set = voxels_from(voxels, bricks.shape.lo);
    for (const auto& [x, y, z] : set) {
      for (int step = -1; step <= 1; ++step) {
        const bool expected = set.contains({x + step, y, z});
        ASSERT_EQ(accessor.isActive(nanovdb::Coord(int(x + step), int(y), int(z))), expected);
        found += expected;
      }
    }
    EXPECT_GE(found, set.size());
    const nanovdb::Vec3d centre = grid.indexToWorld(nanovdb::Vec3d(3, 4, 5));
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR((centre[axis] - bricks.shape.lo[axis]) * bricks.shape.cells_per_unit[axis], 3.5 + axis, 1e-6);
    }
    EXPECT_EQ(nanovdb::io::readGridMetaData((folder_ / "a.nvdb").string()).at(0).gridName, "voxels");
  }
}

TEST_P(NanoGridTest, HaveFloatsThatTheLibraryOfNanoVDBReads) {
  const Bricks bricks = bricks_of(generate_sphere(2), 300);
  std::vector<float> values(bricks.keys.size() * 512);
  std::mt19937 random(5);
  for (float& value : values) value = float(random() % 1000);
  const Buffer<float> on_device(context(), values);
  const HostNanoGrid ours = download(build_nano_grid(context(), bricks, on_device.span(), 2000));
  save_nano_grid(folder_ / "a.nvdb", ours, NanoCodec::zip);
  const auto handle = nanovdb::io::readGrid((folder_ / "a.nvdb").string());
  ASSERT_NE(handle.grid<float>(), nullptr);
  const auto& grid = as_grid<float>(handle);
  EXPECT_EQ(nanovdb::GridValidator<float>::check(grid, true), "");
  const auto accessor = grid.getAccessor();
  for (int i = 0; i < 20000; ++i) {
    const nanovdb::Coord at(int(random() % 310), int(random() % 310), int(random() % 310));
    ASSERT_EQ(accessor.getValue(at), value_at(ours, at[0], at[1], at[2]));
  }
}

/// Debian's NanoVDB is older than indices of set voxels. Its grids of indices have the same nodes, so it reads which
/// voxels are set.
TEST_P(NanoGridTest, HaveNodesOfIndicesAsTheLibraryOfNanoVDB) {
  const Bricks bricks = bricks_of(generate_sphere(2), 300);
  const HostNanoGrid ours = download(build_nano_grid(context(), bricks, NanoType::index));
  std::vector<u64> aligned(ours.words.size() + 4);
  u64* const words = reinterpret_cast<u64*>((reinterpret_cast<u64>(aligned.data()) + 31) / 32 * 32);
  std::copy(ours.words.begin(), ours.words.end(), words);
  const auto& grid = *reinterpret_cast<const nanovdb::NanoGrid<nanovdb::ValueIndex>*>(words);
  const auto accessor = grid.getAccessor();
  for (const auto& [x, y, z] : voxels_from(download(bricks), bricks.shape.lo)) {
    ASSERT_TRUE(accessor.isActive(nanovdb::Coord(int(x), int(y), int(z))));
  }
  EXPECT_FALSE(accessor.isActive(nanovdb::Coord(150, 150, 150)));
  EXPECT_EQ(grid.activeVoxelCount() + 1, grid.valueCount());
}

#else

TEST_P(NanoGridTest, AreReadByTheLibraryOfNanoVDB) {
  GTEST_SKIP() << "NanoVDB's headers are not installed (Debian: libnanovdb-dev)";
}

#endif

COPSE_ON_EACH_BACKEND(NanoGridTest);

TEST(NanoGridsOnBoth, AreEqualByteForByte) {
  COPSE_SKIP_WITHOUT_GPU();
  Context cpu({.backend = Backend::cpu}), cuda({.backend = Backend::cuda});
  for (const Mesh& mesh : {generate_sphere(5), generate_hairball(50, 20), scattered()}) {
    const DeviceMesh a(cpu, mesh), b(cuda, mesh);
    const Bricks on_cpu = build_bricks(cpu, a.view(), {.resolution = 700});
    const Bricks on_cuda = build_bricks(cuda, b.view(), {.resolution = 700});
    for (const NanoType type : {NanoType::mask, NanoType::index}) {
      EXPECT_EQ(download(build_nano_grid(cpu, on_cpu, type)).words,
                download(build_nano_grid(cuda, on_cuda, type)).words);
    }
    const auto level_set = [](Context& context, const DeviceMesh& device) {
      return download(build_nano_grid(context, build_distance_field(context, device.view(), {.resolution = 150})));
    };
    EXPECT_EQ(level_set(cpu, a).words, level_set(cuda, b).words);
  }
}

}  // namespace
}  // namespace copse
