#include <string>
#include <vector>

#include "builders/io/structure/structure_check.h"
#include "builders/io/structure/tree_layout.h"
#include "primitives/core/counted.h"

namespace copse::detail {

namespace {

using std::to_string;

constexpr u32 max_kd_levels = 60;

std::string find_vertex_fault(const TreeArrays& tree) {
  return find_vertex_fault(StructureArrays{
      .counts = {}, .nodes = {}, .parents = {}, .primitive_ids = {}, .mesh = {tree.positions, tree.triangles}});
}

bool is_valid_triangle(const TreeArrays& tree, u64 id) {
  const uvec3& t = tree.triangles[id];
  return is_finite(tree.positions[t.x]) && is_finite(tree.positions[t.y]) && is_finite(tree.positions[t.z]);
}

std::string find_element_fault(const TreeArrays& tree, u64 count, const char* kind) {
  if (count == tree.header.element_count) return "";
  return "the tree has " + to_string(tree.header.element_count) + " " + kind + ", but " + to_string(count) +
         " of the file have finite coordinates";
}

/// Bounds are finite, or those of an empty tree.
std::string find_bounds_fault(const TreeArrays& tree, const Aabb& of_nothing) {
  const Aabb& box = tree.header.bounds;
  if (tree.header.element_count == 0) return box == of_nothing ? "" : "a tree of nothing has bounds";
  const bool is_box = is_finite(box.lo) && is_finite(box.hi) && !is_empty(box);
  return is_box ? "" : "the bounds of the tree are no finite box";
}

/// The points of the tree are all finite ones, each once.
std::string find_point_fault(const TreeArrays& tree) {
  u64 finite_count = 0;
  for (const vec3& p : tree.positions) finite_count += is_finite(p);
  const std::string fault = find_element_fault(tree, finite_count, "points");
  if (!fault.empty()) return fault;
  NumberSet seen(tree.positions.size());
  for (u64 place = 0; place < tree.ids.size(); ++place) {
    const u32 id = tree.ids[place];
    const std::string name = "place " + to_string(place) + " holds point " + to_string(id);
    if (id >= tree.positions.size()) return name + " of " + to_string(tree.positions.size());
    if (!is_finite(tree.positions[id])) return name + ", which is not finite";
    if (!seen.insert(id)) return name + " again";
  }
  return "";
}

std::string find_count_fault(const char* what, u64 count, u64 expected) {
  if (count == expected) return "";
  return "there are " + to_string(count) + " " + what + "; a tree of this size has " + to_string(expected);
}

std::string find_point_bvh_fault(const TreeArrays& tree) {
  const PointBvhShape shape(tree.header.element_count);
  u64 node_count = 0;
  for (u32 depth = 0; depth <= shape.depth(); ++depth) node_count += shape.count_at(depth);
  std::string fault = find_count_fault("nodes", tree.header.node_count, node_count);
  if (fault.empty()) fault = find_bounds_fault(tree, {vec3(0), vec3(0)});
  for (u64 i = 0; i < tree.point_nodes.size() && fault.empty(); ++i) {
    const PointNode& node = tree.point_nodes[i];
    if (!is_finite(node.lo) || !is_finite(node.hi)) fault = "node " + to_string(i) + " has no finite box";
  }
  return fault;
}

/// Checks the nodes and lists of a kd-tree of triangles, in the order of the nodes: children follow their parent.
class KdChecker {
 public:
  explicit KdChecker(const TreeArrays& tree)
      : tree_(tree), level_of_(tree.kd_nodes.size(), not_reached), listed_(tree.ids.size()) {}

  std::string find_fault() {
    if (tree_.kd_nodes.empty()) return "there is no root";
    level_of_[0] = 0;
    for (u64 i = 0; i < tree_.kd_nodes.size(); ++i) {
      const SahKdNode& node = tree_.kd_nodes[i];
      if (level_of_[i] == not_reached) return "node " + to_string(i) + " is below no other node";
      const std::string fault = node.is_leaf() ? find_leaf_fault(i, node) : find_inner_fault(i, node);
      if (!fault.empty()) return fault;
      deepest_ = larger(deepest_, u32(level_of_[i]));
    }
    if (deepest_ != tree_.header.depth) {
      return "the deepest level is " + to_string(deepest_) + "; the header says " + to_string(tree_.header.depth);
    }
    return find_count_fault("entries in lists", tree_.ids.size(), listed_count_);
  }

