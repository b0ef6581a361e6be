#include "trace/tree_copy.h"

#include <algorithm>
#include <type_traits>

#include "builders/geometry/triangle_table.h"
#include "primitives/core/buffer.h"
#include "trace/batch/check.h"
#include "trace/traverse.h"

namespace copse {

namespace {

// ---- Nodes of all layouts as TreeNodes ----------------------------------------------------------------------------

/// Adds the children of nodes from the root down. Depths and boxes of children follow from their parents.
class TreeNodesMaker {
 public:
  explicit TreeNodesMaker(u32 inner_count) { tree_.nodes.resize(inner_count); }

  TreeNode& node(u32 number) { return tree_.nodes[number]; }

  void add_child(u32 parent, u32 child, const Aabb& box) {
    TreeNode& above = tree_.nodes[parent];
    if (above.child_count == 0) above.first_child = u32(tree_.children.size());
    ++above.child_count;
    tree_.children.push_back(child);
    TreeNode& below = tree_.nodes[child];
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

  TreeNodes take(std::vector<u32> primitive_ids) {
    tree_.primitive_ids = std::move(primitive_ids);
    return std::move(tree_);
  }

 private:
  TreeNodes tree_;
};

TreeNodes nodes_of(const BvhView& view) {
  const u32 count = view.counts.data()->node_count;
  if (count == 0) return {};
  TreeNodesMaker maker(count);
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
  return maker.take({ids, ids + view.primitive_ids.size()});
}

template <class Node>
TreeNodes nodes_of(const WideBvhView<Node>& view) {
  const u32 count = view.counts.data()->node_count;
  if (count == 0) return {};
  TreeNodesMaker maker(count);
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
  return maker.take({ids, ids + view.primitive_ids.size()});
}

// ---- The traversal, with its steps recorded -----------------------------------------------------------------------

struct Step {
  bool in_leaf;
  u32 number;  // of the node that was stepped through, or the place of a tested primitive
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

/// The test for the closest triangle. Records the places that it tests, and that of the closest.
template <class Triangles>
struct RecordedTest {
  static constexpr bool takes_places = true;

  detail::ClosestTriangle<Triangles> closest;
  const u32* primitive_ids;
  std::vector<Step>& steps;
  u32 test_count = 0;
  u32 closest_place = invalid_id;

