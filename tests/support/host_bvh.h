#pragma once

// A binary tree that is built on the host in the most obvious way: each node is split at the median of its widest
// axis. Its topology differs from that of the builders' trees. It must give the same hits.

#include <algorithm>
#include <numeric>
#include <vector>

#include "builders/bvh/node.h"
#include "builders/geometry/mesh.h"
#include "builders/geometry/triangle.h"
#include "primitives/core/buffer.h"

namespace copse::test {

struct HostBvh {
  std::vector<BvhNode> nodes;
  std::vector<u32> parents;
  std::vector<u32> primitive_ids;
  BvhCounts counts{};

  /// Returns the view for traversal on the host.
  BvhView view() const {
    return {{nodes.data(), nodes.size()},
            {parents.data(), parents.size()},
            {primitive_ids.data(), primitive_ids.size()},
            {&counts, 1}};
  }
};

/// The same tree in a context's memory.
struct UploadedBvh {
  Buffer<BvhNode> nodes;
  Buffer<u32> parents;
  Buffer<u32> primitive_ids;
  Buffer<BvhCounts> counts;

  UploadedBvh(Context& context, const HostBvh& bvh)
      : nodes(context, bvh.nodes),
        parents(context, bvh.parents),
        primitive_ids(context, bvh.primitive_ids),
        counts(context, std::vector<BvhCounts>{bvh.counts}) {}
  BvhView view() const { return {nodes.span(), parents.span(), primitive_ids.span(), counts.span()}; }
};

/// Says where the median split divides a list of primitives. A chain splits off one leaf at a time.
enum class HostSplit { median, chain };

class HostBvhBuilder {
 public:
  HostBvhBuilder(const std::vector<Aabb>& boxes, u32 leaf_size, HostSplit split)
      : boxes_(boxes), leaf_size_(leaf_size), split_(split) {
    for (u32 i = 0; i < boxes.size(); ++i) {
      if (is_valid(boxes[i])) bvh_.primitive_ids.push_back(i);
    }
  }

  HostBvh build() {
    const u32 count = u32(bvh_.primitive_ids.size());
    bvh_.counts.primitive_count = count;
    bvh_.counts.invalid_count = u32(boxes_.size()) - count;
    if (count == 0) {
      bvh_.nodes = {BvhNode::inner(Aabb::empty(), 0)};
      return std::move(bvh_);
    }
    divide();
    bvh_.counts.leaf_count = u32(leaves_.size());
    bvh_.counts.node_count = 2 * bvh_.counts.leaf_count - 1;
    bvh_.nodes.resize(bvh_.counts.node_count);
    bvh_.parents.resize(bvh_.counts.leaf_count - 1);
    for (auto it = ranges_.rbegin(); it != ranges_.rend(); ++it) place(*it);
    return std::move(bvh_);
  }

 private:
  struct Range {
    u32 begin, end;   // primitives
    u32 left, right;  // ranges; 0 for a leaf
    u32 first_leaf;
    u32 node;
  };

  Aabb box_of(u32 begin, u32 end) const {
    Aabb box = Aabb::empty();
    for (u32 i = begin; i < end; ++i) box = merge(box, boxes_[bvh_.primitive_ids[i]]);
    return box;
  }

  u32 split(u32 begin, u32 end) {
    if (split_ == HostSplit::chain) return begin + 1;
    const Aabb box = box_of(begin, end);
    const vec3 size = box.hi - box.lo;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const auto ids = bvh_.primitive_ids.begin();
    const u32 middle = begin + (end - begin) / 2;
    std::nth_element(ids + begin, ids + middle, ids + end, [&](u32 a, u32 b) {
      const float x = centroid(boxes_[a])[axis], y = centroid(boxes_[b])[axis];
      return x < y || (x == y && a < b);
    });
    return middle;
  }

  /// Makes the ranges from the root down, each parent before its children. Then lists their leaves, in order from
  /// left to right.
  void divide() {
    ranges_.push_back({0, u32(bvh_.primitive_ids.size()), 0, 0, 0, 0});
    for (u32 r = 0; r < ranges_.size(); ++r) {
      const u32 begin = ranges_[r].begin, end = ranges_[r].end;
      if (end - begin <= leaf_size_) {
        leaves_.push_back(begin);
        continue;
      }
      const u32 middle = split(begin, end);
      ranges_[r].left = u32(ranges_.size());
      ranges_.push_back({begin, middle, 0, 0, 0, 0});
      ranges_[r].right = u32(ranges_.size());
      ranges_.push_back({middle, end, 0, 0, 0, 0});
    }
    std::sort(leaves_.begin(), leaves_.end());
    for (Range& range : ranges_) {
      const auto leaf_at = [&](u32 primitive) {
        return u32(std::lower_bound(leaves_.begin(), leaves_.end(), primitive) - leaves_.begin());
      };
      range.first_leaf = leaf_at(range.begin);
    }
    for (Range& range : ranges_) {
      if (range.left == 0) continue;
      const u32 split = ranges_[range.right].first_leaf - 1;  // between this leaf and the next
      ranges_[range.left].node = 2 * split + 1;
      ranges_[range.right].node = 2 * split + 2;
    }
  }

  /// It is called for the children before their parent.
  void place(const Range& range) {
    BvhNode& node = bvh_.nodes[range.node];
    if (range.left == 0) {
      node = BvhNode::leaf(box_of(range.begin, range.end), range.begin, range.end - range.begin);
      return;
    }
    const u32 left = ranges_[range.left].node, right = ranges_[range.right].node;
    node = BvhNode::inner(merge(bvh_.nodes[left].box(), bvh_.nodes[right].box()), left);
    bvh_.parents[sibling_pair(left)] = range.node;
  }

  const std::vector<Aabb>& boxes_;
  u32 leaf_size_;
  HostSplit split_;
  HostBvh bvh_;
  std::vector<Range> ranges_;
  std::vector<u32> leaves_;  // the first primitive of each leaf
};

inline HostBvh build_host_bvh(const std::vector<Aabb>& boxes, u32 leaf_size = 1,
                              HostSplit split = HostSplit::median) {
  return HostBvhBuilder(boxes, leaf_size, split).build();
}

/// Returns a tree over the triangles of a view in host memory.
inline HostBvh build_host_bvh(const TriangleView& view, u32 leaf_size = 1, HostSplit split = HostSplit::median) {
  std::vector<Aabb> boxes(view.triangle_count());
  for (u64 i = 0; i < boxes.size(); ++i) boxes[i] = bounds(load_triangle(view, i));
  return build_host_bvh(boxes, leaf_size, split);
}

inline TriangleView host_view(const Mesh& mesh) {
  TriangleView view;
  view.positions = BufferSpan<const vec3>(mesh.positions.data(), mesh.positions.size());
  view.triangles = BufferSpan<const uvec3>(mesh.triangles.data(), mesh.triangles.size());
  return view;
}

}  // namespace copse::test
