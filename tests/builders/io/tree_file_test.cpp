#include "builders/io/tree_file.h"

#include <cstring>
#include <functional>

#include "builders/geometry/generate.h"
#include "builders/io/structure/tree_layout.h"
#include "builders/kd/sah_kd_validate.h"
#include "builders/points/kd_validate.h"
#include "builders/points/point_bvh_validate.h"
#include "tests/builders/io/sealed_file.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/hard_points.h"

namespace copse::test {
namespace {

using detail::TreeHeader;
using detail::TreeLayout;

class TreeFiles : public OnEachBackend {
 protected:
  /// Each returns the bytes of a file with a tree.
  std::string save_kd(const std::vector<vec3>& points) {
    save_tree(folder_ / "a.copse", context(), points,
              build_kd_tree(context(), Buffer<vec3>(context(), points).span()));
    return read_bytes(folder_ / "a.copse");
  }
  std::string save_bvh(const std::vector<vec3>& points) {
    save_tree(folder_ / "a.copse", context(), points,
              build_point_bvh(context(), Buffer<vec3>(context(), points).span()));
    return read_bytes(folder_ / "a.copse");
  }
  std::string save_sah_kd(const Mesh& mesh) {
    save_tree(folder_ / "a.copse", context(), mesh,
              build_sah_kd_tree(context(), DeviceMesh(context(), mesh).view()));
    return read_bytes(folder_ / "a.copse");
  }

  FilePath write(const std::string& bytes) { return folder_.write("b.copse", bytes); }

