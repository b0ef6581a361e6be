#pragma once

// A queue of tasks that push further tasks: the waterfall (waterfall.h) for a number of tasks that is not known
// before they run.

#include <string>

#include "primitives/core/atomic.h"
#include "primitives/core/buffer.h"
#include "primitives/core/device.h"
#include "primitives/core/error.h"
#include "primitives/core/warp_atomic.h"

namespace copse {

/// The counters of a run. Zero between runs, except `overflow`.
struct TaskQueueCounters {
  u64 pushed;    // tasks, also the refused ones
  u64 overflow;  // `pushed` of a run that passed the capacity
  u64 ticket;    // the first task that no thread has taken
  u32 finished;
  u32 left;  // blocks that are done with the run

  // In a cache line of its own, so that threads that poll it do not slow the counters down.
  alignas(128) u32 ended;
};

/// A view of a task queue. Tasks push to it, and so do kernels or element functors before the run. Copies stand
/// for the same queue.
template <class T>
class TaskQueueView {
 public:
  static constexpr u64 no_place = ~u64{0};

  TaskQueueView() = default;
  COPSE_HD TaskQueueView(T* tasks, u32* ready, u64 capacity, TaskQueueCounters* counters)
      : tasks_(tasks), ready_(ready), capacity_(capacity), counters_(counters) {}

  /// Pushes a task, which sees what the caller wrote before. Returns its place; the tasks of a run have places 0,
  /// 1, and so on. Returns no_place if the task is refused because the queue is full. Lanes of a warp that call
  /// together share a ticket.
  COPSE_HD u64 push(const T& task) const {
    const u64 place = reserve(1);
    return publish(place, task) ? place : no_place;
  }

  /// Takes `count` neighbouring places. The caller must then call publish(place + k, ...) for all k < count,
  /// before the calling task ends.
  COPSE_HD u64 reserve(u32 count) const { return fetch_add_by_warp(&counters_->pushed, count); }

  /// Publishes a task at a place that the caller reserved. Returns false if it is refused.
  COPSE_HD bool publish(u64 place, const T& task) const {
    if (place >= capacity_) return false;
    tasks_[place] = task;
    store_release(ready_ + place, 1u);
    return true;
  }

  /// Publishes tasks at neighbouring places, faster than one by one. Returns how many are not refused.
  template <u32 count>
  COPSE_HD u32 publish(u64 place, const T (&tasks)[count]) const {
    const u64 room = place < capacity_ ? capacity_ - place : 0;
    const u32 accepted = room < count ? u32(room) : count;
    for (u32 k = 0; k < accepted; ++k) tasks_[place + k] = tasks[k];
    if (accepted > 0) store_release_each(ready_ + place, accepted, 1u);
    return accepted;
  }

  /// For the run itself: takes the task from a place, if it is there, and leaves the place as before the push.
  COPSE_HD bool take(u64 place, T& task) const {
    // Most looks find nothing, and an acquire invalidates the L1 cache.
    if (load_relaxed(ready_ + place) == 0 || load_acquire(ready_ + place) == 0) return false;
    task = tasks_[place];
    store_relaxed(ready_ + place, 0u);
    return true;
  }

  /// The number of tasks that were pushed and not refused.
  COPSE_HD u64 accepted_count() const {
    const u64 pushed = load_relaxed(&counters_->pushed);
    return pushed < capacity_ ? pushed : capacity_;
  }

  /// For the run itself: counts finished tasks, and records the end when no task is left. A task is counted after
  /// its pushes, and `finished` is read before `pushed`. Each count acquires those of all other threads before it,
  /// and so their pushes. So if the two agree, then at the first read every task had finished, and none was left
  /// that could push another.
  COPSE_HD void finish(u32 count) const {
    const u64 finished = u64{fetch_add_acq_rel(&counters_->finished, count)} + count;
    if (finished == accepted_count()) store_release(&counters_->ended, 1u);
  }
  COPSE_HD bool has_ended() const { return load_acquire(&counters_->ended) != 0; }

  /// For the run itself, when no thread uses the counters any more: sets them to zero, and keeps the number of
  /// pushes if some were refused.
  COPSE_HD void reset() const {
    const u64 pushed = counters_->pushed;
    const u64 overflow = pushed > capacity_ && pushed > counters_->overflow ? pushed : counters_->overflow;
    *counters_ = {0, overflow, 0, 0, 0, 0};
  }

  COPSE_HD u64 capacity() const { return capacity_; }
  COPSE_HD TaskQueueCounters* counters() const { return counters_; }

 private:
  T* tasks_ = nullptr;
  u32* ready_ = nullptr;
  u64 capacity_ = 0;
  TaskQueueCounters* counters_ = nullptr;
};

/// Owns a queue of tasks.
/// Memory: sizeof(T) + 4 bytes per task, and 256.
template <class T>
class TaskQueue {
 public:
  /// Makes an empty queue for at most `capacity` tasks per run, including those that are pushed before the run.
  /// Throws: Error capacity past 2^32 - 1; Error out_of_memory.
  TaskQueue(Context& context, u64 capacity)
      : context_(&context), tasks_(context, checked(capacity)), ready_(context, capacity), counters_(context, 1) {
    clear();
  }

  TaskQueueView<T> view() { return {tasks_.data(), ready_.data(), tasks_.size(), counters_.data()}; }
  u64 capacity() const { return tasks_.size(); }

  /// Empties the queue and resets what check reports, in order on the stream. A run leaves the queue empty, so
  /// this is for runs that were cancelled or threw.
  void clear() {
    if (capacity() > 0) context_->device().clear(ready_.data(), ready_.size_bytes());
    context_->device().clear(counters_.data(), counters_.size_bytes());
  }

  /// Checks that no run since the last clear was given more tasks than the capacity. Waits.
  /// Throws: Error capacity if one was, with the number of tasks that were pushed and the limit.
  void check() const {
    const u64 pushed = counters_.download()[0].overflow;
    if (pushed == 0) return;
    throw Error(ErrorCode::capacity, "a task queue was given " + std::to_string(pushed) +
                                         " tasks in one run, its capacity is " + std::to_string(capacity()));
  }

 private:
  static u64 checked(u64 capacity) {
    constexpr u64 max_tasks = 0xffffffffu;
    if (capacity <= max_tasks) return capacity;
    throw Error(ErrorCode::capacity,
                "a task queue of " + std::to_string(capacity) + " tasks, at most " + std::to_string(max_tasks));
  }

  Context* context_;
  Buffer<T> tasks_;
  Buffer<u32> ready_;
  Buffer<TaskQueueCounters> counters_;
};

// The bulk call, on either executor (cpu/waterfall.h, cuda/waterfall.cuh):
//
//   run_tasks(ex, label, queue, task, options = {})
//     Runs the tasks of a queue, and those that they push, until none is left, in one launch. `task`: host+device
//     `void operator()(u64 place, const T& task, const TaskQueueView<T>& queue) const`. A task sees what the
//     thread that pushed it wrote before. Otherwise tasks run in no order, and a task must not wait for another.
//     Leaves the queue empty. `options`: WaterfallOptions, waterfall.h. Takes no scratch and does not wait; may be
//     captured together with the work that pushes the first tasks.
//
// It ends by the argument of waterfall.h: places are taken by tickets, in order, and a reserved place is published
// by a task that runs. If a published place is not taken yet, all places that are taken are below it. So each of
// them has its task or will get it, and the threads that hold them come back for more.

}  // namespace copse
