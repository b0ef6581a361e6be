#include "builders/io/structure_file.h"

#include <cmath>
#include <cstring>
#include <functional>

#include "builders/bvh/lbvh.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "builders/io/mesh_file.h"
#include "builders/io/structure/structure_layout.h"
#include "tests/builders/io/sealed_file.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/filled_memory.h"

namespace copse::test {
namespace {

using detail::StructureHeader;
using detail::StructureLayout;
using detail::StructureWideHeader;

class StructureOnEachBackend : public OnEachBackend {
 protected:
  /// Returns the bytes of a file with the tree over `mesh`.
  std::string save(const Mesh& mesh, u32 max_leaf_size = 1) { return save(context(), mesh, max_leaf_size); }
  std::string save(Context& context, const Mesh& mesh, u32 max_leaf_size) {
    const DeviceMesh device_mesh(context, mesh);
    const Bvh bvh = build(context, device_mesh.view(), LbvhOptions{.max_leaf_size = max_leaf_size});
    save_structure(folder_ / "a.copse", context, mesh, bvh, "lbvh", 63, max_leaf_size);
    return read_bytes(folder_ / "a.copse");
  }
  StructureFile load(const std::string& bytes) {
    return load_structure(folder_.write("b.copse", bytes), context());
  }

  /// Saves, loads and saves again; the tree and the bytes must stay the same.
  void expect_round_trip(const Mesh& mesh, u32 max_leaf_size) {
    const DeviceMesh device_mesh(context(), mesh);
    const Bvh bvh = build(context(), device_mesh.view(), LbvhOptions{.max_leaf_size = max_leaf_size});
    const std::string bytes = save(mesh, max_leaf_size);
    const StructureFile file = load(bytes);
    EXPECT_EQ(file.builder, "lbvh");
    EXPECT_EQ(file.morton_bits, 63u);
    EXPECT_EQ(file.max_leaf_size, max_leaf_size);
    EXPECT_TRUE(same_bytes(file.mesh.positions, mesh.positions));
    EXPECT_TRUE(same_bytes(file.mesh.triangles, mesh.triangles));
    EXPECT_EQ(file.bvh.source_count, mesh.triangles.size());
    EXPECT_TRUE(same_bytes(BvhCopy(file.bvh), BvhCopy(bvh)));
    save_structure(folder_ / "c.copse", context(), file.mesh, file.bvh, file.builder, file.morton_bits,
                   file.max_leaf_size);
    EXPECT_EQ(read_bytes(folder_ / "c.copse"), bytes);
  }

  TemporaryFolder folder_;
};

COPSE_ON_EACH_BACKEND(StructureOnEachBackend);

Mesh mesh_with_invalid_triangles() {
  Mesh mesh = generate_random(9, 0.2f);
  mesh.positions[3].x = NAN;
  mesh.positions[20].z = INFINITY;
  return mesh;
}

TEST_P(StructureOnEachBackend, RoundTripsByteForByte) {
  for (const u32 max_leaf_size : {1u, 4u}) {
    for (const u64 count : {0, 1, 2, 3, 100}) expect_round_trip(generate_random(count, 0.1f), max_leaf_size);
    expect_round_trip(mesh_with_invalid_triangles(), max_leaf_size);
    expect_round_trip(Mesh{{vec3(NAN)}, {{0, 0, 0}}}, max_leaf_size);
  }
}

TEST_P(StructureOnEachBackend, SavesTheSameBytesWhateverMemoryHeldBefore) {
  for (const Mesh& mesh : {mesh_with_invalid_triangles(), generate_random(100, 0.1f), Mesh{}}) {
    for (const u32 max_leaf_size : {1u, 4u}) {
      std::string saved[2];
      for (const u8 filling : {0, 1}) {
        FilledMemory memory(context(), filling == 0 ? 0xff : 0x25);
        Context filled({.backend = GetParam(), .stream = context().stream(), .memory = &memory});
        saved[filling] = save(filled, mesh, max_leaf_size);
      }
      EXPECT_EQ(saved[0], saved[1]) << mesh.triangles.size() << " triangles, leaves of " << max_leaf_size;
    }
  }
}

TEST_P(StructureOnEachBackend, RoundTripsTheBundledMeshLarge) {
  expect_round_trip(load_mesh("assets/testball.ply"), 4);
}

TEST_P(StructureOnEachBackend, LoadedTreesCanBeValidatedRefittedAndRebuilt) {
  const Mesh mesh = mesh_with_invalid_triangles();
  StructureFile file = load(save(mesh, 4));
  const DeviceMesh device_mesh(context(), file.mesh);
  EXPECT_EQ(validate(context(), file.bvh, device_mesh.view()).message(), "valid");
  refit(context(), file.bvh, device_mesh.view());
  EXPECT_EQ(validate(context(), file.bvh, device_mesh.view()).message(), "valid");
  rebuild(context(), file.bvh, device_mesh.view(), LbvhOptions{.max_leaf_size = 1});
  EXPECT_EQ(validate(context(), file.bvh, device_mesh.view()).message(), "valid");
}

class StructureFileTest : public StructureOnEachBackend {};
INSTANTIATE_TEST_SUITE_P(, StructureFileTest, testing::Values(Backend::cpu), backend_test_name);

/// A file whose parts can be changed; then it is put together with a right checksum.
struct OpenFile {
  explicit OpenFile(const std::string& bytes) : bytes(bytes) {
    std::memcpy(&header, bytes.data(), sizeof header);
    StructureWideHeader wide;
    std::memcpy(&wide, bytes.data() + sizeof header, sizeof wide);
    layout = StructureLayout::of(header, wide);
  }

