// Batches of meshes: byte for byte the structures of single builds, for builds, rebuilds and refits; views, and
// errors.

#include "accel/accel_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "accel/accel_rays.h"
#include "builders/bvh/packed_tree.h"
#include "builders/geometry/generate.h"
#include "primitives/core/graph.h"
#include "tests/accel/accels.h"
#include "tests/support/hard_meshes.h"

namespace copse {
namespace {

using test::DeviceMesh;

/// The parts of a structure that are in use, as bytes.
struct ViewCopy {
  WideBvhCounts counts;
  std::vector<CompressedBvh4Node> nodes;
  std::vector<u32> parents, ids;
  std::vector<PackedTriangle> triangles;
  std::vector<u32> masks;

  ViewCopy(Context& context, const AccelView& view) {
    counts = download(context, view.tree.counts)[0];
    nodes = download(context, view.tree.nodes.first(std::max(counts.node_count, 1u)));
    parents = download(context, view.tree.parents.first(std::max(counts.node_count, 1u)));
    ids = download(context, view.tree.primitive_ids.first(counts.primitive_count + counts.invalid_count));
    triangles = download(context, view.triangles.first(counts.primitive_count));
    if (view.masks != nullptr)
      masks = download(context, BufferSpan<const u32>(view.masks, counts.primitive_count));
  }

  std::string difference(const ViewCopy& other) const {
    if (std::memcmp(&counts, &other.counts, sizeof counts) != 0) return "counts";
    if (!test::same_bytes(nodes, other.nodes)) return "nodes";
    if (!test::same_bytes(parents, other.parents)) return "parents";
    if (!test::same_bytes(ids, other.ids)) return "ids";
    if (!test::same_bytes(triangles, other.triangles)) return "triangles";
    return "";
  }
};

/// Meshes in a context's memory, and their views.
struct Meshes {
  std::vector<Mesh> host;
  std::vector<DeviceMesh> device;
  std::vector<TriangleView> views;

  Meshes(Context& context, std::vector<Mesh> meshes) : host(std::move(meshes)) {
    for (u32 i = 0; i < host.size(); ++i) {
      device.emplace_back(context, host[i]);
      views.push_back(device.back().view(100 + i));
    }
  }
  /// Writes new positions for some meshes to the same memory.
  void move(u32 step, u32 every = 1) {
    for (u32 i = 0; i < host.size(); i += every) {
      for (u32 k = 0; k < host[i].positions.size(); ++k) {
        host[i].positions[k] = host[i].positions[k] * 1.25f + vec3(float(k % (step + 2)) * 0.01f);
      }
      device[i].positions.upload(host[i].positions);
    }
  }
};

std::vector<Mesh> hard_meshes_in_order() {
  std::vector<Mesh> meshes;
  for (const test::NamedMesh& each : test::hard_meshes()) meshes.push_back(each.mesh);
  return meshes;
}

/// Meshes of mixed sizes: many of a few triangles, some with several tiles and blocks of the builder.
std::vector<Mesh> mixed_meshes(u32 count) {
  std::vector<Mesh> meshes;
  for (u32 i = 0; i < count; ++i) {
    const u32 n = i % 97 == 96 ? 3000 : i % 13 == 12 ? 400 + i : i * 7 % 20;
    meshes.push_back(generate_random(n, 0.1f));
  }
  return meshes;
}

constexpr AccelBatchOptions all_batch_options[] = {
    {BatchBuilder::hploc}, {BatchBuilder::lbvh}, {BatchBuilder::balanced}};

class AccelBatches : public test::OnEachBackend {
 protected:
  /// The structure that a mesh has alone.
  ViewCopy alone(const TriangleView& mesh, BatchBuilder builder) {
    if (builder != BatchBuilder::lbvh) {
      const Quality quality = builder == BatchBuilder::hploc ? Quality::fast : Quality::balanced;
      return ViewCopy(context(), build(context(), mesh, {.quality = quality}).view());
    }
    CompressedBvh4 tree;
    PackedTriangles packed;
    detail::make_packed(context(), mesh.triangle_count(), 1, tree, packed);
    detail::build_packed(context(), tree, packed, mesh, {.builder = LbvhOptions{.morton_bits = 0}});
    return ViewCopy(context(), AccelView{tree.view(), packed.triangles.span(), nullptr});
  }

  void expect_single_builds(const Meshes& meshes, const AccelBatch& batch, const std::string& name) {
    const BatchBuilder builder = batch.options().builder;
    for (u32 i = 0; i < meshes.views.size(); ++i) {
      const std::string differs = ViewCopy(context(), batch.view(i)).difference(alone(meshes.views[i], builder));
      ASSERT_EQ(differs, "") << name_of(builder) << ", " << name << ", mesh " << i << " of "
                             << meshes.views[i].triangle_count();
    }
  }

