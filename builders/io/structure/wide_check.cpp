#include "builders/io/structure/structure_check.h"

#include "primitives/core/counted.h"

namespace copse::detail {

namespace {

using std::to_string;

bool has_numbers(const Bvh4Node& node, u32 slot) {
  const Aabb box = node.child_box(slot);
  return is_valid(box) || box == Aabb::empty();
}
template <class Node>
bool has_numbers(const Node& node, u32) {
  bool in_range = is_finite(node.origin);
  for (const u8 exponent : node.exponents) in_range &= exponent >= 1 && exponent <= 254;
  return in_range;
}

template <class Node>
class WideChecker {
 public:
  explicit WideChecker(const WideStructureArrays<Node>& arrays)
      : a_(arrays), children_(arrays.nodes.size()), slots_(arrays.primitive_ids.size()) {}

  std::string find_fault() {
    for (u64 i = 0; i < a_.nodes.size(); ++i) {
      const std::string fault = find_node_fault(u32(i));
      if (!fault.empty()) return "wide node " + to_string(i) + " " + fault;
    }
    if (slot_count_ != a_.primitive_ids.size()) {
      return "the wide leaves hold " + to_string(slot_count_) + " of " +
             counted(a_.primitive_ids.size(), "primitives");
    }
    const u64 reached = count_reached();
    if (reached != a_.nodes.size()) {
      return "the wide root reaches " + to_string(reached) + " of " + counted(a_.nodes.size(), "nodes");
    }
    return find_id_fault();
  }

 private:
  std::string find_node_fault(u32 i) {
    const Node& node = a_.nodes[i];
    if (i == 0 && a_.parents[0] != invalid_id) return "is the root and has the parent " + to_string(a_.parents[0]);
    for (u32 slot = 0; slot < Node::width; ++slot) {
      const WideChild child = node.child(slot);
      if (!is_consistent(node, slot)) return "contradicts itself in slot " + to_string(slot);
      if (!has_numbers(node, slot)) return "has no box in slot " + to_string(slot);
      std::string fault;
      if (child.is_inner()) fault = find_inner_fault(i, child);
      if (child.is_leaf()) fault = find_leaf_fault(child);
      if (!fault.empty()) return fault;
    }
    return "";
  }

  std::string find_inner_fault(u32 i, const WideChild& child) {
    if (child.first == 0 || child.first >= a_.nodes.size()) {
      return "has a child at " + to_string(child.first) + " of " + to_string(a_.nodes.size());
    }
    if (a_.parents[child.first] != i) {
      return "has a child at " + to_string(child.first) + ", whose parent is " +
             to_string(a_.parents[child.first]);
    }
    return children_.insert(child.first) ? "" : "has the child " + to_string(child.first) + " twice";
  }

  std::string find_leaf_fault(const WideChild& child) {
    const u64 end = u64{child.first} + child.count;
    if (end > a_.primitive_ids.size()) {
      return "holds slots up to " + to_string(end) + " of " + to_string(a_.primitive_ids.size());
    }
    for (u64 slot = child.first; slot < end; ++slot) {
      if (!slots_.insert(slot)) return "holds slot " + to_string(slot) + ", as another leaf does";
    }
    slot_count_ += child.count;
    return "";
  }

  /// Returns how many nodes a walk from the root visits. Each node has at most one parent and the root has none,
  /// so the walk ends.
  u64 count_reached() const {
    u64 reached = 0;
    std::vector<u32> waiting = {0};
    while (!waiting.empty()) {
      const Node& node = a_.nodes[waiting.back()];
      waiting.pop_back();
      ++reached;
      for (u32 slot = 0; slot < Node::width; ++slot) {
        if (node.child(slot).is_inner()) waiting.push_back(node.child(slot).first);
      }
    }
    return reached;
  }

  std::string find_id_fault() const {
    NumberSet ids(a_.triangle_count);
    const bool has_splits = a_.primitive_ids.size() + a_.invalid_count > a_.triangle_count;
    u64 distinct_count = 0;
    for (u64 slot = 0; slot < a_.primitive_ids.size(); ++slot) {
      const u32 id = a_.primitive_ids[slot];
      if (id >= a_.triangle_count) {
        return "wide slot " + to_string(slot) + " holds triangle " + to_string(id) + " of " +
               to_string(a_.triangle_count);
      }
      const bool is_new = ids.insert(id);
      if (!is_new && !has_splits)
        return "wide slot " + to_string(slot) + " holds triangle " + to_string(id) + " again";
      distinct_count += is_new;
    }
    return find_distinct_fault(distinct_count, a_.invalid_count, a_.triangle_count);
  }

  const WideStructureArrays<Node>& a_;
  NumberSet children_, slots_;
  u64 slot_count_ = 0;
};

}  // namespace

template <class Node>
std::string find_wide_fault(const WideStructureArrays<Node>& arrays) {
  if ((arrays.node_count == 0) != arrays.primitive_ids.empty()) {
    return to_string(arrays.node_count) + " wide nodes for " + counted(arrays.primitive_ids.size(), "primitives");
  }
  return WideChecker<Node>(arrays).find_fault();
}

template std::string find_wide_fault(const WideStructureArrays<Bvh4Node>&);
template std::string find_wide_fault(const WideStructureArrays<CompressedBvh4Node>&);
template std::string find_wide_fault(const WideStructureArrays<CompressedBvh8Node>&);

}  // namespace copse::detail