  template <class T>
  T& at(u64 offset, u64 i) {
    return *reinterpret_cast<T*>(bytes.data() + offset + i * sizeof(T));
  }
  u32& node_word(u64 node, u64 word) { return at<u32>(layout.nodes, 8 * node + word); }
  u32& first(u64 node) { return node_word(node, 3); }
  u32& count(u64 node) { return node_word(node, 7); }
  u32& parent(u64 pair) { return at<u32>(layout.parents, pair); }
  u32& id(u64 slot) { return at<u32>(layout.primitive_ids, slot); }
  u32& index(u64 i) { return at<u32>(layout.triangles, i); }
  float& coordinate(u64 i) { return at<float>(layout.positions, i); }

  u64 find_node(bool is_leaf) {
    u64 i = 1;
    while ((count(i) > 0) != is_leaf) ++i;
    return i;
  }

  std::string sealed() {
    std::memcpy(bytes.data(), &header, sizeof header);
    return test::sealed(bytes);
  }

  std::string bytes;
  StructureHeader header;
  StructureLayout layout;
};

TEST_P(StructureFileTest, SealingAnUnchangedFileChangesNothing) {
  const std::string bytes = save(generate_cube());
  EXPECT_EQ(OpenFile(bytes).sealed(), bytes);
}

TEST_P(StructureFileTest, RejectsOtherFiles) {
  const std::string bytes = save(generate_cube());
  const auto expect_error = [&](const std::string& damaged, const std::string& part) {
    EXPECT_COPSE_ERROR(load(damaged), ErrorCode::bad_file, "b.copse: " + part);
  };
  expect_error("", "begins with ''");
  expect_error("ply\nformat", "begins with 'ply?form'");
  expect_error(bytes.substr(0, 50), "has 50 bytes; the header alone needs 96");
  expect_error(bytes.substr(0, 500), "has 500 bytes; its header promises " + std::to_string(bytes.size()));
  expect_error(bytes + "x", "has " + std::to_string(bytes.size() + 1) + " bytes; its header promises");
  OpenFile newer(bytes);
  newer.header.version = 5;
  expect_error(newer.sealed(), "has version 5; this Copse reads versions 1 to 4");
  std::string flipped = bytes;
  flipped[300] = char(flipped[300] ^ 4);
  expect_error(flipped, "block 0 of 1, from byte 0 on, has the checksum ");
  flipped = bytes;
  flipped.back() = char(flipped.back() ^ 4);
  expect_error(flipped, "its table of checksums has the checksum ");
}

TEST_P(StructureFileTest, RejectsCountsThatDoNotFit) {
  const std::string bytes = save(generate_cube());
  const auto expect_error = [&](const std::function<void(OpenFile&)>& change, const std::string& part) {
    OpenFile file(bytes);
    change(file);
    EXPECT_COPSE_ERROR(load(file.sealed()), ErrorCode::bad_file, part);
  };
  expect_error([](OpenFile& f) { f.header.vertex_count = ~u64{0}; }, "promises 18446744073709551615 vertices");
  expect_error([](OpenFile& f) { f.header.triangle_count = max_primitives + 1; }, "2147483649 triangles");
  expect_error([](OpenFile& f) { f.header.counts.node_count = 0xffffffff; }, "bytes; its counts need");
  expect_error([](OpenFile& f) { f.header.header_bytes = 64; }, "has a header of 64 bytes, not 128");
  expect_error([](OpenFile& f) { f.header.counts.invalid_count = 1; },
               "12 primitives in the tree and 1 left out are not the 12 triangles");
  expect_error([](OpenFile& f) { f.header.counts.leaf_count = 13; }, "13 leaves for 12 primitives");
  expect_error([](OpenFile& f) { f.header.counts.leaf_count = 11; }, "23 nodes for 11 leaves; 21 are needed");
  expect_error([](OpenFile& f) { std::memset(f.header.builder, 'x', 24); }, "has no end");
  expect_error([](OpenFile& f) { f.header.builder[10] = 'x'; }, "byte 82 is 120; it must be 0");
  expect_error([](OpenFile& f) { f.bytes[f.layout.primitive_ids - 1] = 1; }, " is 1; it must be 0");
}

TEST_P(StructureFileTest, RejectsTreesThatAreNone) {
  const std::string bytes = save(generate_cube());
  const auto expect_error = [&](const std::function<void(OpenFile&)>& change, const std::string& part) {
    OpenFile file(bytes);
    change(file);
    EXPECT_COPSE_ERROR(load(file.sealed()), ErrorCode::bad_file, part);
  };
  expect_error([](OpenFile& f) { f.first(0) = 2; }, "inner node 0 has children at 2");
  expect_error([](OpenFile& f) { f.first(0) = 23; }, "children at 23; they must stand at an odd place below 22");
  expect_error([](OpenFile& f) { f.first(0) = 0xffffffff; }, "children at 4294967295");
  expect_error([](OpenFile& f) { f.first(0) = f.first(f.find_node(false)); }, "inner node 0 has children at");
  expect_error([](OpenFile& f) { f.parent(3) += 1; }, "whose parent is");
  expect_error([](OpenFile& f) { f.first(f.find_node(true)) = 12; }, "holds slots 12 to 12 of 12");
  expect_error([](OpenFile& f) { f.first(f.find_node(true)) = 0xffffffff; },
               "holds slots 4294967295 to 4294967295");
  expect_error([](OpenFile& f) { f.count(f.find_node(true)) = 0xffffffff; }, "leaf ");
  expect_error([](OpenFile& f) { f.count(f.find_node(true)) = 2; }, "holds slot ");
  expect_error([](OpenFile& f) { f.count(0) = 12, f.first(0) = 0; }, "holds slot ");
  expect_error([](OpenFile& f) { f.count(f.find_node(true)) = 0; }, "inner node ");
  expect_error([](OpenFile& f) { f.id(4) = 12; }, "slot 4 holds triangle 12 of 12");
  expect_error([](OpenFile& f) { f.id(4) = f.id(3); }, "slot 4 holds triangle ");
  expect_error([](OpenFile& f) { f.index(7) = 8; }, "triangle 2 has vertex 8 of 8");
  expect_error([](OpenFile& f) { f.node_word(5, 0) = 0x7fc00000; }, "box of node 5 is neither finite nor empty");
  expect_error([](OpenFile& f) { f.node_word(5, 4) = 0xff800000; }, "box of node 5 is neither finite nor empty");
}

TEST_P(StructureFileTest, RejectsCoordinatesThatAreNotFinite) {
  const std::string bytes = save(generate_cube());
  for (const auto& [value, name] : {std::pair(INFINITY, "inf"), {-INFINITY, "-inf"}, {NAN, "nan"}}) {
    OpenFile file(bytes);
    file.coordinate(3 * 7 + 1) = value;
    EXPECT_COPSE_ERROR(load(file.sealed()), ErrorCode::bad_file,
                       std::string("of the tree has vertex 7, whose y is ") + name + "; it must be finite");
  }
}

TEST_P(StructureFileTest, RejectsCyclesApartFromTheRoot) {
  // Node 2 has a pair whose first node has the pair of node 2: each has one parent, but the root does not reach
  // them.
  OpenFile file(save(generate_random(3, 0.1f)));
  ASSERT_EQ(file.header.counts.node_count, 5u);
  file.first(0) = 0, file.count(0) = 1;  // the root a leaf
  file.count(1) = 0, file.first(1) = 3, file.parent(1) = 1;
  file.count(3) = 0, file.first(3) = 1, file.parent(0) = 3;
  file.first(2) = 1, file.count(2) = 1;
  file.first(4) = 2, file.count(4) = 1;
  EXPECT_COPSE_ERROR(load(file.sealed()), ErrorCode::bad_file, "the root reaches 1 of 5 nodes");
}

TEST_P(StructureFileTest, RejectsATreeWithoutPrimitivesThatHasChildren) {
  OpenFile file(save(Mesh{}));
  file.first(0) = 1;
  EXPECT_COPSE_ERROR(load(file.sealed()), ErrorCode::bad_file, "not the empty box with children at 0");
}

TEST_P(StructureFileTest, AcceptsEmptyBoxes) {
  OpenFile file(save(generate_cube()));
  const u64 leaf = file.find_node(true);
  for (int k = 0; k < 3; ++k)
    file.node_word(leaf, u64(k)) = 0x7f800000, file.node_word(leaf, u64(4 + k)) = 0xff800000;
  EXPECT_EQ(load(file.sealed()).mesh.triangles.size(), 12u);
}

TEST_P(StructureFileTest, EveryTruncationIsRefused) {
  const std::string bytes = save(generate_cube(), 2);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_COPSE_ERROR(load(bytes.substr(0, size)), ErrorCode::bad_file, "b.copse");
  }
}

TEST_P(StructureFileTest, EveryFlippedByteIsRefused) {
  const std::string bytes = save(generate_cube(), 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = char(damaged[i] ^ mask);
      EXPECT_COPSE_ERROR(load(damaged), ErrorCode::bad_file, "b.copse");
    }
  }
}

