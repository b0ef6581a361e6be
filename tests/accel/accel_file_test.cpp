// Structure files of an Accel, and of the mesh that it was built over.

#include "accel/accel_file.h"

#include <cstring>

#include "builders/bvh/hploc.h"
#include "builders/bvh/validate.h"
#include "builders/geometry/generate.h"
#include "builders/io/structure/structure_layout.h"
#include "builders/io/structure_file.h"
#include "tests/accel/accels.h"
#include "tests/builders/io/sealed_file.h"
#include "tests/support/hard_meshes.h"

namespace copse {
namespace {

using detail::StructureHeader;
using detail::StructureWideHeader;
using test::DeviceMesh;
using test::sealed_with_word;

constexpr u64 quality_at = sizeof(StructureHeader) + offsetof(StructureWideHeader, quality);
constexpr u64 layout_at = sizeof(StructureHeader) + offsetof(StructureWideHeader, layout);
constexpr u64 zeros_at = sizeof(StructureHeader) + offsetof(StructureWideHeader, zeros);

Mesh joined(const std::vector<Mesh>& meshes) {
  Mesh all;
  for (const Mesh& mesh : meshes) {
    for (const uvec3& t : mesh.triangles) all.triangles.push_back(t + u32(all.positions.size()));
    all.positions.insert(all.positions.end(), mesh.positions.begin(), mesh.positions.end());
  }
  return all;
}

class AccelFiles : public test::OnEachBackend {
 protected:
  std::string save(const Mesh& mesh, const AccelOptions& options = {}) {
    const DeviceMesh device(context(), mesh);
    save_accel(folder_ / "a.copse", context(), mesh, build(context(), device.view(), options));
    return test::read_bytes(folder_ / "a.copse");
  }
  AccelFile load(const std::string& bytes) { return load_accel(folder_.write("b.copse", bytes), context()); }

