#include "trace/tree_copy.h"

#include "viewer/model/inspect/host_copies.h"

namespace copse::viewer {

namespace {

class CopyOfTree : public HostCopy {
 public:
  CopyOfTree(Context& context, const TreeView& tree) : copy_(context, tree) {}

  const TreeNodes* tree() const override { return &copy_.nodes(); }

  Pick walk(const HostTriangles& triangles, const Ray& ray) const override {
    const TreeWalk walk = copy_.walk(triangles.view(), ray);
    Pick pick;
    pick.ray = ray;
    pick.hit = walk.hit;
    pick.point = ray.origin + pick.hit.t * ray.direction;
    pick.leaf = walk.leaf;
    pick.primitive_tests = walk.primitive_tests;
    for (const u32 number : walk.nodes) {
      const TreeNode& node = copy_.nodes().nodes[number];
      pick.visited.push_back(
          {number, node.depth, node.box, enter_box(node.box, ray), node.is_leaf(), node.primitive_count});
    }
    return pick;
  }

 private:
  TreeCopy copy_;
};

}  // namespace

std::unique_ptr<HostCopy> copy_tree(Context& context, const TreeView& tree) {
  return std::make_unique<CopyOfTree>(context, tree);
}

}  // namespace copse::viewer
