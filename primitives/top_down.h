#pragma once

// The walk from roots to all leaves, in bulk, by one launch for any depth and however uneven the branches are.
// Written once for both backends.

#include "primitives/core/executor.h"
#include "primitives/task_queue.h"
#include "primitives/tree_walk.h"

namespace copse {

namespace detail {

/// Siblings that a task will visit itself, the newest first. When there is no more room, it gives the oldest ones,
/// which have the most nodes below them, to other threads.
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

/// Visits a node and goes on with its first child, so a chain of single children needs no queue. The other
/// children are pushed to the queue until it has seen enough tasks to keep all threads busy. After that a task
/// visits as many as it can itself.
template <class Tree, class Visit>
struct VisitDownwards {
  static constexpr u64 enough_tasks = u64{1} << 17;

  Tree tree;
  Visit visit;

  COPSE_HD void operator()(u64 place, u32 node, const TaskQueueView<u32>& queue) const {
    DeferredSiblings deferred;
    for (;;) {
      const u32 child_count = visit(node) ? tree.child_count(node) : 0;
      if (child_count > 0) {
        node = tree.first_child(node);
        if (child_count == 1) continue;
        const DeferredSiblings::Range siblings{node + 1, node + child_count};
        if (place < enough_tasks) {
          place = push(siblings, queue);
        } else {
          if (deferred.full()) push(deferred.take_oldest(), queue);
          deferred.push(siblings);
        }
      } else {
        if (deferred.empty()) return;
        node = deferred.take_newest_node();
      }
    }
  }

  /// Returns the place of the first one.
  COPSE_HD static u64 push(const DeferredSiblings::Range& range, const TaskQueueView<u32>& queue) {
    const u64 place = queue.reserve(range.end - range.first);
    for (u32 node = range.first; node < range.end; ++node) queue.publish(place + (node - range.first), node);
    return place;
  }
};

struct PushRoot {
  u32 root;
  TaskQueueView<u32> queue;
  COPSE_HD void operator()(u64) const { queue.push(root); }
};

}  // namespace detail

/// Visits `root` and the nodes below it once each. A visit sees the visit of its parent.
///   tree:       as in tree_walk.h; only child_count and first_child are needed
///   leaf_count: the largest number of leaves at which the walk may end
///   visit:      bool operator()(u32 node) const, host+device: for example hands something down to the children.
///               If it returns false, the nodes below are not visited
/// Idle threads wait for children that other threads push (waterfall, task_queue.h). No thread waits for one that
/// has not started, so the walk ends for any residency. The host does not wait; once scratch is there, nothing is
/// allocated; may be captured.
/// Throws: Error cancelled, device_failure, out_of_memory.
/// Memory: top_down_scratch_bytes, 8 bytes per leaf and 256.
template <class Executor, class Tree, class Visit>
void top_down(const Executor& ex, const char* label, u32 root, u64 leaf_count, const Tree& tree,
              const Visit& visit) {
  ScratchArena::Frame frame(ex.scratch);
  u32* nodes = frame.template allocate<u32>(leaf_count);
  u32* ready = frame.template allocate<u32>(leaf_count);
  auto* counters = frame.template allocate<TaskQueueCounters>(1);
  fill_bytes(ex, label, ready, leaf_count, 0);
  fill_bytes(ex, label, counters, 1, 0);
  const TaskQueueView<u32> queue(nodes, ready, leaf_count, counters);
  for_each(ex, label, 1, detail::PushRoot{root, queue});
  run_tasks(ex, label, queue, detail::VisitDownwards<Tree, Visit>{tree, visit});
}

template <class Executor>
u64 top_down_scratch_bytes(const Executor&, u64 leaf_count) {
  return 2 * ScratchArena::bytes_for<u32>(leaf_count) + ScratchArena::bytes_for<TaskQueueCounters>(1);
}

}  // namespace copse
