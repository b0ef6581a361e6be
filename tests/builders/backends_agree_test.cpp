// CPU and CUDA build the same trees, byte for byte.

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "builders/bvh/refit.h"
#include "builders/bvh/sah.h"
#include "builders/bvh/validate.h"
#include "builders/io/mesh_file.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

namespace copse::test {

namespace fs = std::filesystem;

/// Builds the same tree on both backends and refits it, through `build(context, triangles)`.
template <class Build>
void expect_agreement(Context& cpu, Context& cuda, const Mesh& mesh, const std::string& name, const Build& build) {
  Mesh moved = mesh;
  for (vec3& p : moved.positions) p = vec3(p.z - p.y * 0.5f, p.x * 2, p.y + p.x * p.z);
  DeviceMesh cpu_mesh(cpu, mesh), cuda_mesh(cuda, mesh);
  Bvh cpu_bvh = build(cpu, cpu_mesh.view()), cuda_bvh = build(cuda, cuda_mesh.view());
  ASSERT_TRUE(same_bytes(BvhCopy(cpu_bvh), BvhCopy(cuda_bvh))) << name;
  ASSERT_TRUE(validate(cuda, cuda_bvh, cuda_mesh.view()).is_valid()) << name;

  cpu_mesh.positions.upload(moved.positions);
  cuda_mesh.positions.upload(moved.positions);
  refit(cpu, cpu_bvh, cpu_mesh.view());
  refit(cuda, cuda_bvh, cuda_mesh.view());
  ASSERT_TRUE(same_bytes(BvhCopy(cpu_bvh), BvhCopy(cuda_bvh))) << name << " after a refit";
}

void expect_agreement(Context& cpu, Context& cuda, const Mesh& mesh, const std::string& name) {
  for (u32 leaf : {1, 4}) {
    expect_agreement(cpu, cuda, mesh, "sah of " + name + ", leaf " + std::to_string(leaf),
                     [&](Context& context, const TriangleView& triangles) {
                       return build(context, triangles, SahOptions{.max_leaf_size = leaf});
                     });
  }
  for (u32 bits : {0, 30, 63}) {
    for (u32 leaf : {1, 4}) {
      const std::string of = name + ", " + std::to_string(bits) + " bits, leaf " + std::to_string(leaf);
      expect_agreement(cpu, cuda, mesh, "lbvh of " + of, [&](Context& context, const TriangleView& triangles) {
        return build(context, triangles, LbvhOptions{bits, leaf});
      });
      for (u32 radius : {4, 8}) {
        expect_agreement(cpu, cuda, mesh, "hploc of " + of, [&](Context& context, const TriangleView& triangles) {
          return build(context, triangles, HplocOptions{radius, bits, leaf});
        });
      }
    }
  }
}

class BackendsAgree : public testing::Test {
 protected:
  void SetUp() override {
    COPSE_SKIP_WITHOUT_GPU();
    cpu_.emplace(ContextOptions{.backend = Backend::cpu});
    cuda_.emplace(ContextOptions{.backend = Backend::cuda});
  }
  void expect_agreement_in(const fs::path& folder) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".obj" && ending != ".ply") continue;
      expect_agreement(*cpu_, *cuda_, load_mesh(entry.path()), entry.path().filename().string());
      ++mesh_count_;
    }
    EXPECT_GT(mesh_count_, 0u) << "no mesh in " << folder;
  }

  std::optional<Context> cpu_, cuda_;
  u32 mesh_count_ = 0;
};

TEST_F(BackendsAgree, OnHardMeshes) {
  for (const NamedMesh& hard : hard_meshes()) expect_agreement(*cpu_, *cuda_, hard.mesh, hard.name);
}

TEST_F(BackendsAgree, OnLargeBundledMeshes) {
  expect_agreement_in("assets");
}

TEST_F(BackendsAgree, OnLargeGeneratedMeshes) {
  expect_agreement(*cpu_, *cuda_, generate_random(1000000, 0.002f), "random");
  expect_agreement(*cpu_, *cuda_, generate_hairball(2000, 100), "hairball");
}

// Meshes whose neighbours are far apart, and meshes whose are not, above the size from which samples decide.
TEST_F(BackendsAgree, OnLargeSoupsWhateverTheirOrder) {
  constexpr u32 count = (1u << 22) + 1234;
  Mesh soup = generate_random(count, 0.002f), strands = generate_hairball(21000, 100);
  ASSERT_GT(strands.triangles.size(), size_t{1} << 22);
  for (u32 i = 0; i < 500; ++i) soup.positions[3 * (8000 * i + i)].y = std::nanf("");
  const Mesh* meshes[] = {&soup, &strands};
  for (const Mesh* mesh : meshes) {
    expect_agreement(*cpu_, *cuda_, *mesh, "lbvh", [](Context& context, const TriangleView& triangles) {
      return build(context, triangles, LbvhOptions{63, 1});
    });
    expect_agreement(*cpu_, *cuda_, *mesh, "hploc", [](Context& context, const TriangleView& triangles) {
      return build(context, triangles, HplocOptions{4, 0, 2});
    });
  }
}

TEST_F(BackendsAgree, OnLargeMeshesOfTheFolderNamedByCOPSE_TEST_MESHES) {
  const char* folder = std::getenv("COPSE_TEST_MESHES");
  if (folder == nullptr) GTEST_SKIP() << "COPSE_TEST_MESHES names no folder";
  expect_agreement_in(folder);
}

}  // namespace copse::test