  bool operator()(u32 place, float& limit) {
    ++test_count;
    steps.push_back({true, place});
    const u32 before = closest.closest;
    const bool is_last = closest(Triangles::takes_places ? place : primitive_ids[place], limit);
    if (closest.closest != before) closest_place = place;
    return is_last;
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

template <class View, class Triangles>
TreeWalk recorded_walk(const View& view, const Triangles& triangles, const Ray& ray,
                       const std::vector<u32>& leaf_of_place) {
  std::vector<Step> steps;
  RecordedTest<Triangles> test{{triangles, ray}, view.primitive_ids.data(), steps};
  const auto tree = detail::tree_of(view);
  const RecordedTree<std::remove_const_t<decltype(tree)>> recorded(tree, steps);
  NoCounter counter;
  const float limit = detail::traverse_robust(recorded, ray, test, counter);
  TreeWalk walk;
  walk.hit = test.closest.hit(limit);
  walk.primitive_tests = test.test_count;
  if (test.closest_place != invalid_id) walk.leaf = leaf_of_place[test.closest_place];
  for (const Step& step : steps) {
    const u32 node = step.in_leaf ? leaf_of_place[step.number] : stepped_node(view, step.number);
    // All primitives of a leaf make one step.
    if (walk.nodes.empty() || walk.nodes.back() != node) walk.nodes.push_back(node);
  }
  return walk;
}

u64 parent_count(const BvhCounts& counts) {
  return counts.node_count / 2;
}
u64 parent_count(const WideBvhCounts& counts) {
  return counts.node_count;
}

template <class T>
std::vector<T> first_elements(Context& context, BufferSpan<const T> span, u64 count) {
  if (span.data() == nullptr) return {};
  return download(context, BufferSpan<const T>(span.data(), std::min(count, span.size())));
}

/// Returns for each place in leaf order the node of its leaf.
std::vector<u32> leaves_of_places(const TreeNodes& tree) {
  u64 place_count = 0;
  for (const TreeNode& node : tree.nodes) place_count += node.primitive_count;
  std::vector<u32> leaves(place_count, invalid_id);
  for (u32 number = 0; number < tree.nodes.size(); ++number) {
    const TreeNode& node = tree.nodes[number];
    for (u32 k = 0; k < node.primitive_count; ++k) leaves[node.first_primitive + k] = number;
  }
  return leaves;
}

}  // namespace

namespace detail {

/// The arrays of a tree on the host, of any layout.
class CopiedTree {
 public:
  virtual ~CopiedTree() = default;
  virtual TreeNodes nodes() const = 0;
  virtual TreeWalk walk(const TriangleTable& triangles, const Ray& ray, const std::vector<u32>& leaves) const = 0;
  virtual TreeWalk walk(BufferSpan<const PackedTriangle> triangles, const Ray& ray,
                        const std::vector<u32>& leaves) const = 0;
};

}  // namespace detail

namespace {

template <class View>
class CopiedArrays : public detail::CopiedTree {
 public:
  CopiedArrays(Context& context, const View& tree)
      : counts_(download(context, tree.counts)),
        nodes_(first_elements(context, tree.nodes, std::max<u64>(counts_[0].node_count, 1))),
        parents_(first_elements(context, tree.parents, parent_count(counts_[0]))),
        primitive_ids_(first_elements(context, tree.primitive_ids, counts_[0].primitive_count)) {}

  TreeNodes nodes() const override { return nodes_of(view()); }

  TreeWalk walk(const TriangleTable& triangles, const Ray& ray, const std::vector<u32>& leaves) const override {
    return recorded_walk(view(), detail::triangles_of(triangles), ray, leaves);
  }
  TreeWalk walk(BufferSpan<const PackedTriangle> triangles, const Ray& ray,
                const std::vector<u32>& leaves) const override {
    return recorded_walk(view(), detail::triangles_of(triangles), ray, leaves);
  }

 private:
  View view() const {
    return {{nodes_.data(), nodes_.size()},
            {parents_.data(), parents_.size()},
            {primitive_ids_.data(), primitive_ids_.size()},
            {counts_.data(), counts_.size()}};
  }

  std::vector<std::remove_cvref_t<decltype(*View{}.counts.data())>> counts_;
  std::vector<std::remove_cvref_t<decltype(*View{}.nodes.data())>> nodes_;
  std::vector<u32> parents_, primitive_ids_;
};

}  // namespace

TreeCopy::TreeCopy(Context& context, const TreeView& tree) {
  detail::check_tree("TreeCopy", tree);
  tree_ = std::visit(
      [&](const auto& view) -> std::unique_ptr<detail::CopiedTree> {
        return std::make_unique<CopiedArrays<std::remove_cvref_t<decltype(view)>>>(context, view);
      },
      tree);
  nodes_ = tree_->nodes();
  leaf_of_place_ = leaves_of_places(nodes_);
}

TreeCopy::TreeCopy(TreeCopy&& other) noexcept = default;
TreeCopy& TreeCopy::operator=(TreeCopy&& other) noexcept = default;
TreeCopy::~TreeCopy() = default;

TreeWalk TreeCopy::walk(const TriangleView& triangles, const Ray& ray) const {
  return tree_->walk(TriangleTable::of(triangles), ray, leaf_of_place_);
}

TreeWalk TreeCopy::walk(BufferSpan<const PackedTriangle> triangles, const Ray& ray) const {
  return tree_->walk(triangles, ray, leaf_of_place_);
}

}  // namespace copse
