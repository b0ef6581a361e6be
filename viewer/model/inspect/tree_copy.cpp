#include <algorithm>

#include "trace/traverse.h"
#include "viewer/model/inspect/host_copies.h"

namespace copse::viewer {

namespace {

// ---- Nodes of all layouts as HostNodes ------------------------------------------------------------------------

/// Adds the children of nodes from the root down. Depths and boxes of children follow from their parents.
class HostTreeMaker {
 public:
  explicit HostTreeMaker(u32 inner_count) { tree_.nodes.resize(inner_count); }

  HostNode& node(u32 number) { return tree_.nodes[number]; }

  void add_child(u32 parent, u32 child, const Aabb& box) {
    HostNode& above = tree_.nodes[parent];
    if (above.child_count == 0) above.first_child = u32(tree_.children.size());
    ++above.child_count;
    tree_.children.push_back(child);
    HostNode& below = tree_.nodes[child];
    below.box = box;
    below.parent = parent;
    below.depth = above.depth + 1;
    tree_.depth = std::max(tree_.depth, below.depth);
  }

  u32 add_node() {
    tree_.nodes.emplace_back();
    return u32(tree_.nodes.size() - 1);
  }

  void make_leaf(u32 number, u32 first, u32 count) {
    tree_.nodes[number].first_primitive = first;
    tree_.nodes[number].primitive_count = count;
  }

  HostTree take(std::vector<u32> primitive_ids) {
    tree_.primitive_ids = std::move(primitive_ids);
    return std::move(tree_);
  }

 private:
  HostTree tree_;
};

HostTree host_tree(const BvhView& view) {
  const u32 count = view.counts.data()->node_count;
  if (count == 0) return {};
  HostTreeMaker maker(count);
  maker.node(0).box = view.nodes.data()[0].box();
  std::vector<u32> open = {0};
  while (!open.empty()) {
    const u32 number = open.back();
    open.pop_back();
    const BvhNode node = view.nodes.data()[number];
    if (node.is_leaf()) {
      maker.make_leaf(number, node.first, node.count);
      continue;
    }
    for (u32 child = node.first; child < node.first + 2; ++child) {
      maker.add_child(number, child, view.nodes.data()[child].box());
      open.push_back(child);
    }
  }
  const u32* ids = view.primitive_ids.data();
  return maker.take({ids, ids + view.counts.data()->primitive_count});
}

template <class Node>
HostTree host_tree(const WideBvhView<Node>& view) {
  const u32 count = view.counts.data()->node_count;
  if (count == 0) return {};
  HostTreeMaker maker(count);
  maker.node(0).box = Aabb::empty();
  std::vector<u32> open = {0};
  while (!open.empty()) {
    const u32 number = open.back();
    open.pop_back();
    const Node& node = view.nodes.data()[number];
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = node.child(slot);
      if (child.is_nothing()) continue;
      const Aabb box = node.child_box(slot);
      if (number == 0) maker.node(0).box = merge(maker.node(0).box, box);
      const u32 below = child.is_leaf() ? maker.add_node() : child.first;
      maker.add_child(number, below, box);
      if (child.is_leaf()) {
        maker.make_leaf(below, child.first, child.count);
      } else {
        open.push_back(below);
      }
    }
  }
  const u32* ids = view.primitive_ids.data();
  return maker.take({ids, ids + view.counts.data()->primitive_count});
}

// ---- The traversal, with its steps recorded -------------------------------------------------------------------

struct Step {
  bool in_leaf;
  u32 number;  // of the node that was stepped through, or the place of a leaf's first tested primitive
};

/// A tree that records which nodes a traversal reads.
template <class Tree>
struct RecordedTree : Tree {
  std::vector<Step>* steps;

  RecordedTree(const Tree& tree, std::vector<Step>& all) : Tree(tree), steps(&all) {}

  template <class Stack>
  WideChild descend(const RaySlabs& slabs, float limit, u32 node, Stack& stack) const {
    steps->push_back({false, node});
    return Tree::descend(slabs, limit, node, stack);
  }
};

/// The test for the closest triangle. Records the leaves.
struct RecordedTest {
  static constexpr bool takes_places = true;

  detail::ClosestTriangle<detail::IndexedTriangles> closest;
  const u32* primitive_ids;
  std::vector<Step>& steps;
  u32 test_count = 0;

