// Forests with reinsertion: each tree has the bytes that it has alone, for any passes and any limit of areas.

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

TEST_P(Forests, ReinsertAsInEachTreeAlone) {
  const std::vector<Mesh> meshes = meshes_of_a_forest();
  std::vector<u32> begins{0};
  std::vector<Aabb> host_boxes;
  for (const Mesh& mesh : meshes) {
    const std::vector<Aabb> boxes = boxes_of(mesh);
    host_boxes.insert(host_boxes.end(), boxes.begin(), boxes.end());
    begins.push_back(u32(host_boxes.size()));
  }
  const Buffer<Aabb> boxes(context(), host_boxes);
  detail::Forest forest = detail::make_forest(context(), begins);
  const CollapseOptions collapse;
  for (const ReinsertOptions& reinsertion :
       {ReinsertOptions{1, 0}, ReinsertOptions{16, 0}, ReinsertOptions{2, 0.5f}, ReinsertOptions{5, 1.5f}}) {
    for (const auto builder : {detail::ForestBuilder::hploc, detail::ForestBuilder::lbvh}) {
      const detail::ForestOptions options{builder, reinsertion};
      dispatch(context(), [&](const auto& ex) {
        context().reserve_scratch(detail::build_trees_scratch_bytes(ex, forest.shape(), options));
        detail::build_trees(ex, forest.shape(), options, boxes.data(), collapse.max_leaf_size, forest.arrays());
      });
      detail::PackedBuildOptions single{.builder = HplocOptions{}, .reinsertion = reinsertion};
      if (builder == detail::ForestBuilder::lbvh) single.builder = LbvhOptions{.morton_bits = 0};
      for (u32 i = 0; i < meshes.size(); ++i) {
        ASSERT_TRUE(TreeBytes(context(), forest.view(i)) == alone(meshes[i], single))
            << "tree " << i << " of " << forest.size(i) << ", builder " << u32(builder) << ", "
            << reinsertion.passes << " passes, from " << reinsertion.min_parent_area;
      }
    }
  }
}

COPSE_ON_EACH_BACKEND(Forests);

}  // namespace
}  // namespace copse