  TemporaryFolder folder_;
};

TEST_P(TreeFiles, OfPointsAreReadAsTheyWereWritten) {
  std::vector<NamedPoints> sets = hard_points();
  for (const u32 size : {7, 8, 9, 64, 65, 513, 5000}) sets.push_back({"random", random_points(size, size)});
  for (const NamedPoints& set : sets) {
    SCOPED_TRACE(set.name + ", " + std::to_string(set.points.size()));
    const std::string kd_bytes = save_kd(set.points);
    const KdTreeFile kd = load_kd_tree(write(kd_bytes), context());
    EXPECT_TRUE(same_bytes(kd.points, set.points));
    const Buffer<vec3> points(context(), kd.points);
    EXPECT_EQ(validate(context(), kd.tree, points.span()).message(), "valid");
    save_tree(folder_ / "c.copse", context(), kd.points, kd.tree);
    EXPECT_EQ(read_bytes(folder_ / "c.copse"), kd_bytes);

    const std::string bvh_bytes = save_bvh(set.points);
    const PointBvhFile bvh = load_point_bvh(write(bvh_bytes), context());
    EXPECT_TRUE(same_bytes(bvh.points, set.points));
    EXPECT_EQ(validate(context(), bvh.bvh, points.span()).message(), "valid");
    save_tree(folder_ / "c.copse", context(), bvh.points, bvh.bvh);
    EXPECT_EQ(read_bytes(folder_ / "c.copse"), bvh_bytes);
  }
}

TEST_P(TreeFiles, OfTrianglesAreReadAsTheyWereWritten) {
  std::vector<NamedMesh> meshes = hard_meshes();
  meshes.push_back({"random", generate_random(3000, 0.1f)});
  meshes.push_back({"sphere", generate_sphere(3)});
  for (const NamedMesh& named : meshes) {
    SCOPED_TRACE(named.name);
    const std::string bytes = save_sah_kd(named.mesh);
    const SahKdTreeFile file = load_sah_kd_tree(write(bytes), context());
    EXPECT_TRUE(same_bytes(file.mesh.positions, named.mesh.positions));
    EXPECT_TRUE(same_bytes(file.mesh.triangles, named.mesh.triangles));
    const DeviceMesh device(context(), file.mesh);
    EXPECT_EQ(validate(context(), file.tree, device.view()).message(), "valid");
    save_tree(folder_ / "c.copse", context(), file.mesh, file.tree);
    EXPECT_EQ(read_bytes(folder_ / "c.copse"), bytes);
  }
}

TEST_P(TreeFiles, AreLaidOutAsDescribed) {
  const std::vector<vec3> points{vec3(2, 0, 0), vec3(0, 0, 0), vec3(1, 0, 0)};
  const std::string bytes = save_kd(points);
  EXPECT_EQ(bytes.substr(0, 8), std::string("COPST\r\n\x1a"));
  const auto word = [&](size_t at) { return word_at(bytes, at); };
  EXPECT_EQ(word(8), 2u);
  EXPECT_EQ(word(12), 1u);
  EXPECT_EQ(word(16), bytes.size());
  EXPECT_EQ(word(32), 3u);
  EXPECT_EQ(word(56), 3u);
  EXPECT_EQ(word(64), 3u);
  EXPECT_EQ(bytes.size(), 128u + 64 + 32 + 8);
  EXPECT_EQ(word(128 + 64), 2u);  // the middle point is the root
  EXPECT_EQ(word(128 + 64 + 4), 1u);
  EXPECT_EQ(word(128 + 64 + 8), 0u);
}

TEST_P(TreeFiles, TellTheirKind) {
  save_kd(random_points(10, 1));
  EXPECT_EQ(tree_kind(folder_ / "a.copse"), TreeKind::kd_tree);
  save_bvh(random_points(10, 1));
  EXPECT_EQ(tree_kind(folder_ / "a.copse"), TreeKind::point_bvh);
  EXPECT_COPSE_ERROR(load_kd_tree(folder_ / "a.copse", context()), ErrorCode::bad_file,
                     "holds a point BVH, not a kd-tree of points");
  save_sah_kd(generate_cube());
  EXPECT_EQ(tree_kind(folder_ / "a.copse"), TreeKind::sah_kd_tree);
  EXPECT_COPSE_ERROR(load_point_bvh(folder_ / "a.copse", context()), ErrorCode::bad_file,
                     "holds a kd-tree of triangles, not a point BVH");
  EXPECT_EQ(tree_kind(write("COPSE and more")), std::nullopt);
  EXPECT_EQ(tree_kind(write("")), std::nullopt);
}

TEST_P(TreeFiles, AreNotWrittenOfOtherContent) {
  const std::vector<vec3> points = random_points(10, 1), others = random_points(10, 2);
  const KdTree tree = build_kd_tree(context(), Buffer<vec3>(context(), points).span());
  const PointBvh bvh = build_point_bvh(context(), Buffer<vec3>(context(), points).span());
  EXPECT_COPSE_ERROR(save_tree(folder_ / "a.copse", context(), points, KdTree{}), ErrorCode::invalid_argument,
                     "never built");
  EXPECT_COPSE_ERROR(save_tree(folder_ / "a.copse", context(), std::span(points).first(9), tree),
                     ErrorCode::invalid_argument, "9 points, but the kd-tree was built over 10");
  EXPECT_COPSE_ERROR(save_tree(folder_ / "a.copse", context(), others, tree), ErrorCode::invalid_argument,
                     "elsewhere in the tree");
  EXPECT_COPSE_ERROR(save_tree(folder_ / "a.copse", context(), others, bvh), ErrorCode::invalid_argument,
                     "elsewhere in the tree");
  EXPECT_EQ(folder_.file_count(), 0u);
}

COPSE_ON_EACH_BACKEND(TreeFiles);

class DamagedTreeFiles : public TreeFiles {
 protected:
  /// A file whose parts can be changed; then it is put together with a right checksum.
  struct OpenFile {
    std::string bytes;