 private:
  static constexpr u8 not_reached = 0xff;

  std::string find_inner_fault(u64 i, const SahKdNode& node) {
    const std::string name = "node " + to_string(i);
    const u64 child = node.first_child();
    if (child <= i || child + 1 >= tree_.kd_nodes.size()) {
      return name + " has the children " + to_string(child) + " and " + to_string(child + 1) + " of " +
             counted(tree_.kd_nodes.size(), "nodes") + "; they must follow it";
    }
    if (!is_finite(node.plane())) return name + " has a plane that is not finite";
    if (level_of_[i] == max_kd_levels) return name + " has children below level " + to_string(max_kd_levels);
    for (const u64 k : {child, child + 1}) {
      if (level_of_[k] != not_reached) return "node " + to_string(k) + " is below two nodes";
      level_of_[k] = u8(level_of_[i] + 1);
    }
    return "";
  }

  std::string find_leaf_fault(u64 i, const SahKdNode& node) {
    const u64 end = u64{node.first()} + node.count();
    if (end > tree_.ids.size()) {
      return "leaf " + to_string(i) + " ends at entry " + to_string(end) + " of " + to_string(tree_.ids.size());
    }
    for (u64 k = node.first(); k < end; ++k) {
      if (!listed_.insert(k)) return "entry " + to_string(k) + " is in two leaves";
    }
    listed_count_ += node.count();
    return "";
  }

  const TreeArrays& tree_;
  std::vector<u8> level_of_;
  NumberSet listed_;
  u64 listed_count_ = 0;
  u32 deepest_ = 0;
};

std::string find_triangle_fault(const TreeArrays& tree) {
  u64 valid_count = 0;
  for (u64 id = 0; id < tree.triangles.size(); ++id) valid_count += is_valid_triangle(tree, id);
  const std::string fault = find_element_fault(tree, valid_count, "triangles");
  if (!fault.empty()) return fault;
  for (u64 entry = 0; entry < tree.ids.size(); ++entry) {
    const u32 id = tree.ids[entry];
    const std::string name = "entry " + to_string(entry) + " is triangle " + to_string(id);
    if (id >= tree.triangles.size()) return name + " of " + to_string(tree.triangles.size());
    if (!is_valid_triangle(tree, id)) return name + ", which is not finite";
  }
  return "";
}

std::string find_sah_kd_fault(const TreeArrays& tree) {
  std::string fault = find_vertex_fault(tree);
  if (fault.empty()) fault = find_bounds_fault(tree, Aabb::empty());
  if (fault.empty()) fault = KdChecker(tree).find_fault();
  if (fault.empty()) fault = find_triangle_fault(tree);
  return fault;
}

}  // namespace

std::string find_tree_fault(const TreeArrays& tree) {
  const TreeHeader& header = tree.header;
  if (TreeKind(header.kind) == TreeKind::sah_kd_tree) return find_sah_kd_fault(tree);
  std::string fault;
  if (header.triangle_count > 0) fault = "a tree of points has " + counted(header.triangle_count, "triangles");
  if (fault.empty()) fault = find_count_fault("points in order", header.id_count, header.element_count);
  if (fault.empty() && header.depth != 0) fault = "a tree of points has depth " + to_string(header.depth);
  if (fault.empty()) fault = find_point_fault(tree);
  if (!fault.empty()) return fault;
  if (TreeKind(header.kind) == TreeKind::point_bvh) return find_point_bvh_fault(tree);
  fault = find_count_fault("nodes", header.node_count, 0);
  const bool has_bounds = !(header.bounds == Aabb{vec3(0), vec3(0)});
  return fault.empty() && has_bounds ? "a kd-tree of points has bounds" : fault;
}

}  // namespace copse::detail
