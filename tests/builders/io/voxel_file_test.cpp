#include "builders/io/voxel_file.h"

#include <cmath>
#include <cstring>

#include "builders/geometry/generate.h"
#include "tests/builders/io/sealed_file.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"

namespace copse::test {
namespace {

class VoxelFile : public OnEachBackend {
 protected:
  HostVoxels dense(const Mesh& mesh, u32 resolution) {
    return download(build_voxels(context(), DeviceMesh(context(), mesh).view(), resolution));
  }
  HostVoxels sparse(const Mesh& mesh, u32 resolution) {
    return download(build_bricks(context(), DeviceMesh(context(), mesh).view(), {.resolution = resolution}));
  }
  TemporaryFolder folder_;
};

bool same(const HostVoxels& a, const HostVoxels& b) {
  return a.shape.lo == b.shape.lo && a.shape.resolution == b.shape.resolution && a.is_sparse == b.is_sparse &&
         std::abs(a.shape.cells_per_unit.x / b.shape.cells_per_unit.x - 1) < 1e-15 && same_bytes(a.keys, b.keys) &&
         same_bytes(a.words, b.words);
}

TEST_P(VoxelFile, IsReadAsItWasWritten) {
  Mesh flat = generate_grid(3);
  for (const Mesh& mesh : {generate_sphere(2), generate_cube(), flat, Mesh{}}) {
    for (const u32 resolution : {1u, 8u, 37u}) {
      for (const HostVoxels& voxels : {dense(mesh, resolution), sparse(mesh, resolution)}) {
        save_voxels(folder_ / "a.voxels", voxels);
        EXPECT_TRUE(same(load_voxels(folder_ / "a.voxels"), voxels)) << resolution;
      }
    }
  }
}

TEST_P(VoxelFile, IsLaidOutAsDescribed) {
  const HostVoxels voxels = sparse(generate_sphere(1), 20);
  save_voxels(folder_ / "a.voxels", voxels);
  const std::string bytes = read_bytes(folder_ / "a.voxels");
  EXPECT_EQ(bytes.substr(0, 8), std::string("COPSV\r\n\x1a"));
  const auto word = [&](size_t at) { return word_at(bytes, at); };
  EXPECT_EQ(word(8), 4u);
  EXPECT_EQ(word(12), 8u);
  EXPECT_EQ(word(16), bytes.size());
  const u32 count = word(24);
  EXPECT_EQ(word(64), 20u);
  EXPECT_EQ(word(88), 1u);
  EXPECT_EQ(bytes.size(), 96 + count * 8 + count * 64 + 8);
  EXPECT_EQ(word(96), voxels.keys[0]);
  EXPECT_EQ(word(96 + 8 * count), voxels.words[0]);
}

/// Returns how many faces of set voxels have no set voxel on their other side, one by one.
u64 slow_face_count(const HostVoxels& voxels) {
  const glm::ivec3 size(voxels.shape.resolution);
  const auto is_set = [&](const glm::ivec3& v) {
    const bool is_inside = v.x >= 0 && v.y >= 0 && v.z >= 0 && v.x < size.x && v.y < size.y && v.z < size.z;
    return is_inside && voxels.at(uvec3(v));
  };
  u64 count = 0;
  for (int z = 0; z < size.z; ++z) {
    for (int y = 0; y < size.y; ++y) {
      for (int x = 0; x < size.x; ++x) {
        for (int k = 0; k < 3; ++k) {
          glm::ivec3 step(0);
          step[k] = 1;
          const glm::ivec3 v(x, y, z);
          count += is_set(v) && !is_set(v - step);
          count += is_set(v) && !is_set(v + step);
        }
      }
    }
  }
  return count;
}

/// Returns the volume that a closed mesh encloses, positive if its triangles face outwards.
double volume_of(const Mesh& mesh) {
  double volume = 0;
  for (const uvec3& t : mesh.triangles) {
    const dvec3 a(mesh.positions[t.x]), b(mesh.positions[t.y]), c(mesh.positions[t.z]);
    volume += (a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x)) / 6;
  }
  return volume;
}

TEST_P(VoxelFile, SurfaceHasEachOuterFaceOnceAndFacesOutwards) {
  for (const Mesh& mesh : {generate_sphere(2), generate_cube(), Mesh{}}) {
    for (const u32 resolution : {1u, 8u, 37u}) {
      for (const HostVoxels& voxels : {dense(mesh, resolution), sparse(mesh, resolution)}) {
        const Mesh surface = surface_of(voxels);
        EXPECT_EQ(surface.triangles.size(), 2 * slow_face_count(voxels));
        EXPECT_EQ(surface.positions.size(), 2 * surface.triangles.size());
        const dvec3 cells = voxels.shape.cells_per_unit;
        const double expected = double(count_voxels(voxels)) / (cells.x * cells.y * cells.z);
        EXPECT_NEAR(volume_of(surface), expected, 1e-5 * expected) << resolution;
      }
    }
  }
}

/// Returns the voxels that are set in a slice, by the colours that save_slices draws.
TEST_P(VoxelFile, SlicesAreOneALayer) {
  for (const HostVoxels& voxels : {dense(generate_sphere(2), 11), sparse(generate_sphere(2), 11)}) {
    const TemporaryFolder slices;
    save_slices(slices.path(), voxels);
    EXPECT_EQ(slices.file_count(), voxels.shape.resolution.z);
    EXPECT_EQ(read_bytes(slices / "slice-0000.png").substr(1, 3), "PNG");
  }
  HostVoxels voxels{{dvec3(0), dvec3(1), uvec3(9, 2, 1)}, false, {}, {1, 256}};
  save_slices(folder_.path(), voxels);
  const std::string drawn = read_bytes(folder_ / "slice-0000.png");
  HostVoxels bricks{{dvec3(0), dvec3(1), uvec3(9, 2, 1)}, true, {0, 1}, std::vector<u32>(32)};
  bricks.words[0] = 1;
  bricks.words[16] = 256;
  save_slices(folder_.path(), bricks);
  EXPECT_EQ(read_bytes(folder_ / "slice-0000.png"), drawn);
  for (u32 x = 0; x < 9; ++x) {
    for (u32 y = 0; y < 2; ++y) {
      const bool expected = (x == 0 && y == 0) || (x == 8 && y == 1);
      EXPECT_EQ(voxels.at(uvec3(x, y, 0)), expected);
      EXPECT_EQ(bricks.at(uvec3(x, y, 0)), expected);
    }
  }
}

TEST_P(VoxelFile, IsNeverTrusted) {
  const HostVoxels voxels = sparse(generate_sphere(1), 20);
  save_voxels(folder_ / "a.voxels", voxels);
  const std::string good = read_bytes(folder_ / "a.voxels");
  const auto load = [&](const std::string& bytes) { (void)load_voxels(folder_.write("b.voxels", bytes)); };
  const auto with_word = [&](size_t at, u32 value) { return sealed_with_word(good, at, value); };
  const ErrorCode bad = ErrorCode::bad_file;
  EXPECT_COPSE_ERROR(load(""), bad, "is not a voxel file");
  EXPECT_COPSE_ERROR(load("x" + good.substr(1)), bad, "is not a voxel file");
  EXPECT_COPSE_ERROR(load(with_word(8, 0)), bad, "version 0; this Copse reads versions 1 to 4");
  EXPECT_COPSE_ERROR(load(with_word(8, 5)), bad, "version 5");
  EXPECT_COPSE_ERROR(load(with_word(88, 3)), bad, "contents of kind 3; it can be 1 (voxels) or 2 (a tree)");
  EXPECT_COPSE_ERROR(load(with_word(88, 2)), bad, "holds a tree of kind 0");
  EXPECT_COPSE_ERROR(load(good + "more"), bad, "the header says");
  EXPECT_COPSE_ERROR(load(good.substr(0, good.size() - 64)), bad, "the header says");
  EXPECT_COPSE_ERROR(load(with_word(12, 4)), bad, "bricks of 4");
  EXPECT_COPSE_ERROR(load(with_word(24, 0x7fffffff)), bad, "2147483647 bricks");
  EXPECT_COPSE_ERROR(load(with_word(24, u32(voxels.keys.size()) - 1)), bad, "are needed");
  EXPECT_COPSE_ERROR(load(with_word(64, 0)), bad, "resolution of 0");
  EXPECT_COPSE_ERROR(load(with_word(64, 1u << 30)), bad, "65536");
  EXPECT_COPSE_ERROR(load(with_word(96, 27)), bad, "place 27 of 27");
  EXPECT_COPSE_ERROR(load(with_word(104, 0)), bad, "the one before it is at");
  EXPECT_COPSE_ERROR(load(with_word(60, 0xfff00000)), bad, "no size");
  EXPECT_COPSE_ERROR(load(with_word(60, 0)), bad, "no size");  // one over the edge is infinite
  HostVoxels wrong = voxels;
  wrong.words.pop_back();
  EXPECT_COPSE_ERROR(save_voxels(folder_ / "c.voxels", wrong), ErrorCode::invalid_argument, "are needed");
}

/// Places past 2^32 need keys of 64 bits.
TEST_P(VoxelFile, KeepsKeysOf39Bits) {
  HostVoxels voxels;
  voxels.shape = {dvec3(0), dvec3(1), uvec3(65536)};
  voxels.is_sparse = true;
  voxels.keys = {5, (u64{1} << 39) - 1};
  voxels.words.assign(32, 1);
  save_voxels(folder_ / "a.voxels", voxels);
  const std::string bytes = read_bytes(folder_ / "a.voxels");
  EXPECT_EQ(bytes.size(), 96u + 2 * 8 + 2 * 64 + 8);
  const HostVoxels loaded = load_voxels(folder_ / "a.voxels");
  EXPECT_EQ(loaded.keys, voxels.keys);
  EXPECT_EQ(loaded.words, voxels.words);
  EXPECT_TRUE(loaded.at(uvec3(65528)));
  EXPECT_FALSE(loaded.at(uvec3(65529, 65528, 65528)));
  // Each brick has two columns of 8 voxels: 34 faces each.
  EXPECT_EQ(surface_of(loaded).triangles.size(), 2u * 2 * 34 * 2);

  voxels.keys[1] = u64{1} << 39;
  EXPECT_COPSE_ERROR(save_voxels(folder_ / "b.voxels", voxels), ErrorCode::invalid_argument,
                     "is at place 549755813888 of 549755813888");
}

/// Bits that no voxel has would be counted, and drawn outside of the grid.
TEST_P(VoxelFile, BitsPastTheGridAreRefused) {
  HostVoxels rows;
  rows.shape = {dvec3(0), dvec3(1), uvec3(33, 2, 2)};
  rows.words.assign(8, 0);
  rows.words[7] = 1;  // voxel (32, 1, 1), the last one
  save_voxels(folder_ / "a.voxels", rows);
  EXPECT_TRUE(load_voxels(folder_ / "a.voxels").at(uvec3(32, 1, 1)));
  std::string bytes = read_bytes(folder_ / "a.voxels");
  bytes[96 + 4 * 5] = 2;
  EXPECT_COPSE_ERROR(load_voxels(folder_.write("b.voxels", bytes)), ErrorCode::bad_file, "block 0 of 1");
  EXPECT_COPSE_ERROR(load_voxels(folder_.write("b.voxels", sealed(bytes))), ErrorCode::bad_file,
                     "voxel (33, 0, 1) is set; rows have 33 voxels");

  HostVoxels bricks;
  bricks.shape = {dvec3(0), dvec3(1), uvec3(9, 8, 8)};
  bricks.is_sparse = true;
  bricks.keys = {1};
  bricks.words.assign(16, 0);
  bricks.words[3] = 1u << 8;  // voxel (8, 5, 1)
  save_voxels(folder_ / "a.voxels", bricks);
  EXPECT_TRUE(load_voxels(folder_ / "a.voxels").at(uvec3(8, 5, 1)));
  bricks.words[3] = 1u << 9;
  EXPECT_COPSE_ERROR(save_voxels(folder_ / "b.voxels", bricks), ErrorCode::invalid_argument,
                     "voxel (9, 5, 1) is set in a grid of 9 x 8 x 8");
}

COPSE_ON_EACH_BACKEND(VoxelFile);

}  // namespace
}  // namespace copse::test
