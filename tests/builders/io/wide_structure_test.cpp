// Structure files with a wide tree beside the binary one.

#include <cstring>

#include "builders/bvh/collapse.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "builders/io/structure/structure_layout.h"
#include "builders/io/structure_file.h"
#include "tests/builders/io/sealed_file.h"
#include "tests/support/backends.h"
#include "tests/support/wide_bvh.h"

namespace copse::test {
namespace {

using detail::StructureHeader;
using detail::StructureWideHeader;

constexpr u64 contents_at = sizeof(StructureHeader) + offsetof(StructureWideHeader, contents);

class WideStructure : public OnEachBackend {
 protected:
  template <class Tree>
  std::string save(const Mesh& mesh) {
    const DeviceMesh device_mesh(context(), mesh);
    const Bvh bvh = build(context(), device_mesh.view(), HplocOptions{});
    save_structure(folder_ / "a.copse", context(), mesh, bvh, "hploc", 63, 1, collapse<Tree>(context(), bvh));
    return read_bytes(folder_ / "a.copse");
  }
  StructureFile load(const std::string& bytes) {
    return load_structure(folder_.write("b.copse", bytes), context());
  }

  /// Saves, loads and saves again; the tree and the bytes must stay the same.
  template <class Tree>
  void expect_round_trip(const Mesh& mesh) {
    const DeviceMesh device_mesh(context(), mesh);
    const Bvh bvh = build(context(), device_mesh.view(), HplocOptions{});
    const Tree wide = collapse<Tree>(context(), bvh);
    const std::string bytes = save<Tree>(mesh);
    StructureFile file = load(bytes);
    ASSERT_TRUE(std::holds_alternative<Tree>(file.wide));
    EXPECT_TRUE(same_bytes(BvhCopy(file.bvh), BvhCopy(bvh)));
    EXPECT_TRUE(same_bytes(WideCopy(std::get<Tree>(file.wide)), WideCopy(wide)));
    EXPECT_EQ(file.bvh.max_leaf_size, 1u);
    save_structure(folder_ / "c.copse", context(), file.mesh, file.bvh, file.builder, 63, 1, file.wide);
    EXPECT_EQ(read_bytes(folder_ / "c.copse"), bytes);
    refit(context(), std::get<Tree>(file.wide), device_mesh.view());
    EXPECT_TRUE(same_bytes(WideCopy(std::get<Tree>(file.wide)), WideCopy(wide)));
  }

  template <class Tree>
  void expect_damage_to_be_refused() {
    const std::string bytes = save<Tree>(generate_cube());
    for (size_t size = 0; size < bytes.size(); size += 7) {
      EXPECT_COPSE_ERROR(load(bytes.substr(0, size)), ErrorCode::bad_file, "b.copse");
    }
    for (size_t i = 0; i < bytes.size(); ++i) {
      std::string damaged = bytes;
      damaged[i] = char(damaged[i] ^ 0x81);
      EXPECT_COPSE_ERROR(load(damaged), ErrorCode::bad_file, "b.copse");
    }
  }

  /// The checksum is right, so that the checks after it are tested.
  template <class Tree>
  void expect_forged_words_to_be_refused_or_safe() {
    const std::string bytes = save<Tree>(generate_random(40, 0.1f));
    for (u64 at = sizeof(StructureHeader); at < bytes.size(); at += 4) {
      for (const u32 value : {0u, 1u, 3u, 7u, 0x7fc00000u, 0xe0e0e0e0u, 0xffffffffu}) {
        std::string forged = bytes;
        std::memcpy(forged.data() + at, &value, 4);
        try {
          const StructureFile file = load(sealed(forged));
          const DeviceMesh mesh(context(), file.mesh);
          const ValidationReport report = validate(context(), std::get<Tree>(file.wide), mesh.view());
          EXPECT_EQ(report.count("bad_counts") + report.count("bad_indices") + report.count("unreached_nodes") +
                        report.count("repeated_primitives"),
                    0u)
              << at << ": " << report.message();
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::bad_file) << error.what();
        }
      }
    }
  }

  TemporaryFolder folder_;
};
COPSE_ON_EACH_BACKEND(WideStructure);

TEST_P(WideStructure, RoundTripsByteForByte) {
  for (const Mesh& mesh : {Mesh{}, generate_random(1, 0.1f), generate_cube(), generate_sphere(3)}) {
    expect_round_trip<Bvh4>(mesh);
    expect_round_trip<CompressedBvh4>(mesh);
    expect_round_trip<CompressedBvh8>(mesh);
  }
}

class WideStructureFile : public WideStructure {};
INSTANTIATE_TEST_SUITE_P(, WideStructureFile, testing::Values(Backend::cpu), backend_test_name);

TEST_P(WideStructureFile, DamageIsRefused) {
  expect_damage_to_be_refused<Bvh4>();
  expect_damage_to_be_refused<CompressedBvh8>();
}

TEST_P(WideStructureFile, ForgedWordsAreRefusedOrGiveASafeTree) {
  expect_forged_words_to_be_refused_or_safe<Bvh4>();
  expect_forged_words_to_be_refused_or_safe<CompressedBvh4>();
  expect_forged_words_to_be_refused_or_safe<CompressedBvh8>();
}

TEST_P(WideStructureFile, RejectsLayoutsThatThereAreNot) {
  for (const u32 layout : {4u, 0xffffffffu}) {
    std::string bytes = save<Bvh4>(generate_cube());
    std::memcpy(bytes.data() + sizeof(StructureHeader), &layout, 4);
    EXPECT_COPSE_ERROR(load(sealed(bytes)), ErrorCode::bad_file,
                       "of layout " + std::to_string(layout) + "; it can be 0 to 3");
  }
  const std::string bytes = save<Bvh4>(generate_cube());
  EXPECT_COPSE_ERROR(load(sealed_with_word(bytes, sizeof(StructureHeader), 0)), ErrorCode::bad_file,
                     "it must be 0");
  EXPECT_COPSE_ERROR(load(sealed_with_word(bytes, contents_at, 3)), ErrorCode::bad_file,
                     "has contents of kind 3; it can be 1 (a tree) or 2 (an Accel)");
}

TEST_P(WideStructureFile, RefusesToSaveTheWideTreeOfAnother) {
  const Mesh cube = generate_cube();
  const DeviceMesh device_mesh(context(), cube), other(context(), generate_sphere(2));
  const Bvh bvh = build(context(), device_mesh.view(), HplocOptions{});
  const auto save_with = [&](const AnyWideBvh& wide) {
    save_structure(folder_ / "x.copse", context(), cube, bvh, "hploc", 63, 1, wide);
  };
  EXPECT_COPSE_ERROR(save_with(Bvh4{}), ErrorCode::invalid_argument, "never made");
  EXPECT_COPSE_ERROR(save_with(collapse<Bvh4>(context(), build(context(), other.view(), HplocOptions{}))),
                     ErrorCode::invalid_argument, "primitives, the binary one 12");
  EXPECT_EQ(folder_.file_count(), 0u);
}

}  // namespace
}  // namespace copse::test
