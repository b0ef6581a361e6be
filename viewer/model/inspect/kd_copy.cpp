#include <algorithm>

#include "trace/kd_walk.h"
#include "viewer/model/inspect/host_copies.h"

namespace copse::viewer {

namespace {

/// Tests the triangles of cells, and records the nodes of the walk.
struct RecordedKdCells {
  const std::vector<u32>& primitive_ids;
  detail::ClosestTriangle<detail::IndexedTriangles>& closest;
  std::vector<u32>& nodes;
  u32 test_count = 0, hit_leaf = invalid_id;

  void node(u32 id) { nodes.push_back(id); }

  bool leaf(u32 id, const SahKdNode& node, float& limit) {
    nodes.push_back(id);
    const float before = limit;
    const u32 closest_before = closest.closest;
    for (u32 k = 0; k < node.count(); ++k) {
      ++test_count;
      closest(primitive_ids[node.first() + k], limit);
    }
    if (limit != before || closest.closest != closest_before) hit_leaf = id;
    return false;
  }
};

class KdCopy : public HostCopy {
 public:
  explicit KdCopy(const SahKdTree& tree) : nodes_(tree.nodes.download()), bounds_(tree.bounds.download()) {
    tree_.primitive_ids = tree.primitive_ids.download();
    if (is_empty(bounds_[0])) return;
    tree_.nodes.resize(nodes_.size());
    tree_.nodes[0].box = bounds_[0];
    for (u32 i = 0; i < nodes_.size(); ++i) add(i);
  }

  const TreeNodes* tree() const override { return &tree_; }

  Pick walk(const HostTriangles& triangles, const Ray& ray) const override {
    const TriangleTable table = TriangleTable::of(triangles.view());
    detail::ClosestTriangle<detail::IndexedTriangles> closest{detail::triangles_of(table), ray};
    std::vector<u32> visited;
    RecordedKdCells record{tree_.primitive_ids, closest, visited};
    const SahKdView view{{nodes_.data(), nodes_.size()},
                         {tree_.primitive_ids.data(), tree_.primitive_ids.size()},
                         {bounds_.data(), 1}};
    const float limit = detail::walk_kd_cells(view, ray, record);
    Pick pick;
    pick.ray = ray;
    pick.hit = closest.hit(limit);
    pick.point = ray.origin + pick.hit.t * ray.direction;
    pick.leaf = record.hit_leaf;
    pick.primitive_tests = record.test_count;
    for (const u32 id : visited) {
      const TreeNode& node = tree_.nodes[id];
      pick.visited.push_back(
          {id, node.depth, node.box, enter_box(node.box, ray), nodes_[id].is_leaf(), node.primitive_count});
    }
    return pick;
  }

 private:
  /// Adds what a node tells of itself and of its children, which stand behind it. Their boxes are their cells.
  void add(u32 id) {
    const SahKdNode node = nodes_[id];
    TreeNode& here = tree_.nodes[id];
    tree_.depth = std::max(tree_.depth, here.depth);
    if (node.is_leaf()) {
      here.first_primitive = node.first();
      here.primitive_count = node.count();
      return;
    }
    here.first_child = u32(tree_.children.size());
    here.child_count = 2;
    for (u32 k = 0; k < 2; ++k) {
      TreeNode& below = tree_.nodes[node.first_child() + k];
      below.box = here.box;
      (k == 0 ? below.box.hi : below.box.lo)[int(node.axis())] = node.plane();
      below.parent = id;
      below.depth = here.depth + 1;
      tree_.children.push_back(node.first_child() + k);
    }
  }

  std::vector<SahKdNode> nodes_;
  std::vector<Aabb> bounds_;
  TreeNodes tree_;
};

}  // namespace

std::unique_ptr<HostCopy> copy_kd_tree(const SahKdTree& tree) {
  return std::make_unique<KdCopy>(tree);
}

}  // namespace copse::viewer
