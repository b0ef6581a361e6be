// A tree that is packed as it is built or refitted is that of the separate calls, byte for byte.

#include "builders/bvh/packed_tree.h"

#include "builders/bvh/refit.h"
#include "builders/bvh/reinsert.h"
#include "tests/support/backends.h"
#include "tests/support/hard_meshes.h"
#include "tests/support/two_contexts.h"
#include "tests/support/wide_bvh.h"

namespace copse::test {

using detail::PackedBuildOptions;

/// The area of all inner nodes.
double inner_area(const Bvh& bvh) {
  double sum = 0;
  for (const BvhNode& node : BvhCopy(bvh).nodes) {
    if (node.is_leaf() || is_empty(node.box())) continue;
    const dvec3 size = dvec3(node.box().hi) - dvec3(node.box().lo);
    sum += size.x * size.y + size.y * size.z + size.z * size.x;
  }
  return sum;
}

/// A tree with its triangles, as build_packed makes it.
struct BuiltPacked {
  CompressedBvh4 tree;
  PackedTriangles packed;

  BuiltPacked(Context& context, const TriangleViews& triangles, const PackedBuildOptions& options) {
    detail::make_packed(context, triangles.primitive_count(), options.splits, tree, packed);
    detail::build_packed(context, tree, packed, triangles, options);
  }
  /// The same by one call after the other.
  static BuiltPacked by_steps(Context& context, const TriangleViews& triangles,
                              const PackedBuildOptions& options) {
    BuiltPacked built;
    const auto build_by = [&](AnyBuildOptions builder) {
      std::visit([&](auto& chosen) { chosen.splits = options.splits; }, builder);
      Bvh bvh = build(context, triangles, builder);
      if (options.reinsertion.passes > 0) reinsert(context, bvh, options.reinsertion);
      return bvh;
    };
    Bvh bvh = build_by(options.builder);
    if (options.alternative) {
      Bvh other = build_by(*options.alternative);
      if (inner_area(other) < 0.99 * inner_area(bvh)) bvh = std::move(other);
    }
    built.tree = collapse<CompressedBvh4>(context, bvh, options.collapse);
    built.packed = pack_triangles(context, built.tree.view(), triangles);
    return built;
  }
  void refit_by_steps(Context& context, const TriangleViews& triangles) {
    refit(context, tree, triangles);
    repack_triangles(context, packed, tree.view(), triangles);
  }

