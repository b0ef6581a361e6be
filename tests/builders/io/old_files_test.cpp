// Files of every version before the current one, as the programs of their time wrote them.

#include "builders/bvh/validate.h"
#include "builders/io/mesh_file.h"
#include "builders/io/structure_file.h"
#include "builders/io/tree_file.h"
#include "builders/io/voxel_tree_file.h"
#include "builders/kd/sah_kd_validate.h"
#include "builders/points/kd_validate.h"
#include "builders/points/point_bvh_validate.h"
#include "tests/builders/io/sealed_file.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"

namespace copse::test {
namespace {

constexpr const char* spindle = "tests/assets/old-files/spindle.obj";

std::string old_file(const std::string& name) {
  return "tests/assets/old-files/" + name;
}

class OldFiles : public OnEachBackend {
 protected:
  /// Saves in the current version, and returns what a reader of it gives.
  template <class Save, class Load>
  auto saved_again(const Save& save, const Load& load) {
    save(folder_ / "new");
    EXPECT_GE(word_at(read_bytes(folder_ / "new"), 8), 2u);
    return load(folder_ / "new");
  }
  TemporaryFolder folder_;
};
COPSE_ON_EACH_BACKEND(OldFiles);

TEST_P(OldFiles, OfBinaryAndWideTreesAreRead) {
  const Mesh mesh = load_mesh(spindle);
  const DeviceMesh device(context(), mesh);
  for (const std::string name : {"tree-1.copse", "bvh4-2.copse", "cbvh8-2.copse"}) {
    SCOPED_TRACE(name);
    const StructureFile file = load_structure(old_file(name), context());
    EXPECT_EQ(file.mesh.triangles, mesh.triangles);
    EXPECT_TRUE(validate(context(), file.bvh, device.view()).is_valid());
    EXPECT_EQ(file.wide.index() > 0, name != "tree-1.copse");
    std::visit(
        [&](const auto& wide) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(wide)>, std::monostate>) {
            EXPECT_TRUE(validate(context(), wide, device.view()).is_valid());
          }
        },
        file.wide);
    const StructureFile again = saved_again(
        [&](const FilePath& to) {
          save_structure(to, context(), file.mesh, file.bvh, file.builder, file.morton_bits, file.max_leaf_size,
                         file.wide);
        },
        [&](const FilePath& from) { return load_structure(from, context()); });
    EXPECT_TRUE(same_bytes(BvhCopy(again.bvh), BvhCopy(file.bvh)));
    EXPECT_EQ(again.wide.index(), file.wide.index());
  }
}

TEST_P(OldFiles, OfKdTreesAndTreesOfPointsAreRead) {
  const Mesh mesh = load_mesh(spindle);
  const DeviceMesh device(context(), mesh);
  const Buffer<vec3> points(context(), mesh.positions);
  const KdTreeFile kd = load_kd_tree(old_file("points-1.copse"), context());
  EXPECT_TRUE(same_bytes(kd.points, mesh.positions));
  EXPECT_TRUE(validate(context(), kd.tree, points.span()).is_valid());
  const PointBvhFile bvh = load_point_bvh(old_file("point-bvh-1.copse"), context());
  EXPECT_TRUE(same_bytes(bvh.points, mesh.positions));
  EXPECT_TRUE(validate(context(), bvh.bvh, points.span()).is_valid());
  const SahKdTreeFile sah = load_sah_kd_tree(old_file("kdtree-1.copse"), context());
  EXPECT_EQ(sah.mesh.triangles, mesh.triangles);
  EXPECT_TRUE(validate(context(), sah.tree, device.view()).is_valid());
}

class OldVoxelFiles : public OldFiles {};
INSTANTIATE_TEST_SUITE_P(, OldVoxelFiles, testing::Values(Backend::cpu), backend_test_name);

TEST_P(OldVoxelFiles, AreRead) {
  const auto expect_same_again = [&](const std::string& name, u64 set_count) {
    SCOPED_TRACE(name);
    const HostVoxels voxels = load_voxels(old_file(name));
    EXPECT_EQ(count_voxels(voxels), set_count);
    const HostVoxels again = saved_again([&](const FilePath& to) { save_voxels(to, voxels); },
                                         [&](const FilePath& from) { return load_voxels(from); });
    EXPECT_EQ(again.keys, voxels.keys);
    EXPECT_EQ(again.words, voxels.words);
  };
  expect_same_again("dense-1.voxels", 544);
  expect_same_again("bricks-1.voxels", 2144);
  expect_same_again("bricks-2.voxels", 50);
  EXPECT_EQ(load_voxels(old_file("bricks-2.voxels")).keys.back(), (u64{1} << 39) - 1);
  for (const std::string name : {"octree-3.voxels", "dag-3.voxels"}) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(holds_voxel_tree(old_file(name)));
    const HostVoxelTree tree = load_voxel_tree(old_file(name));
    EXPECT_EQ(tree.is_dag, name == "dag-3.voxels");
    const HostVoxelTree again = saved_again([&](const FilePath& to) { save_voxel_tree(to, tree); },
                                            [&](const FilePath& from) { return load_voxel_tree(from); });
    EXPECT_TRUE(same_bytes(again.nodes, tree.nodes));
    EXPECT_EQ(again.leaves, tree.leaves);
    EXPECT_EQ(again.links, tree.links);
  }
  EXPECT_FALSE(holds_voxel_tree(old_file("bricks-1.voxels")));
}

/// With and without a checksum that is right, so that the checks of old versions stay tested.
TEST_P(OldVoxelFiles, AreNotTrustedEither) {
  const auto load = [&](const std::string& bytes) {
    const std::filesystem::path path = folder_.write("b", bytes);
    if (bytes[4] == 'V') return void(load_voxels(path));
    if (bytes[4] == 'E') return void(load_structure(path, context()));
    const TreeKind kind = tree_kind(path).value_or(TreeKind::kd_tree);
    if (kind == TreeKind::kd_tree) return void(load_kd_tree(path, context()));
    if (kind == TreeKind::point_bvh) return void(load_point_bvh(path, context()));
    load_sah_kd_tree(path, context());
  };
  for (const std::string name : {"tree-1.copse", "cbvh8-2.copse", "kdtree-1.copse", "point-bvh-1.copse",
                                 "points-1.copse", "bricks-1.voxels", "dag-3.voxels"}) {
    SCOPED_TRACE(name);
    const std::string good = read_bytes(old_file(name));
    for (u64 at = 8; at + 4 <= good.size(); at += 12) {
      std::string damaged = good;
      damaged[at] = char(damaged[at] ^ 0x81);
      if (good[4] != 'V') {
        EXPECT_COPSE_ERROR(load(damaged), ErrorCode::bad_file, "");
      }
      for (const u32 value : {0u, 3u, 0x7fc00000u, 0xffffffffu}) {
        try {
          load(sealed_with_word(good, at, value));
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::bad_file) << error.what();
        }
      }
    }
  }
}

}  // namespace
}  // namespace copse::test