  test::TemporaryFolder folder_;
};

TEST_P(AccelFiles, RoundTripByteForByte) {
  for (const Quality quality : test::all_qualities) {
    for (const test::NamedMesh& each : test::hard_meshes()) {
      SCOPED_TRACE(each.name);
      const std::string bytes = save(each.mesh, {.quality = quality});
      AccelFile file = load(bytes);
      EXPECT_EQ(file.accel.options().quality, quality);
      EXPECT_EQ(file.accel.triangle_count(), each.mesh.triangles.size());
      EXPECT_EQ(file.mesh.triangles, each.mesh.triangles);
      EXPECT_EQ(file.parts, std::vector<MeshPart>{{.triangle_count = each.mesh.triangles.size()}});
      const DeviceMesh device(context(), file.mesh);
      EXPECT_TRUE(validate(context(), file.accel.tree(), device.view()).is_valid());
      save_accel(folder_ / "c.copse", context(), file.mesh, file.accel, file.parts);
      EXPECT_EQ(test::read_bytes(folder_ / "c.copse"), bytes);
    }
  }
}

TEST_P(AccelFiles, RaysFindWhatTheyFoundBefore) {
  const Mesh mesh = generate_hairball(20, 30);
  const std::vector<Ray> rays = test::difficult_rays(mesh, 500, 7);
  const std::vector<Hit> expected = test::brute_force_hits({test::host_view(mesh)}, rays);
  AccelFile file = load(save(mesh));
  test::expect_hits(context(), file.accel, rays, expected, "loaded");
  compact(context(), file.accel);
  test::expect_hits(context(), file.accel, rays, expected, "loaded and compacted");
  save_accel(folder_ / "c.copse", context(), file.mesh, file.accel);
  EXPECT_EQ(test::read_bytes(folder_ / "c.copse"), test::read_bytes(folder_ / "a.copse"));
}

TEST_P(AccelFiles, ALoadedAccelCanBeRefittedAndNotRebuilt) {
  Mesh mesh = generate_sphere(4);
  AccelFile file = load(save(mesh));
  for (vec3& p : mesh.positions) p = p * vec3(2, 0.5f, 1);
  const DeviceMesh moved(context(), mesh);
  refit(context(), file.accel, moved.view());
  EXPECT_TRUE(validate(context(), file.accel.tree(), moved.view()).is_valid());
  EXPECT_COPSE_ERROR(rebuild(context(), file.accel, moved.view()), ErrorCode::invalid_argument, "was compacted");
  // The structure has moved, and the mesh of the file has not.
  EXPECT_COPSE_ERROR(save_accel(folder_ / "x.copse", context(), file.mesh, file.accel),
                     ErrorCode::invalid_argument, "has other vertices than the structure");
}

TEST_P(AccelFiles, SeveralViewsKeepTheirGeometriesAndMasks) {
  const std::vector<Mesh> meshes = {generate_sphere(2), Mesh{}, generate_random(200, 0.1f)};
  const std::vector<u32> masks = {1, ~u32{0}, 6};
  const test::SceneOfViews scene(context(), meshes, masks);
  std::vector<MeshPart> parts;
  for (u32 i = 0; i < 3; ++i) parts.push_back({meshes[i].triangles.size(), 10 + i, masks[i]});
  const Accel accel = build(context(), scene.device());
  const Mesh all = joined(meshes);
  save_accel(folder_ / "a.copse", context(), all, accel, parts);
  const AccelFile file = load_accel(folder_ / "a.copse", context());
  EXPECT_EQ(file.parts, parts);
  const std::vector<Ray> rays = test::difficult_rays(all, 300, 8);
  for (const u32 mask : {1u, 2u, ~0u}) {
    std::vector<Hit> expected;
    for (const Ray& ray : rays) expected.push_back(scene.hit(ray, mask));
    test::expect_hits(context(), file.accel, rays, expected, "mask " + std::to_string(mask), {.mask = mask});
  }

  const auto save_with = [&](const std::vector<MeshPart>& others) {
    save_accel(folder_ / "x.copse", context(), all, accel, others);
  };
  EXPECT_COPSE_ERROR(save_with({}), ErrorCode::invalid_argument, "of geometry 0, but in the structure it is");
  std::vector<MeshPart> others = parts;
  others[2].mask = 5;
  EXPECT_COPSE_ERROR(save_with(others), ErrorCode::invalid_argument,
                     "has the mask 5, but in the structure it has the mask 6");
  others[2] = {u64{1} << 63, 12, 6};
  EXPECT_COPSE_ERROR(save_with(others), ErrorCode::invalid_argument, "but the mesh has");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.copse"));
}

TEST_P(AccelFiles, EachLoadRefusesTheFilesOfTheOther) {
  const Mesh cube = generate_cube();
  const DeviceMesh device(context(), cube);
  save(cube);
  save_structure(folder_ / "tree.copse", context(), cube, build(context(), device.view(), HplocOptions{}), "hploc",
                 0, 1);
  EXPECT_TRUE(holds_accel(folder_ / "a.copse"));
  EXPECT_FALSE(holds_accel(folder_ / "tree.copse"));
  EXPECT_COPSE_ERROR(holds_accel(folder_ / "none.copse"), ErrorCode::bad_file, "cannot be opened");
  EXPECT_COPSE_ERROR(holds_accel(folder_.write("no.copse", "COPSE")), ErrorCode::bad_file, "is no structure file");
  EXPECT_COPSE_ERROR(load_structure(folder_ / "a.copse", context()), ErrorCode::bad_file,
                     "holds an Accel, which load_accel reads");
  EXPECT_COPSE_ERROR(load_accel(folder_ / "tree.copse", context()), ErrorCode::bad_file,
                     "holds a binary tree, which load_structure reads");
}

TEST_P(AccelFiles, RefusesToSaveWhatItCouldNotLoad) {
  const Mesh cube = generate_cube();
  const DeviceMesh device(context(), cube);
  const Accel accel = build(context(), device.view());
  const auto save_as = [&](const Mesh& mesh, const Accel& saved) {
    save_accel(folder_ / "x.copse", context(), mesh, saved);
  };
  EXPECT_COPSE_ERROR(save_as(cube, Accel{}), ErrorCode::invalid_argument,
                     "save_accel: the structure was never built");
  EXPECT_COPSE_ERROR(save_as(generate_sphere(1), accel), ErrorCode::invalid_argument,
                     "12 primitives in the tree and 0 left out are not the 80 triangles of the mesh");
  Mesh broken = cube;
  broken.triangles[3].y = 99;
  EXPECT_COPSE_ERROR(save_as(broken, accel), ErrorCode::invalid_argument, "triangle 3 has vertex 99 of 8");
  EXPECT_EQ(folder_.file_count(), 0u);
}

COPSE_ON_EACH_BACKEND(AccelFiles);

class AccelFileOnOneBackend : public AccelFiles {};
INSTANTIATE_TEST_SUITE_P(, AccelFileOnOneBackend, testing::Values(Backend::cpu), test::backend_test_name);

TEST_P(AccelFileOnOneBackend, DamageIsRefused) {
  const std::string bytes = save(generate_cube());
  for (size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_COPSE_ERROR(load(bytes.substr(0, size)), ErrorCode::bad_file, "b.copse");
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = char(damaged[i] ^ 0x81);
    EXPECT_COPSE_ERROR(load(damaged), ErrorCode::bad_file, "b.copse");
  }
}

TEST_P(AccelFileOnOneBackend, ForgedWordsAreRefusedOrGiveASafeTree) {
  const std::string bytes = save(generate_random(40, 0.1f));
  for (u64 at = 12; at < bytes.size(); at += 4) {
    for (const u32 value : {0u, 1u, 3u, 7u, 0x7fc00000u, 0xe0e0e0e0u, 0xffffffffu}) {
      try {
        const AccelFile file = load(sealed_with_word(bytes, at, value));
        const DeviceMesh mesh(context(), file.mesh);
        const ValidationReport report = validate(context(), file.accel.tree(), mesh.view());
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

TEST_P(AccelFileOnOneBackend, RejectsWhatItsHeaderMayNotSay) {
  const std::string bytes = save(generate_cube());
  const auto load_with = [&](u64 at, u32 value) { load(sealed_with_word(bytes, at, value)); };
  EXPECT_COPSE_ERROR(load_with(8, 5), ErrorCode::bad_file, "has version 5; this Copse reads versions 1 to 4");
  EXPECT_COPSE_ERROR(load_with(layout_at, 1), ErrorCode::bad_file, "has layout 1; an Accel has layout 2");
  EXPECT_COPSE_ERROR(load_with(quality_at, 3), ErrorCode::bad_file, "has quality 3; it can be 0 to 2");
  EXPECT_COPSE_ERROR(load_with(zeros_at, 1), ErrorCode::bad_file, "must be 0");
  EXPECT_COPSE_ERROR(load_with(48, 5), ErrorCode::bad_file, "5 nodes and 0 leaves of a binary tree");
  EXPECT_COPSE_ERROR(load_with(68, 1), ErrorCode::bad_file, "byte 68 is 1; it must be 0");
}

TEST_P(AccelFileOnOneBackend, RejectsPartsThatDoNotFitTheMesh) {
  const std::string bytes = save(generate_cube());
  const u64 part_at = bytes.size() - sizeof(u64) - detail::StructureLayout::alignment;
  EXPECT_COPSE_ERROR(load(sealed_with_word(bytes, part_at, 13)), ErrorCode::bad_file,
                     "a part of 13 triangles in a mesh of 12");
  EXPECT_COPSE_ERROR(load(sealed_with_word(bytes, part_at, 11)), ErrorCode::bad_file,
                     "parts of 11 triangles in all, but the mesh has 12");
}

}  // namespace
}  // namespace copse
