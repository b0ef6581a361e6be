// The walk of one ray: the children of a node in the lanes, the triangles of a leaf in the lanes.

#if defined(COPSE_TRACE_CPU_SIMD_WALK) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_TRACE_CPU_SIMD_WALK
#undef COPSE_TRACE_CPU_SIMD_WALK
#else
#define COPSE_TRACE_CPU_SIMD_WALK
#endif

#include "trace/cpu/simd_children.inl"
#include "trace/cpu/simd_triangles.inl"

HWY_BEFORE_NAMESPACE();
namespace copse::cpu::HWY_NAMESPACE {

/// What triangles are fetched by, for a place among the tree's primitive ids.
template <class Triangles>
struct PlaceToTriangle {
  const u32* primitive_ids;
  HWY_INLINE u32 operator()(u32 place) const {
    if constexpr (Triangles::takes_places) {
      return place;
    } else {
      return primitive_ids[place];
    }
  }
};

/// What children wait. A tree so deep that they do not fit is left to the walk that climbs.
class WaitingChildren {
 public:
  struct Entry {
    u32 first, count;
    float entry;
    u32 unused;
  };
  static constexpr u32 size = 256;

  bool has_room(u32 count) const { return top_ + count <= size; }

  HWY_INLINE void push(const WideChild& child, float entry) {
    entries_[top_++] = {child.first, child.count, entry, 0};
  }

  /// Puts the last one below those that are nearer, of all since `bottom`.
  HWY_INLINE void sink(u32 bottom) {
    const Entry last = entries_[top_ - 1];
    u32 at = top_ - 1;
    for (; at > bottom && entries_[at - 1].entry < last.entry; --at) entries_[at] = entries_[at - 1];
    entries_[at] = last;
  }

  HWY_INLINE WideChild pop(float limit) {
    while (top_ > 0) {
      const Entry& entry = entries_[--top_];
      if (entry.entry <= limit) return {entry.first, entry.count};
    }
    return WideChild::nothing();
  }

  u32 top() const { return top_; }

 private:
  Entry entries_[size];
  u32 top_ = 0;
};

/// Goes to the nearest of the children that a ray enters and pushes the others. `entered`: not 0.
template <class ChildrenOfNode>
HWY_INLINE WideChild descend(const ChildrenOfNode& children, u32 entered, const float* entries,
                             WaitingChildren& waiting) {
  constexpr u32 stride = ChildrenOfNode::entry_stride;
  const u32 first = u32(__builtin_ctz(entered));
  entered &= entered - 1;
  if (entered == 0) return children.child(first);
  const u32 second = u32(__builtin_ctz(entered));
  entered &= entered - 1;
  const float first_entry = entries[stride * first], second_entry = entries[stride * second];
  if (entered == 0) {
    const bool in_order = first_entry <= second_entry;
    waiting.push(children.child(in_order ? second : first), in_order ? second_entry : first_entry);
    return children.child(in_order ? first : second);
  }
  const u32 bottom = waiting.top();
  waiting.push(children.child(first), first_entry);
  waiting.push(children.child(second), second_entry), waiting.sink(bottom);
  for (; entered != 0; entered &= entered - 1) {
    const u32 slot = u32(__builtin_ctz(entered));
    waiting.push(children.child(slot), entries[stride * slot]), waiting.sink(bottom);
  }
  return waiting.pop(infinity);
}

/// Walks from `at` down for the ray in a lane of a group; false where the tree is too deep. With `any`, ends at
/// the first hit.
template <bool any, class Tree, class Triangles>
HWY_NOINLINE bool walk_one(const Tree& tree, const Triangles& triangles, RayGroup& group, u32 lane, WideChild at) {
  using Node = Children<Tree>;
  const PlaceToTriangle<Triangles> ids{tree.primitive_ids};
  const auto slabs = Node::slabs(group, lane);
  OneRayShear shear(group, lane);
  float limit = group.boxes_limit[lane];
  WaitingChildren waiting;
  alignas(64) float entries[8];
  while (!at.is_nothing()) {
    if (at.is_inner()) {
      const Node children(tree, at.first);
      const u32 entered = children.enter(slabs, limit, entries);
      if (!waiting.has_room(Node::width)) return false;
      at = entered != 0 ? descend(children, entered, entries, waiting) : waiting.pop(limit);
      continue;
    }
    const float before = group.limit[lane];
    test_leaf(triangles, ids, at, shear, group, lane);
    if (any && group.closest[lane] != invalid_id) return true;
    if (group.limit[lane] != before) group.boxes_limit[lane] = limit = boxes_limit_of(group, lane);
    at = waiting.pop(limit);
  }
  return true;
}

}  // namespace copse::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