    TreeHeader& header() { return *reinterpret_cast<TreeHeader*>(bytes.data()); }
    TreeLayout layout() { return TreeLayout::of(header()); }
    template <class T>
    T& at(u64 offset, u64 i) {
      return *reinterpret_cast<T*>(bytes.data() + offset + i * sizeof(T));
    }
    u32& id(u64 i) { return at<u32>(layout().ids, i); }
    vec3& position(u64 i) { return at<vec3>(layout().positions, i); }
    SahKdNode& kd_node(u64 i) { return at<SahKdNode>(layout().nodes, i); }
    PointNode& point_node(u64 i) { return at<PointNode>(layout().nodes, i); }
  };
  using Change = std::function<void(OpenFile&)>;

  template <class Load>
  void expect_refused(const std::string& bytes, const Load& load, const std::string& part, const Change& change) {
    OpenFile file{bytes};
    change(file);
    EXPECT_COPSE_ERROR(load(write(sealed(file.bytes))), ErrorCode::bad_file, part);
  }
};
INSTANTIATE_TEST_SUITE_P(, DamagedTreeFiles, testing::Values(Backend::cpu), backend_test_name);

TEST_P(DamagedTreeFiles, OfAnyKindAreRefusedByTheirHeader) {
  const std::string bytes = save_kd(random_points(100, 1));
  const auto load = [&](const FilePath& path) { return load_kd_tree(path, context()); };
  const auto refused = [&](const std::string& part, const Change& change) {
    expect_refused(bytes, load, part, change);
  };
  refused("is no tree file", [](OpenFile& f) { f.header().magic[4] = 'E'; });
  refused("has version 3; this Copse reads versions 1 to 2", [](OpenFile& f) { f.header().version = 3; });
  refused("holds a tree of kind 9", [](OpenFile& f) { f.header().kind = 9; });
  refused("its header promises 77", [](OpenFile& f) { f.header().file_bytes = 77; });
  refused("18446744073709551615 vertices; at most", [](OpenFile& f) { f.header().vertex_count = ~u64{0}; });
  refused("triangles; at most", [](OpenFile& f) { f.header().triangle_count = u64{1} << 40; });
  refused("nodes; at most", [](OpenFile& f) { f.header().node_count = u64{1} << 40; });
  refused("ids; at most", [](OpenFile& f) { f.header().id_count = u64{1} << 40; });
  refused("its counts need", [](OpenFile& f) { f.header().id_count += 8; });
  EXPECT_COPSE_ERROR(load(write(bytes.substr(0, 100))), ErrorCode::bad_file, "is no tree file");
  EXPECT_COPSE_ERROR(load(write(bytes.substr(0, 1000))), ErrorCode::bad_file, "its header promises");
  for (const size_t at : {40ul, 130ul, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] ^= 4;
    EXPECT_COPSE_ERROR(load(write(damaged)), ErrorCode::bad_file, "");
  }
}

TEST_P(DamagedTreeFiles, OfPointsAreRefusedByTheirPoints) {
  const auto load_kd = [&](const FilePath& path) { return load_kd_tree(path, context()); };
  const auto load_bvh = [&](const FilePath& path) { return load_point_bvh(path, context()); };
  const std::string kd = save_kd(random_points(100, 1)), bvh = save_bvh(random_points(100, 1));
  const auto refused = [&](const std::string& part, const Change& change) {
    expect_refused(kd, load_kd, part, change);
    expect_refused(bvh, load_bvh, part, change);
  };
  refused("holds point 100 of 100", [](OpenFile& f) { f.id(3) = 100; });
  refused("again", [](OpenFile& f) { f.id(3) = f.id(4); });
  refused("of the file have finite coordinates", [](OpenFile& f) { f.position(3).y = infinity; });
  refused("the tree has 99 points", [](OpenFile& f) {
    f.header().element_count = 99;
    f.header().id_count = 99;
  });
  refused("has depth 3", [](OpenFile& f) { f.header().depth = 3; });
  expect_refused(kd, load_kd, "has bounds", [](OpenFile& f) { f.header().bounds.hi.x = 1; });
  expect_refused(bvh, load_bvh, "the bounds of the tree are no finite box",
                 [](OpenFile& f) { f.header().bounds.hi.x = infinity; });
  expect_refused(bvh, load_bvh, "the bounds of the tree are no finite box",
                 [](OpenFile& f) { f.header().bounds.hi.x = -5; });
  expect_refused(bvh, load_bvh, "node 2 has no finite box",
                 [](OpenFile& f) { f.point_node(2).lo.z = std::nanf(""); });
}

TEST_P(DamagedTreeFiles, OfTrianglesAreRefusedByTheirNodes) {
  const auto load = [&](const FilePath& path) { return load_sah_kd_tree(path, context()); };
  const std::string bytes = save_sah_kd(generate_random(500, 0.1f));
  const auto refused = [&](const std::string& part, const Change& change) {
    expect_refused(bytes, load, part, change);
  };
  const auto first_leaf = [](OpenFile& f) {
    u64 i = 0;
    while (!f.kd_node(i).is_leaf() || f.kd_node(i).count() == 0) ++i;
    return i;
  };
  refused("they must follow it", [](OpenFile& f) { f.kd_node(1) = SahKdNode::inner(0, 0.5f, 1); });
  refused("they must follow it",
          [](OpenFile& f) { f.kd_node(1) = SahKdNode::inner(0, 0.5f, u32(f.header().node_count) - 1); });
  refused("is below", [](OpenFile& f) { f.kd_node(2) = f.kd_node(1); });
  refused("plane that is not finite", [](OpenFile& f) { f.kd_node(0).value = infinity; });
  refused("ends at entry", [&](OpenFile& f) { f.kd_node(first_leaf(f)).value = float_from_bits(0x7fffffff); });
  refused("is in two leaves", [&](OpenFile& f) {
    const u64 first = first_leaf(f);
    u64 other = first + 1;
    while (!f.kd_node(other).is_leaf() || f.kd_node(other).count() == 0) ++other;
    f.kd_node(other).value = f.kd_node(first).value;
  });
  refused("is triangle 500 of 500", [](OpenFile& f) { f.id(7) = 500; });
  refused("has vertex 1500 of 1500", [](OpenFile& f) { f.at<u32>(f.layout().triangles, 4) = 1500; });
  refused("triangles, but 499", [](OpenFile& f) { f.position(3).y = infinity; });
  refused("the header says", [](OpenFile& f) { f.header().depth += 1; });
  refused("no finite box", [](OpenFile& f) { f.header().bounds.lo.y = -infinity; });
}

TEST_P(DamagedTreeFiles, OfTooManyLevelsAreRefused) {
  // A chain of nodes: the left child of each is a leaf, the right one the next node.
  const std::string bytes = save_sah_kd(Mesh{});
  const u32 levels = 62;
  std::string chain = bytes;
  chain.resize(TreeLayout::of(reinterpret_cast<TreeHeader&>(chain[0])).nodes);
  for (u32 i = 0; i < levels; ++i) {
    const SahKdNode pair[2] = {SahKdNode::leaf(0, 0), SahKdNode::inner(0, 0.5f, 2 * i + 1)};
    if (i > 0) chain.append(reinterpret_cast<const char*>(&pair[0]), sizeof(SahKdNode));
    chain.append(reinterpret_cast<const char*>(&pair[1]), sizeof(SahKdNode));
  }
  const SahKdNode leaf = SahKdNode::leaf(0, 0);
  for (u32 k = 0; k < 2; ++k) chain.append(reinterpret_cast<const char*>(&leaf), sizeof leaf);
  TreeHeader header;
  std::memcpy(&header, chain.data(), sizeof header);
  header.node_count = 2 * levels + 1;
  header.depth = levels;
  header.file_bytes = TreeLayout::of(header).file_bytes;
  std::memcpy(chain.data(), &header, sizeof header);
  chain.resize(header.file_bytes);
  expect_refused(
      chain, [&](const FilePath& path) { return load_sah_kd_tree(path, context()); },
      "has children below level 60", [](OpenFile&) {});
}

}  // namespace
}  // namespace copse::test
