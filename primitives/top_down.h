#pragma once

// The walk from roots to all leaves, in bulk, by one launch for any depth and however uneven the branches are.
// Written once for both backends.
//
// The walk goes in stages (persistent.h). A stage visits the nodes of a frontier, a thread for each, and the
// frontier of the next stage gets their children. A stage costs about a microsecond on a GPU, so a frontier for
// each level is the fastest way down only while the frontier grows. There are two other cases:
//
//   the frontier has enough nodes for all threads  each thread visits the subtree of its node by itself
//   the frontier does not grow                     the same, with twice as many visits in each stage, so that
//                                                  a long chain does not take a stage for each of its nodes
//
// A thread that has made its visits gives the remaining nodes to the next frontier. bench: copse-bench-primitives,
// walk/down.

#include "primitives/core/bits.h"
#include "primitives/core/executor.h"
#include "primitives/core/warp_atomic.h"
#include "primitives/persistent.h"
#include "primitives/tree_walk.h"

namespace copse {

namespace detail {

/// Siblings that a thread will visit itself, the newest first.
class DeferredSiblings {
 public:
  struct Range {
    u32 first, end;
  };

  COPSE_HD bool empty() const { return size_ == 0; }
  COPSE_HD bool full() const { return size_ == capacity; }
  COPSE_HD void push(const Range& range) { ranges_[(begin_ + size_++) % capacity] = range; }
  COPSE_HD Range take_oldest() {
    const Range range = ranges_[begin_];
    begin_ = (begin_ + 1) % capacity;
    --size_;
    return range;
  }
  COPSE_HD u32 take_newest_node() {
    Range& range = ranges_[(begin_ + size_ - 1) % capacity];
    const u32 node = range.first++;
    if (range.first == range.end) --size_;
    return node;
  }

 private:
  static constexpr u32 capacity = 8;

  Range ranges_[capacity];
  u32 begin_ = 0, size_ = 0;
};

/// The state that the stages of a walk share. Stage s reads the frontier s % 2 and fills the other one.
struct TopDownState {
  /// [stage % 4] the nodes of the frontier. While a stage fills the next number, it clears the one after that.
  u64 sizes[4];

  /// [stage % 2] the visits that a thread may make.
  u32 max_visits[2];
};

/// The stages of a walk. `frontiers` have room for `capacity` nodes each: nodes of a frontier are never below each
/// other, so there are no more of them than leaves.
template <class Tree, class Visit>
struct VisitDownwards {
  static constexpr u64 enough_nodes = u64{1} << 16;
  static constexpr u32 many_visits = 1024;

  Tree tree;
  Visit visit;
  u32* frontiers[2];
  u64 capacity;
  TopDownState* state;

  COPSE_HD u64 size(u32 stage) const {
    const u64 count = state->sizes[stage % 4];
    return count == 0 ? no_more_stages : smaller(count, capacity);
  }

  COPSE_HD void operator()(u32 stage, u64 i) const {
    const u64 count = state->sizes[stage % 4], before = state->sizes[(stage + 3) % 4];
    const u32 doubled = state->max_visits[stage % 2];
    if (i == 0) {
      state->sizes[(stage + 2) % 4] = 0;
      state->max_visits[(stage + 1) % 2] = count > before ? 1 : smaller(2 * doubled, many_visits);
    }
    visit_from(frontiers[stage % 2][i], count >= enough_nodes ? many_visits : doubled, stage);
  }

  COPSE_HD void visit_from(u32 node, u32 max_visits, u32 stage) const {
    DeferredSiblings deferred;
    for (u32 visits = 1;; ++visits) {
      const u32 child_count = visit(node) ? tree.child_count(node) : 0;
      if (child_count > 0) {
        const u32 first = tree.first_child(node);
        if (visits == max_visits) {
          push({first, first + child_count}, stage);
          break;
        }
        node = first;
        if (child_count == 1) continue;
        if (deferred.full()) push(deferred.take_oldest(), stage);
        deferred.push({first + 1, first + child_count});
      } else {
        if (deferred.empty()) return;
        if (visits == max_visits) break;
        node = deferred.take_newest_node();
      }
    }
    while (!deferred.empty()) push(deferred.take_oldest(), stage);
  }

  /// Gives nodes to the next frontier.
  COPSE_HD void push(const DeferredSiblings::Range& range, u32 stage) const {
    u32* const next = frontiers[(stage + 1) % 2];
    u64 place = fetch_add_by_warp(&state->sizes[(stage + 1) % 4], range.end - range.first);
    for (u32 node = range.first; node < range.end && place < capacity; ++node) next[place++] = node;
  }
};

struct StartAtRoot {
  u32 root;
  u32* frontier;
  TopDownState* state;
  COPSE_HD void operator()(u64) const {
    *frontier = root;
    *state = {{1, 0, 0, 0}, {1, 1}};
  }
};

}  // namespace detail

/// Visits `root` and the nodes below it once each. A visit sees the visit of its parent.
///   tree:       as in tree_walk.h; only child_count and first_child are needed
///   leaf_count: the largest number of leaves at which the walk may end
///   visit:      bool operator()(u32 node) const, host+device: for example hands something down to the children.
///               If it returns false, the nodes below are not visited
/// Threads go down in stages, with a barrier of the grid between them (persistent.h). No thread waits for one that
/// has not started, so the walk ends for any residency. The host does not wait; once scratch is there, nothing is
/// allocated; may be captured.
/// Throws: Error cancelled, device_failure, out_of_memory.
/// Memory: top_down_scratch_bytes, 8 bytes per leaf and 256.
template <class Executor, class Tree, class Visit>
void top_down(const Executor& ex, const char* label, u32 root, u64 leaf_count, const Tree& tree,
              const Visit& visit) {
  ScratchArena::Frame frame(ex.scratch);
  u32* frontiers[2] = {frame.template allocate<u32>(leaf_count), frame.template allocate<u32>(leaf_count)};
  auto* state = frame.template allocate<detail::TopDownState>(1);
  for_each(ex, label, 1, detail::StartAtRoot{root, frontiers[0], state});
  persistent_stages(
      ex, label, ~0u,
      detail::VisitDownwards<Tree, Visit>{tree, visit, {frontiers[0], frontiers[1]}, leaf_count, state});
}

template <class Executor>
u64 top_down_scratch_bytes(const Executor&, u64 leaf_count) {
  return 2 * ScratchArena::bytes_for<u32>(leaf_count) + ScratchArena::bytes_for<detail::TopDownState>(1);
}

}  // namespace copse
