// CPU and CUDA make the same wide trees, byte for byte.

#include "builders/bvh/collapse.h"
#include "builders/bvh/hploc.h"
#include "builders/bvh/lbvh.h"
#include "tests/support/backends.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/shuffled_bvh.h"
#include "tests/support/wide_bvh.h"

namespace copse::test {

template <class Tree>
void expect_wide_agreement(Context& cpu, const Bvh& cpu_bvh, Context& cuda, const Bvh& cuda_bvh,
                           const std::string& name) {
  for (u32 leaf : {1u, 3u}) {
    const CollapseOptions options{.max_leaf_size = leaf};
    const WideCopy expected(collapse<Tree>(cpu, cpu_bvh, options)), found(collapse<Tree>(cuda, cuda_bvh, options));
    ASSERT_TRUE(same_bytes(expected.nodes, found.nodes)) << name << ", nodes, leaf " << leaf;
    ASSERT_TRUE(same_bytes(expected, found)) << name << ", leaf " << leaf;
  }
}

void expect_wide_agreement(Context& cpu, Context& cuda, const Mesh& mesh, const std::string& name) {
  const DeviceMesh cpu_mesh(cpu, mesh), cuda_mesh(cuda, mesh);
  for (u32 leaf : {1u, 2u}) {
    const LbvhOptions lbvh{.max_leaf_size = leaf};
    const HplocOptions hploc{.max_leaf_size = leaf};
    const Bvh cpu_trees[] = {build(cpu, cpu_mesh.view(), lbvh), build(cpu, cpu_mesh.view(), hploc)};
    const Bvh cuda_trees[] = {build(cuda, cuda_mesh.view(), lbvh), build(cuda, cuda_mesh.view(), hploc)};
    for (u32 i = 0; i < 2; ++i) {
      expect_wide_agreement<Bvh4>(cpu, cpu_trees[i], cuda, cuda_trees[i], name + ", bvh4");
      expect_wide_agreement<CompressedBvh4>(cpu, cpu_trees[i], cuda, cuda_trees[i], name + ", cbvh4");
      expect_wide_agreement<CompressedBvh8>(cpu, cpu_trees[i], cuda, cuda_trees[i], name + ", cbvh8");
    }
  }
}

class WideBackendsAgree : public testing::Test {
 protected:
  void SetUp() override {
    COPSE_SKIP_WITHOUT_GPU();
    cpu_.emplace(ContextOptions{.backend = Backend::cpu});
    cuda_.emplace(ContextOptions{.backend = Backend::cuda});
  }
  std::optional<Context> cpu_, cuda_;
};

TEST_F(WideBackendsAgree, OnHardMeshes) {
  for (const NamedMesh& hard : hard_meshes()) expect_wide_agreement(*cpu_, *cuda_, hard.mesh, hard.name);
}

TEST_F(WideBackendsAgree, OnLargeGeneratedMeshes) {
  expect_wide_agreement(*cpu_, *cuda_, generate_random(1000000, 0.002f), "random");
  expect_wide_agreement(*cpu_, *cuda_, generate_hairball(2000, 100), "hairball");
}

TEST_F(WideBackendsAgree, WhereRelativesStandFarApart) {
  const Mesh mesh = generate_random(300000, 0.005f);
  const DeviceMesh cpu_mesh(*cpu_, mesh), cuda_mesh(*cuda_, mesh);
  const Bvh cpu_tree = shuffled_pairs(*cpu_, build(*cpu_, cpu_mesh.view(), HplocOptions{}), 1);
  const Bvh cuda_tree = shuffled_pairs(*cuda_, build(*cuda_, cuda_mesh.view(), HplocOptions{}), 1);
  expect_wide_agreement<CompressedBvh4>(*cpu_, cpu_tree, *cuda_, cuda_tree, "cbvh4");
  expect_wide_agreement<CompressedBvh8>(*cpu_, cpu_tree, *cuda_, cuda_tree, "cbvh8");
}

}  // namespace copse::test