 private:
  BuiltPacked() = default;
};

/// The triangles in the tree, and their masks if there are any.
template <class T>
std::vector<T> in_tree(const Buffer<T>& buffer, u32 count) {
  return buffer.empty() ? std::vector<T>{} : buffer.download(count);
}

void expect_same(const BuiltPacked& expected, const BuiltPacked& found, const std::string& name) {
  const WideCopy tree(expected.tree), found_tree(found.tree);
  ASSERT_TRUE(same_bytes(tree, found_tree)) << name << ", tree";
  const u32 count = tree.counts.primitive_count;
  if (expected.tree.has_repeats()) {
    ASSERT_TRUE(same_bytes(expected.tree.repeats.download(count), found.tree.repeats.download(count)))
        << name << ", places";
  }
  ASSERT_TRUE(same_bytes(in_tree(expected.packed.triangles, count), in_tree(found.packed.triangles, count)))
      << name << ", triangles";
  ASSERT_TRUE(same_bytes(in_tree(expected.packed.masks, count), in_tree(found.packed.masks, count)))
      << name << ", masks";
}

std::vector<PackedBuildOptions> all_options() {
  return {{.builder = HplocOptions{}},
          {.builder = HplocOptions{.max_leaf_size = 2}, .reinsertion = {.passes = 1}},
          {.builder = LbvhOptions{.max_leaf_size = 9}, .collapse = {.max_leaf_size = 32}},
          {.builder = SahOptions{}, .reinsertion = {.passes = 2}, .collapse = {.max_leaf_size = 1}},
          {.builder = HplocOptions{},
           .alternative = SahOptions{},
           .reinsertion = {.passes = 1, .min_parent_area = 0.5f}},
          {.builder = HplocOptions{.max_leaf_size = 2},
           .alternative = SahOptions{},
           .splits = 1.5f,
           .reinsertion = {.passes = 1, .min_parent_area = 0.5f}}};
}

Mesh moved(Mesh mesh) {
  for (vec3& p : mesh.positions) p = vec3(p.y * 2, p.x - p.z, p.z + p.y);
  return mesh;
}

/// Some triangles of a mesh per view, with masks for all views or for none.
std::vector<TriangleView> views_of(const DeviceMesh& mesh, bool has_masks) {
  const u64 count = mesh.triangles.size();
  std::vector<TriangleView> views;
  for (u64 begin = 0, i = 0; begin < count; begin += count / 7 + 1, ++i) {
    TriangleView view = mesh.view(u32(100 + i));
    view.triangles = mesh.triangles.span().subspan(begin, std::min(count / 7 + 1, count - begin));
    if (has_masks) view.mask = u32(1 + i);
    views.push_back(view);
  }
  return views;
}

class PackedTree : public OnEachBackend {
 protected:
  void expect_steps(const TriangleViews& triangles, const std::string& name) {
    for (const PackedBuildOptions& options : all_options()) {
      expect_same(BuiltPacked::by_steps(context(), triangles, options), BuiltPacked(context(), triangles, options),
                  name);
    }
  }
};
COPSE_ON_EACH_BACKEND(PackedTree);

TEST_P(PackedTree, IsThatOfTheSteps) {
  for (const NamedMesh& hard : hard_meshes()) {
    const DeviceMesh mesh(context(), hard.mesh);
    expect_steps(mesh.view(), hard.name);
  }
}

TEST_P(PackedTree, IsThatOfTheStepsForSeveralViews) {
  const DeviceMesh mesh(context(), generate_random(3000, 0.05f));
  expect_steps(views_of(mesh, false), "no masks");
  expect_steps(views_of(mesh, true), "masks");
}

TEST_P(PackedTree, IsThatOfTheStepsLarge) {
  const DeviceMesh random(context(), generate_random(300000, 0.005f)),
      hair(context(), generate_hairball(3000, 50));
  for (const PackedBuildOptions& options : {all_options()[0], all_options()[2]}) {
    for (const DeviceMesh* mesh : {&random, &hair}) {
      expect_same(BuiltPacked::by_steps(context(), mesh->view(), options),
                  BuiltPacked(context(), mesh->view(), options), "large");
    }
  }
}

TEST_P(PackedTree, IsThatOfTheCheaperBuilder) {
  const DeviceMesh mesh(context(), generate_random(20000, 0.05f));
  const BuiltPacked lbvh(context(), mesh.view(), {.builder = LbvhOptions{}});
  const BuiltPacked sah(context(), mesh.view(), {.builder = SahOptions{}});
  const BuiltPacked taken(context(), mesh.view(), {.builder = LbvhOptions{}, .alternative = SahOptions{}});
  const BuiltPacked left(context(), mesh.view(), {.builder = SahOptions{}, .alternative = LbvhOptions{}});
  const BuiltPacked equal(context(), mesh.view(), {.builder = SahOptions{}, .alternative = SahOptions{}});
  EXPECT_FALSE(same_bytes(WideCopy(lbvh.tree), WideCopy(sah.tree)));
  expect_same(sah, taken, "the alternative is cheaper");
  expect_same(sah, left, "the alternative is dearer");
  expect_same(sah, equal, "the alternative is the same");
}

TEST_P(PackedTree, IsRefittedAsByTheSteps) {
  for (const NamedMesh& hard : hard_meshes()) {
    DeviceMesh mesh(context(), hard.mesh);
    for (const PackedBuildOptions& options : all_options()) {
      mesh.positions.upload(hard.mesh.positions);
      BuiltPacked expected(context(), mesh.view(), options), found(context(), mesh.view(), options);
      mesh.positions.upload(moved(hard.mesh).positions);
      expected.refit_by_steps(context(), mesh.view());
      detail::refit_packed(context(), found.tree, found.packed, mesh.view());
      expect_same(expected, found, hard.name);
    }
  }
}

TEST_P(PackedTree, IsRefittedAsByTheStepsLarge) {
  for (const Mesh& host : {generate_random(200000, 0.005f), generate_hairball(3000, 50), generate_grid(300)}) {
    DeviceMesh mesh(context(), host);
    BuiltPacked expected(context(), mesh.view(), {}), found(context(), mesh.view(), {});
    mesh.positions.upload(moved(host).positions);
    expected.refit_by_steps(context(), mesh.view());
    detail::refit_packed(context(), found.tree, found.packed, mesh.view());
    expect_same(expected, found, "large");
  }
}

TEST_P(PackedTree, TakesMasksWithARefit) {
  const DeviceMesh mesh(context(), generate_random(3000, 0.05f));
  BuiltPacked expected(context(), views_of(mesh, false), {}), found(context(), views_of(mesh, false), {});
  expected.refit_by_steps(context(), views_of(mesh, true));
  detail::refit_packed(context(), found.tree, found.packed, views_of(mesh, true));
  EXPECT_FALSE(found.packed.masks.empty());
  expect_same(expected, found, "masks");
}

TEST_P(PackedTree, IsRebuiltOverFewerTriangles) {
  const DeviceMesh large(context(), generate_random(3000, 0.05f)), small(context(), generate_sphere(3));
  BuiltPacked built(context(), large.view(), {});
  detail::build_packed(context(), built.tree, built.packed, small.view(), {});
  expect_same(BuiltPacked(context(), small.view(), {}), built, "fewer");
}

TEST_P(PackedTree, IsCaptured) {
  const Mesh host = generate_random(2000, 0.05f);
  DeviceMesh mesh(context(), host);
  BuiltPacked rebuilt(context(), mesh.view(), {}), refitted(context(), mesh.view(), {});
  const auto work = [&] {
    detail::build_packed(context(), rebuilt.tree, rebuilt.packed, mesh.view(), {});
    detail::refit_packed(context(), refitted.tree, refitted.packed, mesh.view());
  };
  work();
  Graph graph = context().capture(work);
  BuiltPacked expected(context(), mesh.view(), {});
  mesh.positions.upload(moved(host).positions);
  expected.refit_by_steps(context(), mesh.view());
  graph.launch();
  expect_same(expected, refitted, "refitted");
  expect_same(BuiltPacked(context(), mesh.view(), {}), rebuilt, "rebuilt");
}

TEST_P(PackedTree, TakesTheBytesThatItSays) {
  const DeviceMesh mesh(context(), generate_random(5000, 0.05f));
  for (const PackedBuildOptions& options : all_options()) {
    Context own({.backend = GetParam()});
    const DeviceMesh copy(own, generate_random(5000, 0.05f));
    const BuildSizes sizes = detail::packed_sizes(own, 5000, options, 1);
    const BuiltPacked built(own, copy.view(), options);
    EXPECT_EQ(sizes.result_bytes, built.tree.size_bytes() + built.packed.size_bytes());
    EXPECT_EQ(sizes.scratch_bytes, own.scratch_bytes());
  }
}

TEST_P(PackedTree, RefusesWhatHasNoRoom) {
  const DeviceMesh cube(context(), generate_cube()), sphere(context(), generate_sphere(2));
  BuiltPacked built(context(), cube.view(), {});
  EXPECT_COPSE_ERROR(detail::build_packed(context(), built.tree, built.packed, sphere.view(), {}),
                     ErrorCode::invalid_argument, "there is room for 12 places");
  EXPECT_COPSE_ERROR(detail::refit_packed(context(), built.tree, built.packed, sphere.view()),
                     ErrorCode::invalid_argument, "12 in the tree");
}

TEST_P(PackedTree, TwoContextsWorkAtOnce) {
  const Mesh host = generate_random(20000, 0.02f);
  on_two_contexts(GetParam(), [&](Context& own) {
    const DeviceMesh mesh(own, host);
    BuiltPacked built(own, mesh.view(), {});
    const BuiltPacked expected = BuiltPacked::by_steps(own, mesh.view(), {});
    for (int repeat = 0; repeat < 5; ++repeat) {
      detail::build_packed(own, built.tree, built.packed, mesh.view(), {});
      detail::refit_packed(own, built.tree, built.packed, mesh.view());
    }
    expect_same(expected, built, "two contexts");
  });
}

class PackedBackendsAgree : public testing::Test {};

TEST_F(PackedBackendsAgree, OnHardMeshes) {
  COPSE_SKIP_WITHOUT_GPU();
  Context cpu({.backend = Backend::cpu}), cuda({.backend = Backend::cuda});
  for (const NamedMesh& hard : hard_meshes()) {
    DeviceMesh cpu_mesh(cpu, hard.mesh), cuda_mesh(cuda, hard.mesh);
    BuiltPacked expected(cpu, cpu_mesh.view(), {}), found(cuda, cuda_mesh.view(), {});
    expect_same(expected, found, hard.name);
    cpu_mesh.positions.upload(moved(hard.mesh).positions);
    cuda_mesh.positions.upload(moved(hard.mesh).positions);
    detail::refit_packed(cpu, expected.tree, expected.packed, cpu_mesh.view());
    detail::refit_packed(cuda, found.tree, found.packed, cuda_mesh.view());
    expect_same(expected, found, hard.name + ", refitted");
  }
}

}  // namespace copse::test