  void expect_builds_of_mixed_sizes(BatchBuilder builder) {
    Meshes meshes(context(), mixed_meshes(400));
    AccelBatch batch = build_batch(context(), meshes.views, {builder});
    expect_single_builds(meshes, batch, "build");
    meshes.move(1);
    rebuild(context(), batch);
    expect_single_builds(meshes, batch, "rebuild");
  }
};

TEST_P(AccelBatches, EqualSingleBuildsOverHardMeshes) {
  Meshes meshes(context(), hard_meshes_in_order());
  for (const AccelBatchOptions& options : all_batch_options) {
    const AccelBatch batch = build_batch(context(), meshes.views, options);
    EXPECT_EQ(batch.mesh_count(), meshes.views.size());
    expect_single_builds(meshes, batch, "hard");
  }
}

TEST_P(AccelBatches, EqualHplocBuildsOfMixedSizes) {
  expect_builds_of_mixed_sizes(BatchBuilder::hploc);
}
TEST_P(AccelBatches, EqualLbvhBuildsOfMixedSizes) {
  expect_builds_of_mixed_sizes(BatchBuilder::lbvh);
}
TEST_P(AccelBatches, EqualBalancedBuildsOfMixedSizes) {
  expect_builds_of_mixed_sizes(BatchBuilder::balanced);
}

/// Batches of small meshes alone, which CUDA sorts and refits by a block each, for every number of threads.
TEST_P(AccelBatches, EqualSingleBuildsOfSmallMeshes) {
  for (const u32 most : {1, 32, 33, 65, 257, 1024}) {
    std::vector<Mesh> all;
    for (const u32 n : {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 129, 200, 257, 512, 1000, 1023, 1024}) {
      if (n <= most) all.push_back(generate_random(n, 0.2f));
    }
    for (const Mesh& mesh : hard_meshes_in_order()) {
      if (mesh.triangles.size() <= most) all.push_back(mesh);
    }
    Meshes meshes(context(), all);
    for (const BatchBuilder builder : {BatchBuilder::lbvh, BatchBuilder::balanced}) {
      expect_single_builds(meshes, build_batch(context(), meshes.views, {builder}),
                           "at most " + std::to_string(most));
    }
    AccelBatch batch = build_batch(context(), meshes.views);
    expect_single_builds(meshes, batch, "at most " + std::to_string(most));
    std::vector<Accel> alone;
    for (const TriangleView& view : meshes.views) {
      alone.push_back(build(context(), view, {.quality = Quality::fast}));
    }
    meshes.move(1);
    refit(context(), batch);
    for (u32 i = 0; i < alone.size(); ++i) {
      refit(context(), alone[i], meshes.views[i]);
      ASSERT_EQ(ViewCopy(context(), batch.view(i)).difference(ViewCopy(context(), alone[i].view())), "")
          << i << " of at most " << most;
    }
  }
}

/// So many meshes, one of them of so many triangles, that numbers do not fit beside the keys.
TEST_P(AccelBatches, EqualSingleBuildsWhereNumbersAreSortedAlong) {
  std::vector<Mesh> all(33000);
  for (u32 i = 0; i < all.size(); i += 300) all[i] = generate_random(1 + i / 300, 0.1f);
  all[40] = generate_random(66000, 0.01f);
  const Meshes meshes(context(), {all[0], all[300], all[40], all[32700]});
  std::vector<TriangleView> views(all.size());
  for (u32 i = 0; i < 4; ++i) views[std::vector{0, 300, 40, 32700}[i]] = meshes.views[i];
  const AccelBatch batch = build_batch(context(), views);
  for (const u32 i : {0, 1, 40, 300, 32700, 32999}) {
    const Accel alone = build(context(), views[i], {.quality = Quality::fast});
    EXPECT_EQ(ViewCopy(context(), batch.view(i)).difference(ViewCopy(context(), alone.view())), "") << i;
  }
}

/// Refits of all meshes, and of every third one, of batches of a builder.
void expect_single_refits(Context& context, BatchBuilder builder, Quality quality) {
  std::vector<Mesh> all = mixed_meshes(200);
  for (const Mesh& mesh : hard_meshes_in_order()) all.push_back(mesh);
  Meshes meshes(context, all);
  AccelBatch batch = build_batch(context, meshes.views, {builder});
  std::vector<Accel> alone;
  for (const TriangleView& view : meshes.views) alone.push_back(build(context, view, {.quality = quality}));
  meshes.move(1);
  refit(context, batch);
  for (u32 i = 0; i < alone.size(); ++i) {
    refit(context, alone[i], meshes.views[i]);
    ASSERT_EQ(ViewCopy(context, batch.view(i)).difference(ViewCopy(context, alone[i].view())), "") << i;
  }
  // Only every third mesh is fitted, though all have moved.
  meshes.move(2);
  std::vector<u32> moved(alone.size(), 0);
  for (u32 i = 0; i < moved.size(); i += 3) moved[i] = i + 1;
  const Buffer<u32> device_moved(context, moved);
  refit(context, batch, device_moved.span());
  for (u32 i = 0; i < alone.size(); ++i) {
    if (moved[i] != 0) refit(context, alone[i], meshes.views[i]);
    ASSERT_EQ(ViewCopy(context, batch.view(i)).difference(ViewCopy(context, alone[i].view())), "") << i;
  }
}

TEST_P(AccelBatches, RefitsEqualSingleRefits) {
  expect_single_refits(context(), BatchBuilder::hploc, Quality::fast);
}

TEST_P(AccelBatches, RefitsOfBalancedOnesEqualSingleRefits) {
  expect_single_refits(context(), BatchBuilder::balanced, Quality::balanced);
}

/// Reinsertion moves nodes in some meshes and none in others, in the same launches.
TEST_P(AccelBatches, BalancedOnesDifferWhereReinsertionPays) {
  const Meshes meshes(context(), mixed_meshes(200));
  const AccelBatch fast = build_batch(context(), meshes.views);
  const AccelBatch balanced = build_batch(context(), meshes.views, {BatchBuilder::balanced});
  u32 equal_count = 0, other_count = 0;
  for (u32 i = 0; i < meshes.views.size(); ++i) {
    const bool is_equal =
        ViewCopy(context(), fast.view(i)).difference(ViewCopy(context(), balanced.view(i))).empty();
    ++(is_equal ? equal_count : other_count);
  }
  EXPECT_GT(equal_count, 10u);
  EXPECT_GT(other_count, 10u);
}

TEST_P(AccelBatches, LargeMeshesAreBuiltAlone) {
  const u32 limit = u32(detail::max_forest_tree);
  Meshes meshes(context(), {generate_random(5, 0.1f), generate_random(limit + 1, 0.01f), generate_random(3, 0.1f),
                            generate_random(limit, 0.01f)});
  for (const AccelBatchOptions& options : all_batch_options) {
    AccelBatch batch = build_batch(context(), meshes.views, options);
    expect_single_builds(meshes, batch, "large");
    meshes.move(1);
    rebuild(context(), batch);
    expect_single_builds(meshes, batch, "large, rebuilt");
    refit(context(), batch);
    EXPECT_EQ(batch.triangle_count(), 2 * limit + 9);
  }
}

TEST_P(AccelBatches, MasksAndRaysAreThoseOfTheMesh) {
  Meshes meshes(context(), {generate_sphere(2), generate_cube(), generate_grid(9)});
  meshes.views[1].mask = 2;
  const AccelBatch batch = build_batch(context(), meshes.views);
  const std::vector<AccelView> views = download(context(), batch.views());
  for (u32 i = 0; i < 3; ++i) {
    EXPECT_EQ(views[i].triangles.data(), batch.view(i).triangles.data());
    EXPECT_EQ(ViewCopy(context(), batch.view(i)).masks[0], i == 1 ? 2 : ~u32{0});
  }
  if (context().backend() != Backend::cpu) return;  // the host reads the views of the CPU alone
  for (const Ray& ray : test::difficult_rays(generate_sphere(2), 500, 3)) {
    for (u32 i = 0; i < 3; ++i) {
      TriangleView view = test::host_view(meshes.host[i]);
      view.geometry = 100 + i;
      const Hit expected =
          i == 1 ? Hit{ray.t_max, invalid_id, invalid_id, 0, 0} : test::brute_force_hit({view}, ray);
      EXPECT_TRUE(test::same_bits(closest_hit(batch.view(i), ray, 1), expected)) << i;
    }
  }
}

TEST_P(AccelBatches, RunInGraphs) {
  Meshes meshes(context(), mixed_meshes(100));
  const Buffer<u32> moved(context(), std::vector<u32>(100, 1));
  for (const AccelBatchOptions& options : all_batch_options) {
    AccelBatch batch = build_batch(context(), meshes.views, options);
    refit(context(), batch, moved.span());
    rebuild(context(), batch);
    Graph graph = context().capture([&] {
      rebuild(context(), batch);
      refit(context(), batch, moved.span());
    });
    meshes.move(3);
    graph.launch();
    expect_single_builds(meshes, batch, "graph");
  }
}

TEST_P(AccelBatches, ViewsOfOneIndexBuffer) {
  const Mesh sphere = generate_sphere(1), cube = generate_cube();
  Mesh all = sphere;
  all.positions.insert(all.positions.end(), cube.positions.begin(), cube.positions.end());
  all.triangles.insert(all.triangles.end(), cube.triangles.begin(), cube.triangles.end());
  const Meshes meshes(context(), {sphere, cube});
  const DeviceMesh together(context(), all);
  const std::vector<u64> triangle_begins{0, sphere.triangles.size(), sphere.triangles.size(),
                                         all.triangles.size()};
  const std::vector<u64> vertex_begins{0, sphere.positions.size(), sphere.positions.size(), all.positions.size()};
  const std::vector<TriangleView> views = mesh_views(together.view(100), triangle_begins, vertex_begins);
  ASSERT_EQ(views.size(), 3u);
  const AccelBatch batch = build_batch(context(), views);
  for (const auto& [mesh, i] : {std::pair{0, 0}, std::pair{1, 2}}) {
    TriangleView view = meshes.views[mesh];
    view.geometry = 100;
    const Accel alone = build(context(), view, {.quality = Quality::fast});
    EXPECT_EQ(ViewCopy(context(), batch.view(i)).difference(ViewCopy(context(), alone.view())), "") << i;
  }
  const TriangleView soup = TriangleView{.positions = {all.positions.data(), 12, sizeof(vec3)}};
  const std::vector<TriangleView> parts = mesh_views(soup, std::vector<u64>{0, 1, 4});
  EXPECT_EQ(parts[1].positions.data, all.positions.data() + 3);
  EXPECT_EQ(parts[1].triangle_count(), 3u);
}

TEST_P(AccelBatches, SizesAreKnown) {
  Meshes meshes(context(), mixed_meshes(300));
  std::vector<u64> counts;
  for (const TriangleView& view : meshes.views) counts.push_back(view.triangle_count());
  for (const AccelBatchOptions& options : all_batch_options) {
    const BuildSizes sizes = batch_sizes(context(), counts, options);
    Context fresh({.backend = GetParam()});
    fresh.reserve_scratch(sizes.scratch_bytes);
    const u64 reserved = fresh.scratch_bytes();
    AccelBatch batch = build_batch(fresh, meshes.views, options);
    refit(fresh, batch);
    EXPECT_EQ(batch.size_bytes(), sizes.result_bytes);
    EXPECT_EQ(fresh.scratch_bytes(), reserved);
  }
}

TEST_P(AccelBatches, RefusesWithTheValueAndTheLimit) {
  const ErrorCode invalid = ErrorCode::invalid_argument;
  Meshes meshes(context(), mixed_meshes(5));
  AccelBatch none, batch = build_batch(context(), meshes.views);
  EXPECT_COPSE_ERROR(rebuild(context(), none), invalid, "rebuild: the batch was never built");
  EXPECT_COPSE_ERROR(refit(context(), none), invalid, "refit: the batch was never built");
  EXPECT_COPSE_ERROR(batch.view(5), invalid, "mesh 5, but the batch has 5 meshes");
  const Buffer<u32> words(context(), 4);
  EXPECT_COPSE_ERROR(refit(context(), batch, words.span()), invalid,
                     "4 words of moved meshes, but the batch has 5 meshes");
  std::vector<TriangleView> views = meshes.views;
  views[3].positions.stride_bytes = 6;
  EXPECT_COPSE_ERROR(build_batch(context(), meshes.views, {BatchBuilder(7)}), invalid,
                     "build_batch: options.builder is 7; it can be 0 to 2: hploc, lbvh or balanced");
  EXPECT_COPSE_ERROR(build_batch(context(), views), invalid, "triangle view 3: positions are 6 bytes apart");
  const TriangleView all = meshes.views[4];  // 8 triangles
  EXPECT_COPSE_ERROR(mesh_views(all, std::vector<u64>{0, 9}), invalid,
                     "triangle_begins end at 9, but there are 8 triangles");
  EXPECT_COPSE_ERROR(mesh_views(all, std::vector<u64>{0, 4, 2}), invalid, "triangle_begins[2] is 2, below the 4");
  EXPECT_COPSE_ERROR(mesh_views(all, std::vector<u64>{0, 4}, std::vector<u64>{0}), invalid,
                     "1 vertex_begins, but 2 triangle_begins");
  EXPECT_EQ(build_batch(context(), {}).mesh_count(), 0u);
}

COPSE_ON_EACH_BACKEND(AccelBatches);

}  // namespace
}  // namespace copse
