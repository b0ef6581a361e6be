#include "builders/io/structure/structure_check.h"

#include <vector>

#include "builders/geometry/primitive_set.h"
#include "primitives/core/counted.h"

namespace copse::detail {

namespace {

using std::to_string;

bool is_finite_or_empty(const Aabb& box) {
  return is_valid(box) || box == Aabb::empty();
}

u64 place_count(const StructureArrays& a) {
  return u64{a.counts.primitive_count} + a.counts.invalid_count;
}

/// More primitives in the tree than triangles: a tree with splits, where a triangle may be in several leaves.
bool has_splits(const StructureArrays& a) {
  return place_count(a) > a.mesh.triangle_count;
}

std::string find_count_fault(const StructureArrays& a) {
  const BvhCounts& c = a.counts;
  const std::string fault = find_sum_fault(a);
  if (!fault.empty()) return fault;
  if (c.leaf_count > c.primitive_count || (c.leaf_count == 0 && c.primitive_count > 0)) {
    return counted(c.leaf_count, "leaves") + " for " + counted(c.primitive_count, "primitives");
  }
  const u64 node_count = c.leaf_count == 0 ? 0 : 2 * u64{c.leaf_count} - 1;
  if (c.node_count != node_count) {
    return counted(c.node_count, "nodes") + " for " + counted(c.leaf_count, "leaves") + "; " +
           to_string(node_count) + " are needed";
  }
  return "";
}

std::string find_root_fault(const BvhNode& root) {
  if (root.count != 0 || root.first != 0 || !(root.box() == Aabb::empty())) {
    return "the root of a tree without primitives is not the empty box with children at 0";
  }
  return "";
}

std::string find_leaf_fault(const StructureArrays& a, u64 i, NumberSet& slots) {
  const BvhNode& leaf = a.nodes[i];
  if (u64{leaf.first} + leaf.count > a.primitive_ids.size()) {
    return "leaf " + to_string(i) + " holds slots " + to_string(leaf.first) + " to " +
           to_string(u64{leaf.first} + leaf.count - 1) + " of " + to_string(a.primitive_ids.size());
  }
  for (u64 slot = leaf.first; slot < u64{leaf.first} + leaf.count; ++slot) {
    if (!slots.insert(slot))
      return "leaf " + to_string(i) + " holds slot " + to_string(slot) + ", as another leaf does";
  }
  return "";
}

std::string find_inner_fault(const StructureArrays& a, u64 i) {
  const u32 children = a.nodes[i].first;
  if (children % 2 == 0 || u64{children} + 1 >= a.nodes.size()) {
    return "inner node " + to_string(i) + " has children at " + to_string(children) +
           "; they must stand at an odd place below " + to_string(a.nodes.size() - 1);
  }
  const u32 parent = a.parents[sibling_pair(children)];
  if (parent != i) {
    return "inner node " + to_string(i) + " has children at " + to_string(children) + ", whose parent is " +
           to_string(parent);
  }
  return "";
}

std::string find_node_fault(const StructureArrays& a) {
  NumberSet slots(a.primitive_ids.size());
  u64 leaf_count = 0, slot_count = 0;
  for (u64 i = 0; i < a.nodes.size(); ++i) {
    if (!is_finite_or_empty(a.nodes[i].box()))
      return "the box of node " + to_string(i) + " is neither finite nor empty";
    const bool is_leaf = a.nodes[i].is_leaf();
    std::string fault = is_leaf ? find_leaf_fault(a, i, slots) : find_inner_fault(a, i);
    if (!fault.empty()) return fault;
    leaf_count += is_leaf;
    slot_count += a.nodes[i].count;
  }
  // There are as many inner nodes as pairs, and no pair has two parents, so every pair has one parent.
  if (leaf_count != a.counts.leaf_count) {
    return counted(leaf_count, "leaves") + " among the nodes; the header promises " +
           to_string(a.counts.leaf_count);
  }
  if (slot_count != a.primitive_ids.size()) {
    return "the leaves hold " + to_string(slot_count) + " of " + counted(a.primitive_ids.size(), "primitives");
  }
  return "";
}

/// Returns how many nodes a walk from the root visits. Each node but the root has one parent, so the walk ends.
u64 count_reached(std::span<const BvhNode> nodes) {
  u64 reached = 0;
  std::vector<u32> waiting = {0};
  while (!waiting.empty()) {
    const BvhNode& node = nodes[waiting.back()];
    waiting.pop_back();
    ++reached;
    if (node.is_leaf()) continue;
    waiting.push_back(node.first + 1);
    waiting.push_back(node.first);
  }
  return reached;
}

std::string find_id_fault(const StructureArrays& a) {
  NumberSet ids(a.mesh.triangle_count);
  u64 distinct_count = 0;
  for (u64 slot = 0; slot < a.primitive_ids.size(); ++slot) {
    const u32 id = a.primitive_ids[slot];
    if (id >= a.mesh.triangle_count) {
      return "slot " + to_string(slot) + " holds triangle " + to_string(id) + " of " +
             to_string(a.mesh.triangle_count);
    }
    const bool is_new = ids.insert(id);
    if (!is_new && !has_splits(a))
      return "slot " + to_string(slot) + " holds triangle " + to_string(id) + " again";
    distinct_count += is_new;
  }
  return find_distinct_fault(distinct_count, a.counts.invalid_count, a.mesh.triangle_count);
}

}  // namespace

std::string find_distinct_fault(u64 distinct_count, u64 invalid_count, u64 triangle_count) {
  if (distinct_count + invalid_count == triangle_count) return "";
  return counted(distinct_count, "primitives") + " in the tree and " + to_string(invalid_count) +
         " left out are not the " + counted(triangle_count, "triangles") + " of the mesh";
}

std::string find_sum_fault(const StructureArrays& a) {
  if (has_splits(a) && a.counts.primitive_count > 0) {
    if (place_count(a) <= max_primitives) return "";
    return to_string(place_count(a)) + " references to triangles; at most " + to_string(max_primitives) +
           " fit in one tree";
  }
  return find_distinct_fault(a.counts.primitive_count, a.counts.invalid_count, a.mesh.triangle_count);
}

std::string find_vertex_fault(const StructureArrays& a) {
  for (u64 i = 0; i < a.mesh.triangle_count; ++i) {
    const uvec3 ids = a.mesh.vertex_ids(i);
    for (int k = 0; k < 3; ++k) {
      if (ids[k] >= a.mesh.vertex_count) {
        return "triangle " + to_string(i) + " has vertex " + to_string(ids[k]) + " of " +
               to_string(a.mesh.vertex_count);
      }
    }
  }
  return "";
}

/// Builders leave triangles with infinite or NaN coordinates out of the tree.
std::string find_coordinate_fault(const StructureArrays& a) {
  for (const u32 id : a.primitive_ids) {
    const uvec3 ids = a.mesh.vertex_ids(id);
    for (int k = 0; k < 3; ++k) {
      const u32 vertex = ids[k];
      const vec3 p = a.mesh.position(vertex);
      if (is_finite(p)) continue;
      const int axis = !is_finite(p.x) ? 0 : !is_finite(p.y) ? 1 : 2;
      return "triangle " + to_string(id) + " of the tree has vertex " + to_string(vertex) + ", whose " +
             "xyz"[axis] + " is " + to_string(p[axis]) + "; it must be finite";
    }
  }
  return "";
}

std::string find_structure_fault(const StructureArrays& arrays) {
  std::string fault = find_count_fault(arrays);
  if (fault.empty()) fault = find_vertex_fault(arrays);
  if (!fault.empty()) return fault;
  if (arrays.counts.node_count == 0) return find_root_fault(arrays.nodes[0]);

  fault = find_node_fault(arrays);
  if (fault.empty()) fault = find_id_fault(arrays);
  if (fault.empty()) fault = find_coordinate_fault(arrays);
  if (!fault.empty()) return fault;
  const u64 reached = count_reached(arrays.nodes);
  if (reached == arrays.nodes.size()) return "";
  return "the root reaches " + to_string(reached) + " of " + counted(arrays.nodes.size(), "nodes");
}

}  // namespace copse::detail
