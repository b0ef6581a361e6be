// The nodes of trees, and the paths of rays through them.

#include <algorithm>
#include <cstring>

#include "capi/bridge/arrays.h"
#include "capi/bridge/layout_tree.h"

using namespace copse;
using namespace copse::capi;

namespace {

/// Returns the nodes of a tree in the order of levels. Where its children end, those of the next node begin.
std::vector<u32> level_order(const TreeNodes& tree) {
  std::vector<u32> order;
  order.reserve(tree.nodes.size());
  if (!tree.nodes.empty()) order.push_back(0);
  for (size_t i = 0; i < order.size(); ++i) {
    const TreeNode& node = tree.nodes[order[i]];
    for (u32 k = 0; k < node.child_count; ++k) order.push_back(tree.children[node.first_child + k]);
  }
  return order;
}

copse_tree_node node_of(const TreeNode& node) {
  copse_tree_node result{};
  for (int axis = 0; axis < 3; ++axis) {
    result.lower[axis] = node.box.lo[axis];
    result.upper[axis] = node.box.hi[axis];
  }
  result.depth = node.depth;
  result.child_count = node.child_count;
  result.first_triangle = node.first_primitive;
  result.triangle_count = node.primitive_count;
  return result;
}

Seen see(Context& context, const LayoutTree& all) {
  const Traced parts = traced(all);
  Seen seen{TreeCopy(context, parts.tree), {}, {}, {}, {}};
  const TreeNodes& tree = seen.copy.nodes();
  u64 place_count = 0;
  for (const TreeNode& node : tree.nodes) place_count += node.primitive_count;
  seen.packed = download(context, BufferSpan<const PackedTriangle>(parts.triangles.triangles.data(), place_count));
  for (const PackedTriangle& triangle : seen.packed) {
    seen.triangles.push_back({triangle.local_id, triangle.geometry});
  }
  const std::vector<u32> order = level_order(tree);
  seen.place_of.resize(order.size());
  for (u32 i = 0; i < order.size(); ++i) seen.place_of[order[i]] = i;
  u32 next_child = 1;
  for (const u32 number : order) {
    const TreeNode& node = tree.nodes[number];
    seen.nodes.push_back(node_of(node));
    seen.nodes.back().parent = node.parent == invalid_id ? COPSE_NO_ID : seen.place_of[node.parent];
    seen.nodes.back().first_child = node.child_count > 0 ? next_child : 0;
    next_child += node.child_count;
  }
  return seen;
}

/// Returns a tree on the host, which is copied at the first call. Waits for it then.
const Seen& seen_tree(const copse_context* context, Context& c, const copse_tree* tree) {
  const LayoutTree& object = object_of(context, tree, "tree");
  const std::lock_guard<std::mutex> guard(tree->seen_lock);
  if (!tree->seen) tree->seen.emplace(see(c, object));
  return *tree->seen;
}

template <class T>
void give(const std::vector<T>& array, const T** data, uint64_t* count) {
  *data = array.empty() ? nullptr : array.data();
  *count = array.size();
}

}  // namespace

copse_status copse_tree_nodes(copse_context* context, const copse_tree* tree, const copse_tree_node** nodes,
                              uint64_t* node_count) {
  return run("copse_tree_nodes", context, [&](Context& c) {
    require(nodes, "the nodes");
    require(node_count, "the number of nodes");
    give(seen_tree(context, c, tree).nodes, nodes, node_count);
  });
}

copse_status copse_tree_triangles(copse_context* context, const copse_tree* tree,
                                  const copse_tree_triangle** triangles, uint64_t* triangle_count) {
  return run("copse_tree_triangles", context, [&](Context& c) {
    require(triangles, "the triangles");
    require(triangle_count, "the number of triangles");
    give(seen_tree(context, c, tree).triangles, triangles, triangle_count);
  });
}

copse_status copse_tree_walk(copse_context* context, const copse_tree* tree, const copse_ray* ray,
                             copse_walk* walk, uint32_t* nodes, uint64_t room) {
  return run("copse_tree_walk", context, [&](Context& c) {
    require(ray, "the ray");
    check_array("nodes", nodes, room, sizeof(u32), COPSE_MEMORY_HOST, alignof(u32));
    const Seen& seen = seen_tree(context, c, tree);
    Ray from;
    std::memcpy(&from, ray, sizeof(from));
    const TreeWalk path =
        seen.copy.walk(BufferSpan<const PackedTriangle>(seen.packed.data(), seen.packed.size()), from);
    copse_walk result = COPSE_WALK_INIT;
    std::memcpy(&result.hit, &path.hit, sizeof(result.hit));
    result.leaf = path.leaf == invalid_id ? COPSE_NO_ID : seen.place_of[path.leaf];
    result.triangle_tests = path.primitive_tests;
    result.node_count = path.nodes.size();
    write_struct("copse_walk", result, walk);
    for (u64 i = 0; i < std::min<u64>(room, path.nodes.size()); ++i) nodes[i] = seen.place_of[path.nodes[i]];
  });
}