TEST_P(StructureFileTest, ForgedWordsAreRefusedOrGiveASafeTree) {
  // The checksum is right, so that the checks after it are tested.
  const std::string bytes = save(generate_random(5, 0.1f), 2);
  for (u64 word = sizeof(StructureHeader) / 4; word < bytes.size() / 4; ++word) {
    for (const u32 value : {0u, 1u, 2u, 3u, 5u, 7u, 0x7fc00000u, 0x80000000u, 0xffffffffu}) {
      OpenFile file(bytes);
      file.at<u32>(0, word) = value;
      try {
        const StructureFile loaded = load(file.sealed());
        const DeviceMesh device_mesh(context(), loaded.mesh);
        const ValidationReport report = validate(context(), loaded.bvh, device_mesh.view());
        EXPECT_EQ(report.count("bad_counts") + report.count("bad_indices") + report.count("unreached_nodes") +
                      report.count("repeated_primitives"),
                  0u);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_file) << error.what();
      }
    }
  }
}

TEST_P(StructureFileTest, RefusesToSaveWhatCouldNotBeLoaded) {
  const Mesh cube = generate_cube();
  const DeviceMesh device_mesh(context(), cube);
  const Bvh bvh = build(context(), device_mesh.view(), LbvhOptions{});
  const auto save_as = [&](const Mesh& mesh, const Bvh& tree, const std::string& builder) {
    save_structure(folder_ / "x.copse", context(), mesh, tree, builder, 63, 1);
  };
  EXPECT_COPSE_ERROR(save_as(cube, bvh, std::string(24, 'n')), ErrorCode::invalid_argument,
                     "has 24 characters; it can have at most 23");
  EXPECT_COPSE_ERROR(save_as(cube, Bvh{}, "lbvh"), ErrorCode::invalid_argument, "never made");
  EXPECT_COPSE_ERROR(save_as(generate_grid(3), bvh, "lbvh"), ErrorCode::invalid_argument,
                     "are not the 18 triangles");
  Mesh broken = cube;
  broken.triangles[3].y = 99;
  EXPECT_COPSE_ERROR(save_as(broken, bvh, "lbvh"), ErrorCode::invalid_argument, "triangle 3 has vertex 99 of 8");
  Mesh endless = cube;
  endless.positions[5].z = INFINITY;
  EXPECT_COPSE_ERROR(save_as(endless, bvh, "lbvh"), ErrorCode::invalid_argument, "vertex 5, whose z is inf");
  EXPECT_EQ(folder_.file_count(), 0u);
}

TEST_P(StructureFileTest, NamesWhyItCannotSave) {
  const Mesh cube = generate_cube();
  const DeviceMesh device_mesh(context(), cube);
  const Bvh bvh = build(context(), device_mesh.view(), LbvhOptions{});
  EXPECT_COPSE_ERROR(save_structure("/dev/full", context(), cube, bvh, "lbvh", 63, 1), ErrorCode::bad_file,
                     "No space left on device");
  EXPECT_COPSE_ERROR(save_structure(folder_ / "none" / "x", context(), cube, bvh, "lbvh", 63, 1),
                     ErrorCode::bad_file, "No such file or directory");
}

}  // namespace
}  // namespace copse::test
