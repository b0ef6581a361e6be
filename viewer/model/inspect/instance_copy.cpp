#include "viewer/model/inspect/instance_copy.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>

#include "trace/traverse.h"

namespace copse::viewer {

namespace {

/// The box around a box that an instance moves, by its centre and half extents.
Aabb moved_box(const Instance& instance, const Aabb& box) {
  const vec3 centre = (box.lo + box.hi) * 0.5f, half = (box.hi - box.lo) * 0.5f;
  vec3 middle, reach;
  for (int row = 0; row < 3; ++row) {
    const float* const m = instance.rows[row];
    middle[row] = m[0] * centre.x + m[1] * centre.y + m[2] * centre.z + m[3];
    reach[row] = std::abs(m[0]) * half.x + std::abs(m[1]) * half.y + std::abs(m[2]) * half.z;
  }
  // More than what rounding of these sums takes away.
  reach += 1e-6f * (glm::abs(middle) + reach);
  return {middle - reach, middle + reach};
}

/// Adds the nodes of meshes below the leaves of the upper tree.
class TwoLevelTree {
 public:
  explicit TwoLevelTree(const TreeNodes& top) : tree_(top) { tree_.primitive_ids.clear(); }

  /// Replaces a leaf of the upper level by the root of a mesh.
  void add_mesh(u32 leaf, const TreeNodes& mesh, const Instance& instance, u32 first_triangle) {
    const u32 first_id = add_ids(mesh.primitive_ids, first_triangle);
    const u32 base = u32(tree_.nodes.size());
    const u32 depth = tree_.nodes[leaf].depth;
    for (const TreeNode& source : mesh.nodes) {
      TreeNode node = source;
      node.box = moved_box(instance, source.box);
      node.parent = source.parent == invalid_id ? leaf : base + source.parent;
      node.depth = depth + 1 + source.depth;
      node.first_child += u32(tree_.children.size());
      node.first_primitive += first_id;
      tree_.depth = std::max(tree_.depth, node.depth);
      tree_.nodes.push_back(node);
    }
    for (const u32 child : mesh.children) tree_.children.push_back(base + child);
    TreeNode& above = tree_.nodes[leaf];
    above.first_primitive = above.primitive_count = 0;
    above.first_child = u32(tree_.children.size());
    above.child_count = 1;
    tree_.children.push_back(base);
  }

  /// Makes a leaf of the upper level one of all triangles of its instance.
  void keep_leaf(u32 leaf, const TreeNodes& mesh, u32 first_triangle) {
    tree_.nodes[leaf].first_primitive = add_ids(mesh.primitive_ids, first_triangle);
    tree_.nodes[leaf].primitive_count = u32(mesh.primitive_ids.size());
  }

  u64 node_count() const { return tree_.nodes.size(); }
  TreeNodes take() { return std::move(tree_); }

 private:
  u32 add_ids(const std::vector<u32>& ids, u32 first_triangle) {
    const u32 first = u32(tree_.primitive_ids.size());
    for (const u32 id : ids) tree_.primitive_ids.push_back(first_triangle + id);
    return first;
  }

  TreeNodes tree_;
};

class InstanceCopy : public HostCopy {
 public:
  InstanceCopy(TreeNodes tree, u32 top_count) : tree_(std::move(tree)), top_count_(top_count) {}

  const TreeNodes* tree() const override { return &tree_; }

  u32 first_of_meshes() const override { return top_count_; }

  Pick walk(const HostTriangles& triangles, const Ray& ray) const override {
    const TriangleTable table = TriangleTable::of(triangles.view());
    const auto source = copse::detail::triangles_of(table);
    copse::detail::ClosestTriangle closest(source, ray);
    Pick pick;
    pick.ray = ray;
    float limit = ray.t_max;
    std::vector<u32> open;
    if (!tree_.nodes.empty()) open.push_back(0);
    while (!open.empty()) {
      const u32 number = open.back();
      open.pop_back();
      const TreeNode& node = tree_.nodes[number];
      const float entered = enter_box(node.box, ray);
      if (!(entered < ray.t_max) || entered > limit) continue;
      pick.visited.push_back({number, node.depth, node.box, entered, node.is_leaf(), node.primitive_count});
      for (u32 k = 0; k < node.primitive_count; ++k) {
        const float before = limit;
        closest(tree_.primitive_ids[node.first_primitive + k], limit);
        if (limit < before) pick.leaf = number;
        ++pick.primitive_tests;
      }
      for (u32 k = node.child_count; k-- > 0;) open.push_back(tree_.children[node.first_child + k]);
    }
    pick.hit = closest.hit(limit);
    pick.point = ray.origin + pick.hit.t * ray.direction;
    return pick;
  }

 private:
  TreeNodes tree_;
  u32 top_count_;
};

}  // namespace

std::unique_ptr<HostCopy> copy_instances(const TreeNodes& top, std::span<const std::unique_ptr<HostCopy>> meshes,
                                         const std::vector<Instance>& instances,
                                         const std::vector<u32>& first_triangles) {
  TwoLevelTree both(top);
  for (u32 number = 0; number < top.nodes.size(); ++number) {
    if (!top.nodes[number].is_leaf()) continue;
    const u32 instance = top.primitive_ids[top.nodes[number].first_primitive];
    const TreeNodes& mesh = *meshes[instances[instance].accel]->tree();
    const bool has_room = !mesh.nodes.empty() && both.node_count() + mesh.nodes.size() <= max_copied_nodes;
    if (has_room) {
      both.add_mesh(number, mesh, instances[instance], first_triangles[instance]);
    } else {
      both.keep_leaf(number, mesh, first_triangles[instance]);
    }
  }
  return std::make_unique<InstanceCopy>(both.take(), u32(top.nodes.size()));
}

}  // namespace copse::viewer
