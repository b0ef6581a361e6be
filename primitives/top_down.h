#pragma once

// The walk from roots to all leaves, in bulk: one launch, whatever the depth, and however unequal the branches.
// Written once for both backends.

#include "primitives/core/executor.h"
#include "primitives/task_queue.h"
#include "primitives/tree_walk.h"

namespace copse {

namespace detail {

/// Visits a node, pushes its children but the first, and goes on with that one: a chain of single children costs
/// no queue.
template <class Tree, class Visit>
struct VisitDownwards {
  Tree tree;
  Visit visit;

  COPSE_HD void operator()(u64, u32 node, const TaskQueueView<u32>& queue) const {
    while (visit(node)) {
      const u32 child_count = tree.child_count(node);
      if (child_count == 0) return;
      const u32 first = tree.first_child(node);
      if (child_count > 1) push_siblings(first, child_count, queue);
      node = first;
    }
  }

  COPSE_HD static void push_siblings(u32 first, u32 child_count, const TaskQueueView<u32>& queue) {
    const u64 place = queue.reserve(child_count - 1);
    for (u32 k = 1; k < child_count; ++k) queue.publish(place + k - 1, first + k);
  }
};

struct PushRoot {
  u32 root;
  TaskQueueView<u32> queue;
  COPSE_HD void operator()(u64) const { queue.push(root); }
};

}  // namespace detail

/// Visits `root` and the nodes below it, each once, after its parent, whose visit is seen.
///   tree:      as in tree_walk.h, of which it needs child_count and first_child
///   leaf_count: the most leaves that the walk may end at
///   visit:     bool operator()(u32 node) const, host+device: typically hands something down to the children;
///   false
///              leaves out what is below the node
/// Idle threads wait for children that others push (waterfall, task_queue.h); no thread waits for one that has not
/// started, so it ends whatever the residency. Waits for nothing on the host; once scratch is there, allocates
/// nothing; may be captured.
/// Throws: Error cancelled, device_failure, out_of_memory.
/// Memory: top_down_scratch_bytes, 8 bytes a leaf and 256.
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
