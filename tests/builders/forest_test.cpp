// Forests: each tree has the bytes that it has alone, with reinsertion for any passes and any limit of areas, and for all
// sizes around those up to which a block builds a tree on CUDA.

#include "builders/bvh/forest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "builders/bvh/packed_tree.h"
#include "builders/geometry/generate.h"
#include "primitives/core/dispatch.h"
#include "tests/support/backends.h"
#include "tests/support/device_mesh.h"
#include "tests/support/hard_meshes.h"

namespace copse {
namespace {

using test::DeviceMesh;
using test::same_bytes;

/// The parts of a wide tree that are in use.
struct TreeBytes {
  WideBvhCounts counts;
  std::vector<CompressedBvh4Node> nodes;
  std::vector<u32> parents, ids;

  TreeBytes(Context& context, const CompressedBvh4View& view) {
    counts = download(context, view.counts)[0];
    nodes = download(context, view.nodes.first(std::max(counts.node_count, 1u)));
    parents = download(context, view.parents.first(std::max(counts.node_count, 1u)));
    ids = download(context, view.primitive_ids.first(counts.primitive_count + counts.invalid_count));
  }
  bool operator==(const TreeBytes& other) const {
    return std::memcmp(&counts, &other.counts, sizeof counts) == 0 && same_bytes(nodes, other.nodes) &&
           same_bytes(parents, other.parents) && ids == other.ids;
  }
};

/// Strands, whose passes are often undone, among meshes of all kinds and sizes.
std::vector<Mesh> meshes_of_a_forest() {
  std::vector<Mesh> meshes;
  for (const u32 strands : {3, 8, 20}) meshes.push_back(generate_hairball(strands, 30));
  for (const test::NamedMesh& hard : test::hard_meshes()) meshes.push_back(hard.mesh);
  for (u32 n = 0; n < 60; ++n) meshes.push_back(generate_random(n, 0.3f));
  meshes.push_back(generate_random(5000, 0.05f));
  meshes.push_back(generate_sphere(4));
  return meshes;
}

std::vector<Aabb> boxes_of(const Mesh& mesh) {
  std::vector<Aabb> boxes;
  for (const uvec3& t : mesh.triangles) {
    const auto corner = [&](u32 vertex) { return clean_point(mesh.positions[vertex]); };
    boxes.push_back(bounds(Triangle{corner(t.x), corner(t.y), corner(t.z)}));
  }
  return boxes;
}

class Forests : public test::OnEachBackend {
 protected:
  TreeBytes alone(const Mesh& mesh, const detail::PackedBuildOptions& options) {
    const DeviceMesh device(context(), mesh);
    CompressedBvh4 tree;
    PackedTriangles packed;
    detail::make_packed(context(), mesh.triangles.size(), 1, tree, packed);
    detail::build_packed(context(), tree, packed, device.view(), options);
    return TreeBytes(context(), tree.view());
  }
};

/// The forest over some meshes.
struct ForestOf {
  Buffer<Aabb> boxes;
  detail::Forest forest;

  ForestOf(Context& context, const std::vector<Mesh>& meshes) {
    std::vector<u32> begins{0};
    std::vector<Aabb> host_boxes;
    for (const Mesh& mesh : meshes) {
      const std::vector<Aabb> own = boxes_of(mesh);
      host_boxes.insert(host_boxes.end(), own.begin(), own.end());
      begins.push_back(u32(host_boxes.size()));
    }
    boxes = Buffer<Aabb>(context, host_boxes);
    forest = detail::make_forest(context, begins);
  }

  void build(Context& context, const detail::ForestOptions& options) {
    dispatch(context, [&](const auto& ex) {
      context.reserve_scratch(detail::build_trees_scratch_bytes(ex, forest.shape(), options));
      detail::build_trees(ex, forest.shape(), options, boxes.data(), CollapseOptions{}.max_leaf_size,
                          forest.arrays());
    });
  }
};

detail::PackedBuildOptions options_alone(const detail::ForestOptions& options) {
  detail::PackedBuildOptions alone{.builder = HplocOptions{}, .reinsertion = options.reinsertion};
  if (options.builder == detail::ForestBuilder::lbvh) alone.builder = LbvhOptions{.morton_bits = 0};
  return alone;
}

TEST_P(Forests, ReinsertAsInEachTreeAlone) {
  const std::vector<Mesh> meshes = meshes_of_a_forest();
  ForestOf of(context(), meshes);
  for (const ReinsertOptions& reinsertion :
       {ReinsertOptions{1, 0}, ReinsertOptions{16, 0}, ReinsertOptions{2, 0.5f}, ReinsertOptions{5, 1.5f}}) {
    for (const auto builder : {detail::ForestBuilder::hploc, detail::ForestBuilder::lbvh}) {
      const detail::ForestOptions options{builder, reinsertion};
      of.build(context(), options);
      for (u32 i = 0; i < meshes.size(); ++i) {
        ASSERT_TRUE(TreeBytes(context(), of.forest.view(i)) == alone(meshes[i], options_alone(options)))
            << "tree " << i << " of " << of.forest.size(i) << ", builder " << u32(builder) << ", "
            << reinsertion.passes << " passes, from " << reinsertion.min_parent_area;
      }
    }
  }
}

/// Meshes of up to `most` triangles: random ones around the powers of two, strands, and hard ones.
std::vector<Mesh> meshes_up_to(u32 most) {
  std::vector<Mesh> meshes;
  for (u32 size = 1; size <= most; size *= 2) {
    for (const u32 n : {size - 1, size, size + 1}) meshes.push_back(generate_random(n, 0.2f));
  }
  for (const test::NamedMesh& hard : test::hard_meshes()) meshes.push_back(hard.mesh);
  for (const u32 pieces : {5u, 40u, 300u}) meshes.push_back(generate_hairball(3, pieces));
  std::erase_if(meshes, [&](const Mesh& mesh) { return mesh.triangles.size() > most; });
  return meshes;
}

TEST_P(Forests, OfEachSizeBuildAsEachTreeAlone) {
  for (const u32 most : {64, 65, 256, 257, 512, 513, 1024, 1025}) {
    const std::vector<Mesh> meshes = meshes_up_to(most);
    ForestOf of(context(), meshes);
    ASSERT_EQ(of.forest.shape().max_tree_size, most);
    for (const auto builder : {detail::ForestBuilder::hploc, detail::ForestBuilder::lbvh}) {
      const detail::ForestOptions options{builder};
      of.build(context(), options);
      for (u32 i = 0; i < meshes.size(); ++i) {
        ASSERT_TRUE(TreeBytes(context(), of.forest.view(i)) == alone(meshes[i], options_alone(options)))
            << "tree " << i << " of " << of.forest.size(i) << ", at most " << most << ", builder " << u32(builder);
      }
    }
  }
}

COPSE_ON_EACH_BACKEND(Forests);

}  // namespace
}  // namespace copse
