#pragma once

// Wide trees that are collapsed on the host in the most obvious way, from the root down: a node opens its largest
// child until its slots are full. Their topology differs from that of the trees of collapse(). They must give the
// same hits.

#include <vector>

#include "builders/bvh/wide/wide_encode.h"
#include "builders/bvh/wide_bvh.h"
#include "tests/support/host_bvh.h"

namespace copse::test {

template <class Node>
struct HostWide {
  std::vector<Node> nodes;
  std::vector<u32> parents;
  std::vector<u32> primitive_ids;
  WideBvhCounts counts{};

  /// Returns the view for traversal on the host.
  WideBvhView<Node> view() const {
    return {{nodes.data(), nodes.size()},
            {parents.data(), parents.size()},
            {primitive_ids.data(), primitive_ids.size()},
            {&counts, 1}};
  }

  /// Returns the same tree in a context's memory.
  WideBvh<Node> upload(Context& context) const {
    return {.nodes = Buffer<Node>(context, nodes),
            .parents = Buffer<u32>(context, parents),
            .primitive_ids = Buffer<u32>(context, primitive_ids),
            .counts = Buffer<WideBvhCounts>(context, std::vector<WideBvhCounts>{counts}),
            .repeats = {},
            .source_count = primitive_ids.size()};
  }
};

template <class Node>
class HostWideBuilder {
 public:
  explicit HostWideBuilder(const HostBvh& binary) : binary_(binary) {}

  /// For CompressedBvh8Node, each leaf of the binary tree must have 3 primitives at most.
  HostWide<Node> build() {
    wide_.counts = {0, binary_.counts.primitive_count, binary_.counts.invalid_count};
    wide_.nodes.resize(1);
    wide_.parents = {invalid_id};
    if (binary_.counts.node_count == 0) {
      wide_.nodes[0] = encode({});
      return std::move(wide_);
    }
    roots_ = {0};
    for (u32 node = 0; node < roots_.size(); ++node) place(node);
    wide_.counts.node_count = u32(wide_.nodes.size());
    return std::move(wide_);
  }

 private:
  static constexpr u32 width = Node::width;

  const BvhNode& binary(u32 node) const { return binary_.nodes[node]; }

  /// Returns the binary nodes in the slots of a wide node.
  std::vector<u32> slots_of(u32 root) const {
    if (binary(root).is_leaf()) return {root};
    std::vector<u32> slots = {binary(root).first, binary(root).first + 1};
    while (slots.size() < width) {
      u32 largest = invalid_id;
      for (u32 i = 0; i < slots.size(); ++i) {
        if (binary(slots[i]).is_leaf()) continue;
        if (largest == invalid_id || half_area(binary(slots[i]).box()) > half_area(binary(slots[largest]).box())) {
          largest = i;
        }
      }
      if (largest == invalid_id) break;
      const u32 first = binary(slots[largest]).first;
      slots[largest] = first;
      slots.push_back(first + 1);
    }
    return slots;
  }

  Node encode(const std::vector<u32>& slots) {
    const detail::WidePlace parts{u32(roots_.size()), u32(wide_.primitive_ids.size())};
    Node node{};
    Aabb boxes[width];
    u32 inner_mask = 0;
    for (u32 slot = 0; slot < width; ++slot) {
      boxes[slot] = Aabb::empty();
      WideChild child = WideChild::nothing();
      if (slot < slots.size()) {
        boxes[slot] = binary(slots[slot]).box();
        child = take(slots[slot]);
        if (child.is_inner()) inner_mask |= 1u << slot;
      }
      detail::encode_child(node, slot, parts, child);
    }
    detail::encode_parts(node, parts, inner_mask);
    detail::encode_boxes(node, boxes);
    return node;
  }

  /// Appends a binary node to the leaves or to the wide nodes.
  WideChild take(u32 root) {
    const BvhNode& node = binary(root);
    if (!node.is_leaf()) {
      roots_.push_back(root);
      return {u32(roots_.size() - 1), 0};
    }
    const u32 place = u32(wide_.primitive_ids.size());
    const auto first = binary_.primitive_ids.begin() + node.first;
    wide_.primitive_ids.insert(wide_.primitive_ids.end(), first, first + node.count);
    return {place, node.count};
  }

  void place(u32 node) {
    const Node encoded = encode(slots_of(roots_[node]));
    wide_.nodes.resize(roots_.size());
    wide_.parents.resize(roots_.size(), node);
    wide_.nodes[node] = encoded;
  }

  const HostBvh& binary_;
  HostWide<Node> wide_;
  std::vector<u32> roots_;  // the binary node of each wide node
};

template <class Node>
HostWide<Node> build_host_wide(const HostBvh& binary) {
  return HostWideBuilder<Node>(binary).build();
}

}  // namespace copse::test