  bool operator()(u32 place, float& limit) {
    ++test_count;
    steps.push_back({true, place});
    return closest(primitive_ids[place], limit);
  }
};

/// The node of a step. A step in a binary tree reads a pair of siblings.
u32 stepped_node(const BvhView& view, u32 pair) {
  return view.parents.data()[sibling_pair(pair)];
}
template <class Node>
u32 stepped_node(const WideBvhView<Node>&, u32 node) {
  return node;
}

// ---- The copy -------------------------------------------------------------------------------------------------

template <class View>
class TreeCopy : public HostCopy {
 public:
  using Node = std::remove_cvref_t<decltype(*View{}.nodes.data())>;
  using Counts = std::remove_cvref_t<decltype(*View{}.counts.data())>;

  template <class Tree>
  explicit TreeCopy(const Tree& tree, u64 (*parent_count)(const Counts&)) {
    counts_ = tree.counts.download();
    nodes_ = tree.nodes.download(std::max<u64>(counts_[0].node_count, 1));
    parents_ = tree.parents.download(std::min(parent_count(counts_[0]), tree.parents.size()));
    primitive_ids_ = tree.primitive_ids.download(counts_[0].primitive_count);
    tree_ = host_tree(view());
    leaf_of_place_.resize(primitive_ids_.size(), invalid_id);
    for (u32 number = 0; number < tree_.nodes.size(); ++number) {
      const HostNode& node = tree_.nodes[number];
      for (u32 k = 0; k < node.primitive_count; ++k) leaf_of_place_[node.first_primitive + k] = number;
    }
  }

  const HostTree* tree() const override { return &tree_; }

  Pick walk(const HostTriangles& triangles, const Ray& ray) const override {
    const TriangleTable table = TriangleTable::of(triangles.view());
    std::vector<Step> steps;
    RecordedTest test{{detail::triangles_of(table), ray}, primitive_ids_.data(), steps};
    const auto device_tree = detail::tree_of(view());
    const RecordedTree<std::remove_const_t<decltype(device_tree)>> recorded(device_tree, steps);
    NoCounter counter;
    const float limit = detail::traverse_robust(recorded, ray, test, counter);
    Pick pick;
    pick.ray = ray;
    pick.hit = test.closest.hit(limit);
    pick.point = ray.origin + pick.hit.t * ray.direction;
    pick.primitive_tests = test.test_count;
    for (const Step& step : steps) add_step(pick, step, ray);
    for (u64 place = 0; is_hit(pick.hit) && place < primitive_ids_.size(); ++place) {
      if (primitive_ids_[place] == pick.hit.primitive) pick.leaf = leaf_of_place_[place];
    }
    return pick;
  }

 private:
  View view() const {
    return {{nodes_.data(), nodes_.size()},
            {parents_.data(), parents_.size()},
            {primitive_ids_.data(), primitive_ids_.size()},
            {counts_.data(), counts_.size()}};
  }

  /// All primitives of a leaf make one step.
  void add_step(Pick& pick, const Step& step, const Ray& ray) const {
    const u32 number = step.in_leaf ? leaf_of_place_[step.number] : stepped_node(view(), step.number);
    const bool is_new = pick.visited.empty() || pick.visited.back().node != number;
    if (!is_new) return;
    const HostNode& node = tree_.nodes[number];
    pick.visited.push_back(
        {number, node.depth, node.box, enter_box(node.box, ray), node.is_leaf(), node.primitive_count});
  }

  std::vector<Counts> counts_;
  std::vector<Node> nodes_;
  std::vector<u32> parents_, primitive_ids_, leaf_of_place_;
  HostTree tree_;
};

u64 pairs_of(const BvhCounts& counts) {
  return counts.node_count / 2;
}
u64 nodes_of(const WideBvhCounts& counts) {
  return counts.node_count;
}

}  // namespace

std::unique_ptr<HostCopy> copy_tree(const Bvh& tree) {
  return std::make_unique<TreeCopy<BvhView>>(tree, pairs_of);
}

template <class Node>
std::unique_ptr<HostCopy> copy_tree(const WideBvh<Node>& tree) {
  return std::make_unique<TreeCopy<WideBvhView<Node>>>(tree, nodes_of);
}

template std::unique_ptr<HostCopy> copy_tree(const Bvh4&);
template std::unique_ptr<HostCopy> copy_tree(const CompressedBvh4&);
template std::unique_ptr<HostCopy> copy_tree(const CompressedBvh8&);

}  // namespace copse::viewer
