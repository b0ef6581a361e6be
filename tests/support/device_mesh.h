#pragma once

#include <cstring>

#include "builders/bvh/bvh.h"
#include "builders/geometry/mesh.h"
#include "builders/geometry/triangle.h"
#include "primitives/core/buffer.h"

namespace copse::test {

/// A mesh in a context's memory.
struct DeviceMesh {
  DeviceMesh(Context& context, const Mesh& mesh)
      : positions(context, mesh.positions), triangles(context, mesh.triangles) {}

  TriangleView view(u32 geometry = 0) const {
    return {.positions = positions.span(), .triangles = triangles.span(), .geometry = geometry};
  }

  Buffer<vec3> positions;
  Buffer<uvec3> triangles;
};

/// Returns the part of a tree that is in use, on the host.
struct BvhCopy {
  BvhCounts counts;
  std::vector<BvhNode> nodes;
  std::vector<u32> parents;
  std::vector<u32> primitive_ids;

  explicit BvhCopy(const Bvh& bvh)
      : counts(bvh.counts.download()[0]),
        nodes(bvh.nodes.download(counts.node_count == 0 ? 1 : counts.node_count)),
        parents(bvh.parents.download(counts.node_count / 2)),
        primitive_ids(bvh.primitive_ids.download(bvh.place_count())) {}
};

/// Gives all nodes of a tree the same wrong box.
inline void spoil_boxes(Bvh& bvh) {
  std::vector<BvhNode> nodes = BvhCopy(bvh).nodes;
  for (BvhNode& node : nodes) node.lo = node.hi = vec3(-77);
  bvh.nodes.upload(nodes);
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline bool same_bytes(const BvhCopy& a, const BvhCopy& b) {
  return std::memcmp(&a.counts, &b.counts, sizeof a.counts) == 0 && same_bytes(a.nodes, b.nodes) &&
         same_bytes(a.parents, b.parents) && same_bytes(a.primitive_ids, b.primitive_ids);
}

}  // namespace copse::test
