#pragma once

// The position of a traversal in a binary tree, and the stack of nodes to visit later, for the host and for
// kernels.

#include "builders/bvh/node.h"

namespace copse::detail {

/// A node, and where its children or primitives are. The step that tested its box has read both.
struct WalkPlace {
  u32 node;
  u32 first;
  u32 count;

  COPSE_HD bool is_nowhere() const { return node == invalid_id; }
  COPSE_HD static WalkPlace nowhere() { return {invalid_id, 0, 0}; }
  COPSE_HD static WalkPlace of(const BvhNode& node, u32 node_id) { return {node_id, node.first, node.count}; }
  COPSE_HD static WalkPlace at(const BvhView& bvh, u32 node_id) {
    if (node_id == invalid_id) return nowhere();
    const BvhNode* node = bvh.nodes.data() + node_id;
    return {node_id, node->first, node->count};
  }
};

/// The number by which a test fetches the primitive at a place: the place itself if the test has a member `static
/// constexpr bool takes_places = true`, else the primitive's id.
template <class Test>
COPSE_HD inline u32 number_for(const u32* primitive_ids, u32 place) {
  if constexpr (requires { requires Test::takes_places; }) {
    return place;
  } else {
    return primitive_ids[place];
  }
}

/// Entries of the stack of a traversal. The stack is in local memory.
inline constexpr u32 walk_stack_size = 32;

/// A stack of at most `size` entries: a ring. When it is full, it drops the oldest entry, which the traversal finds
/// later by parent links.
template <class Entry, u32 size>
class WalkStack {
  static_assert(size > 0 && (size & (size - 1)) == 0, "a ring's size is a power of two");

 public:
  COPSE_HD void push(const Entry& entry) {
    top_ = (top_ + 1) & (size - 1);
    entries_[top_] = entry;
    if (count_ == size) {
      has_dropped_ = true;
    } else {
      ++count_;
    }
  }

  COPSE_HD Entry pop() {
    const Entry entry = entries_[top_];
    top_ = (top_ - 1) & (size - 1);
    --count_;
    return entry;
  }

  COPSE_HD bool empty() const { return count_ == 0; }

  /// True if an entry was ever dropped.
  COPSE_HD bool has_dropped() const { return has_dropped_; }

 private:
  Entry entries_[size];
  u32 top_ = 0;
  u32 count_ = 0;
  bool has_dropped_ = false;
};

}  // namespace copse::detail
