#pragma once

// Wide trees on the host.

#include <algorithm>
#include <vector>

#include "builders/bvh/wide_bvh.h"
#include "tests/support/device_mesh.h"

namespace copse::test {

/// Returns the part of a wide tree that is in use, on the host.
template <class Node>
struct WideCopy {
  WideBvhCounts counts;
  std::vector<Node> nodes;
  std::vector<u32> parents;
  std::vector<u32> primitive_ids;

  explicit WideCopy(const WideBvh<Node>& tree)
      : counts(tree.counts.download()[0]),
        nodes(tree.nodes.download(std::max(counts.node_count, 1u))),
        parents(tree.parents.download(nodes.size())),
        primitive_ids(tree.primitive_ids.download(tree.place_count())) {}
};
template <class Node>
WideCopy(const WideBvh<Node>&) -> WideCopy<Node>;

template <class Node>
bool same_bytes(const WideCopy<Node>& a, const WideCopy<Node>& b) {
  return std::memcmp(&a.counts, &b.counts, sizeof a.counts) == 0 && same_bytes(a.nodes, b.nodes) &&
         same_bytes(a.parents, b.parents) && same_bytes(a.primitive_ids, b.primitive_ids);
}

/// Returns the boxes of a mesh's triangles as builders see them. The box is empty for a triangle that no tree
/// holds.
inline std::vector<Aabb> triangle_boxes(const Mesh& mesh) {
  std::vector<Aabb> boxes;
  for (const uvec3& t : mesh.triangles) {
    boxes.push_back(bounds(Triangle{clean_point(mesh.positions[t.x]), clean_point(mesh.positions[t.y]),
                                    clean_point(mesh.positions[t.z])}));
  }
  return boxes;
}

inline bool contains(const Aabb& outer, const Aabb& inner) {
  return is_empty(inner) || merge(outer, inner) == outer;
}

}  // namespace copse::test
